// Bad input: every function of the door with junk in every place gives a typed error, in memory and lazily; options and
// fields that are mistyped are told of with a suggestion; nothing comes as a raw error from inside.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ELEMENTWISE, REDUCTIONS as reductionsOfLists } from "../../src/ragged/index.ts";
import { endlessList, fault, mistake } from "../bad-input/check.ts";

// Some junk is a good name of a file: what is written goes where nobody looks.
const folder = mkdtempSync(join(tmpdir(), "chunkwise-junk-"));
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

const inline = { executor: "inline" } as const;
type AnyFunction = (...args: unknown[]) => unknown;
const door = rg as unknown as { readonly [name: string]: AnyFunction };

const rows = [
  { x: [1, 2], y: 1.5 },
  { x: [], y: 2.5 },
  { x: [3], y: 0 },
];
const numbers = [[1, 2], [], [3]];
const eager = { records: rg.fromIter(rows), numbers: rg.fromIter(numbers), flat: rg.fromIter([1, 2, 3]) };
const lazy = {
  records: rg.lazy(eager.records, { npartitions: 2 }),
  numbers: rg.lazy(eager.numbers, { npartitions: 2 }),
  flat: rg.lazy(eager.flat, { npartitions: 2 }),
};

/** Arguments that work, for arrays of one kind. */
type Given = { readonly [K in keyof typeof eager]: rg.Ragged };
const isUnary = (name: string): boolean => {
  try {
    door[name]!(eager.flat);
    return true;
  } catch {
    return false;
  }
};
const elementwise = Object.keys(ELEMENTWISE).filter((name) => name in rg && name !== "isclose");
const UNARY = elementwise.filter(isUnary);
const BINARY = elementwise.filter((name) => !isUnary(name));
const REDUCTIONS = Object.keys(reductionsOfLists);
const LISTS = [
  "argsort",
  "dropNone",
  "flatten",
  "fromRegular",
  "isNone",
  "localIndex",
  "num",
  "onesLike",
  "sort",
];
const MORE_LISTS = ["firsts", "nanToNone", "ravel", "runLengths", "singletons", "toPacked", "zerosLike"];

const calls = ({ records, numbers: x, flat }: Given): { [name: string]: unknown[] } => ({
  ...Object.fromEntries([...UNARY, ...LISTS, ...MORE_LISTS, ...REDUCTIONS].map((name) => [name, [x]])),
  ...Object.fromEntries(BINARY.map((name) => [name, [x, x]])),
  argcartesian: [[x, x]],
  argcombinations: [x, 2],
  broadcastArrays: [x, flat],
  cartesian: [[x, x]],
  combinations: [x, 2],
  concatenate: [[x, x]],
  field: [records, "x"],
  fields: [records],
  fillNone: [x, 0],
  fullLike: [x, 1],
  get: [x, 0],
  isclose: [x, x],
  lazy: [x],
  mapPartitions: [(part: rg.Ragged) => part, x],
  mask: [x, rg.greater(x, 1)],
  padNone: [x, 3],
  repartition: [x, { npartitions: 2 }],
  toRegular: [rg.padNone(x, 2, { clip: true }), { size: 2 }],
  unflatten: [flat, 1],
  unzip: [records],
  valuesAstype: [x, "float32"],
  where: [rg.greater(x, 1), x, 0],
  corr: [x, x],
  covar: [x, x],
  enforceType: [x, "var * float32"],
  linearFit: [x, x],
  moment: [x, 2],
  softmax: [x],
  withField: [records, 1, "w"],
  withName: [records, "Vector2D"],
  withoutField: [records, "x"],
  zip: [{ x, flat }],
});

const JUNK: { readonly [name: string]: unknown } = {
  undefined: undefined,
  null: null,
  "a symbol": Symbol("s"),
  "a function": () => 1,
  NaN: Number.NaN,
  "-1.5": -1.5,
  Infinity: Number.POSITIVE_INFINITY,
  "a big integer": 2n ** 70n,
  "an empty text": "",
  "a text": "__proto__",
  "an object": { length: 3 },
  "an object with getters": Object.create(null, { axis: { get: () => 1, enumerable: true } }) as object,
  "a date": new Date(0),
  "a promise": Promise.resolve(1),
  "an empty list": [],
  "a list with a hole": new Array(2),
  "a list with a symbol": [Symbol("s")],
  "an endless list": endlessList(),
  "a list of functions": [() => 1],
  "a map": new Map(),
  "a DataView": new DataView(new ArrayBuffer(8)),
  "a dense array of no axes": cw.asarray(1),
};

/** Nothing but a typed error is thrown; what is accepted may be computed, and then too. */
async function complaints(call: () => unknown): Promise<string | null> {
  let value: unknown;
  try {
    value = await call();
  } catch (error) {
    return fault(error);
  }
  if (!(value instanceof rg.LazyRagged)) return null;
  try {
    await value.compute({ ...inline, onFail: "pass" });
  } catch (error) {
    return error instanceof cw.ChunkwiseError ? null : `when computed: ${String(error)}`;
  }
  return null;
}

async function junkOf(name: string, args: readonly unknown[]): Promise<string[]> {
  const found: string[] = [];
  for (const at of [...args.keys(), args.length])
    for (const [what, junk] of Object.entries(JUNK)) {
      const given = [...args];
      given[at] = junk;
      const said = await complaints(() => door[name]!(...given));
      if (said !== null) found.push(`argument ${at}, ${what}: ${said}`);
    }
  return found;
}

describe("junk is refused with a typed error", () => {
  test.each(Object.keys(calls(eager)))("%s", async (name) => {
    for (const given of [eager, lazy]) {
      const args = calls(given)[name]!;
      expect(await complaints(() => door[name]!(...args)), "the call works").toBeNull();
      expect(await junkOf(name, args)).toEqual([]);
    }
  });

  const PLAIN: { [name: string]: unknown[] } = {
    compute: [lazy.numbers],
    explainColumns: [lazy.numbers],
    formOfJson: ["int64"],
    fromArrow: [{}],
    fromBuffers: [eager.flat.form, 3, {}],
    fromIter: [numbers],
    fromJsonLines: ["/nowhere.jsonl"],
    fromLists: [[numbers]],
    fromNumpy: [new Float64Array(1)],
    fromParquet: ["/nowhere.parquet"],
    necessaryColumns: [lazy.numbers],
    parseType: ["3 * int64"],
    plan: [lazy.numbers],
    almostEqual: [eager.flat, eager.flat],
    fromFeather: [new Uint8Array(0)],
    fromJson: ["[1]"],
    hist: [rg.axis.integer(0, 2)],
    isValid: [eager.flat],
    loc: [1],
    rebin: [2],
    toArrow: [eager.flat],
    toColumns: [eager.flat],
    toFeather: [eager.flat],
    toJson: [eager.flat],
    toBuffers: [eager.flat],
    toFiles: [lazy.records, "/nowhere/x.parquet"],
    toJsonLines: [lazy.numbers, "/nowhere/x.jsonl"],
    toList: [eager.flat],
    toNumpy: [eager.flat],
    toParquet: [lazy.records, "/nowhere/x.parquet"],
  };
  test.each(Object.keys(PLAIN))("%s", async (name) => {
    expect(await junkOf(name, PLAIN[name]!)).toEqual([]);
  });

  test("every function of the door is tried", () => {
    const names = Object.keys(rg).filter((name) => typeof door[name] === "function" && /^[a-z]/.test(name));
    const tried = new Set([...Object.keys(calls(eager)), ...Object.keys(PLAIN)]);
    const others = ["httpFile", "localFile", "memoryFile", "storeFile", "jsonOfForm", "typeText"];
    expect(names.filter((name) => !tried.has(name) && !others.includes(name))).toEqual([]);
  });
});

describe("mistyped names", () => {
  const words = (call: () => unknown): string => mistake(call).message;

  test("fields", () => {
    for (const x of [eager.records, lazy.records]) {
      expect(words(() => x.field("z"))).toMatch(/z.*x|y/);
      expect(words(() => x.field("X"))).toMatch(/Did you mean .?x/);
      expect(words(() => x.get("xx"))).toMatch(/x/);
      expect(words(() => rg.withoutField(x, "w"))).toMatch(/w/);
      expect(words(() => x.field())).toMatch(/no field is named/);
    }
  });

  test("options", async () => {
    for (const x of [eager.numbers, lazy.numbers]) {
      expect(words(() => rg.sum(x, { axes: 1 } as never))).toMatch(/axis/);
      expect(words(() => rg.sum(x, { keepdim: true } as never))).toMatch(/keepdims/);
      expect(words(() => rg.combinations(x, 2, { replace: true } as never))).toMatch(/replacement/);
      expect(words(() => rg.num(x, { axis: 5 }))).toMatch(/axis 5/);
      expect(words(() => rg.num(x, { axis: 1.5 }))).toMatch(/axis/);
    }
    expect(words(() => lazy.numbers.plan({ optimise: true } as never))).toMatch(/optimize/);
    expect(words(() => rg.necessaryColumns(lazy.numbers, { onFail: "ignore" } as never))).toMatch(
      /"pass" or "warn" or "raise"/,
    );
    await expect(lazy.numbers.compute({ onfail: "pass" } as never)).rejects.toThrow(/onFail/);
    await expect(rg.fromParquet("/nowhere", { filters: [] } as never)).rejects.toThrow(/filter/);
    await expect(rg.toParquet(lazy.records, "/nowhere/x", { compression: "zstd" } as never)).rejects.toThrow(
      /no option "compression"/,
    );
  });

  test("rows and places", async () => {
    for (const x of [eager.numbers, lazy.numbers]) {
      expect(words(() => x.get(7))).toMatch(/7/);
      expect(words(() => x.get(0, 1, 2))).toMatch(/./);
    }
    await expect((lazy.numbers.get([5]) as rg.LazyRagged).compute(inline)).rejects.toThrow(cw.ChunkwiseError);
    await expect((lazy.numbers.get(":", 1) as rg.LazyRagged).compute(inline)).rejects.toThrow(
      cw.ChunkwiseError,
    );
  });
});
