// Random programs over the public functions of ragged arrays. In: rows, and steps with numbers that choose attributes.
// Out: the same program over arrays in memory or over lazy ones: what every step made, or the error it threw.

import * as rg from "chunkwise/ragged";
import fc from "fast-check";
import { halfNumber, nested, text, wholeNumber } from "../ragged/arbitrary.ts";

export type Values = rg.Ragged;
/** Two arrays of the program and a number that chooses among variants. */
type Step = (x: Values, y: Values, n: number) => unknown;

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!;
const AXES = [1, 0, -1, 2, -2] as const;
const axis = (n: number): number => pick(AXES, n);
const anyAxis = (n: number): number | null => pick([1, 0, null, -1, 2], n);
const reductions = {
  ...{ sum: rg.sum, prod: rg.prod, min: rg.min, max: rg.max, any: rg.any, all: rg.all, count: rg.count },
  ...{ countNonzero: rg.countNonzero, argmin: rg.argmin, argmax: rg.argmax, mean: rg.mean },
  ...{ std: rg.std, var: rg.var },
};
const reduceSteps = Object.entries(reductions as { [name: string]: typeof rg.count }).map(
  ([name, reduce]): [string, Step] => [
    name,
    (x, _, n) =>
      reduce(
        x as never,
        { axis: anyAxis(n), keepdims: n % 3 === 0, ...(n % 7 === 0 && { maskIdentity: true }) } as never,
      ),
  ],
);

/** Counts of rows without lists are one number in memory. */
function arrayOf(counts: Values): Values {
  if (typeof counts === "object") return counts;
  throw new Error(`${counts} is no array`);
}

const GETS: readonly ((x: Values, y: Values) => unknown)[] = [
  (x) => rg.get(x, 0),
  (x) => rg.get(x, -1),
  (x) => rg.get(x, 1, 0),
  (x) => rg.get(x, "1:3"),
  (x) => rg.get(x, "::-1"),
  (x) => rg.get(x, "1::2"),
  (x) => rg.get(x, "-2:"),
  (x) => rg.get(x, [0, 2]),
  (x) => rg.get(x, [[0, 2]] as never),
  (x) => rg.get(x, [0, null, -1]),
  (x) => rg.get(x, ":", 0),
  (x) => rg.get(x, ":", "0:1"),
  (x) => rg.get(x, ":", "::-1"),
  (x) => rg.get(x, null),
  (x) => rg.get(x, "...", null),
  (x) => rg.get(x, "...", 0),
  (x) => rg.get(x, "x"),
  (x) => rg.get(x, ["x", "y"]),
  (x) => rg.get(x, "x", "1:"),
  (x, y) => rg.get(x, y),
  (x, y) => rg.get(x, rg.greater(y, 0)),
  (x) => rg.get(x, rg.greater(x, 0)),
  (x) => rg.get(x, rg.argmax(x, { axis: -1, keepdims: true })),
  (x) => rg.get(x, rg.greater(arrayOf(rg.count(x, { axis: -1 })), 1)),
  (x) => rg.get(x, rg.greater(rg.num(x), 0), 0),
  (x) => rg.get(x, rg.argsort(x, { axis: -1 })),
  (x) => rg.get(x, rg.mask(rg.localIndex(x, { axis: -1 }), rg.greater(x, 0))),
];

const STEPS: readonly (readonly [string, Step])[] = [
  ...reduceSteps,
  ...GETS.map((get, i): [string, Step] => [`get ${i}`, (x, y) => get(x, y)]),
  ...GETS.map((get, i): [string, Step] => [`get ${i}`, (x, y) => get(x, y)]),
  ["unary", (x, _, n) => pick([rg.negative, rg.abs, rg.sqrt, rg.isnan, rg.square], n)(x)],
  ["binary", (x, y, n) => pick([rg.add, rg.subtract, rg.multiply, rg.divide, rg.less, rg.equal], n)(x, y)],
  ["scalar", (x, _, n) => pick([rg.add, rg.multiply, rg.pow, rg.greater], n)(x, (n % 5) - 2)],
  ["num", (x, _, n) => rg.num(x, { axis: axis(n) })],
  ["localIndex", (x, _, n) => rg.localIndex(x, { axis: axis(n) })],
  ["flatten", (x, _, n) => rg.flatten(x, { axis: anyAxis(n) })],
  ["ravel", (x) => rg.ravel(x)],
  ["unflatten", (x, _, n) => rg.unflatten(x, 1 + (n % 2), { axis: n % 2 })],
  ["unflatten back", (x) => rg.unflatten(rg.flatten(x), rg.num(x))],
  ["sort", (x, _, n) => rg.sort(x, { axis: axis(n), ascending: n % 2 === 0 })],
  ["argsort", (x, _, n) => rg.argsort(x, { axis: axis(n), ascending: n % 2 === 0 })],
  ["firsts", (x, _, n) => rg.firsts(x, { axis: axis(n) })],
  ["singletons", (x, _, n) => rg.singletons(x, { axis: axis(n) })],
  ["padNone", (x, _, n) => rg.padNone(x, 2, { axis: axis(n), clip: n % 2 === 0 })],
  ["fillNone", (x, _, n) => rg.fillNone(x, pick([0, 1.5, "none"], n), { axis: anyAxis(n) })],
  ["dropNone", (x, _, n) => rg.dropNone(x, { axis: anyAxis(n) })],
  ["isNone", (x, _, n) => rg.isNone(x, { axis: axis(n) })],
  ["mask", (x, y, n) => rg.mask(x, rg.greater(y, 0), { validWhen: n % 2 === 0 })],
  ["where", (x, y) => rg.where(rg.greater(x, y), x, y)],
  ["where scalar", (x) => rg.where(rg.greater(x, 0), x, 0)],
  ["nanToNone", (x) => rg.nanToNone(x)],
  ["toPacked", (x) => rg.toPacked(x)],
  ["runLengths", (x) => rg.runLengths(x)],
  ["valuesAstype", (x, _, n) => rg.valuesAstype(x, pick(["float32", "int64", "bool"] as const, n))],
  ["like", (x, _, n) => pick([rg.zerosLike, rg.onesLike], n)(x)],
  ["fullLike", (x) => rg.fullLike(x, 7)],
  ["isclose", (x, y) => rg.isclose(x, y)],
  ["zip", (x, y, n) => rg.zip({ x, y }, n % 2 === 0 ? { depthLimit: 1 } : {})],
  ["zip list", (x, y) => rg.zip([x, y])],
  ["unzip", (x) => rg.zip(rg.unzip(x))],
  ["field", (x, _, n) => rg.field(x, pick(["x", "y", "z"], n))],
  ["withField", (x, y) => rg.withField(x, y, "w")],
  ["withField in place", (x) => rg.withField(x, 3, "x")],
  ["withoutField", (x) => rg.withoutField(x, "x")],
  ["cartesian", (x, y, n) => rg.cartesian({ x, y }, { axis: n % 2, nested: n % 3 === 0 })],
  ["argcartesian", (x, y) => rg.argcartesian([x, y])],
  ["combinations", (x, _, n) => rg.combinations(x, 2, { axis: n % 2, replacement: n % 3 === 0 })],
  ["argcombinations", (x) => rg.argcombinations(x, 2, { fields: ["x", "y"] })],
  ["concatenate", (x, y, n) => rg.concatenate([x, y], { axis: n % 2 })],
  ["concatenate twice", (x, y) => rg.concatenate([x, y, x])],
  ["broadcastArrays", (x, y, n) => rg.broadcastArrays(x, y)[n % 2]],
  ["fromRegular", (x, _, n) => rg.fromRegular(x, { axis: anyAxis(n) })],
  ["toRegular", (x) => rg.toRegular(rg.padNone(x, 2, { clip: true }), { size: 2 })],
];

/** Names whose results depend on the order of additions. */
const ROUNDED = new Set(["sum", "prod", "mean", "std", "var"]);

export interface Program {
  readonly rows: readonly (readonly unknown[])[];
  readonly cuts: readonly (readonly number[])[];
  readonly steps: readonly {
    readonly step: number;
    readonly x: number;
    readonly y: number;
    readonly n: number;
  }[];
}

const record = fc.record({
  x: wholeNumber,
  y: fc.array(halfNumber, { maxLength: 2 }),
  z: fc.option(text, { nil: null }),
});
const length = fc.integer({ min: 0, max: 7 });
const columns = fc.oneof(
  ...[wholeNumber, halfNumber].flatMap((leaf) =>
    [1, 2, 2, 3].map((depth) => nested({ depth, leaf, nullLeaves: true, nullLists: depth === 3 })),
  ),
  nested({ depth: 2, leaf: fc.boolean() }),
  nested({ depth: 2, leaf: text, nullLeaves: true }),
  nested({ depth: 1, leaf: record }),
  nested({ depth: 2, leaf: record, nullLeaves: true }),
);

const cut = (rows: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.integer({ min: 0, max: rows }), { maxLength: 3 })
    .map((at) => [0, ...at.sort((a, b) => a - b), rows]);

const rowsOf = (rows: number): fc.Arbitrary<readonly unknown[]> =>
  columns.map((list) => Array.from({ length: rows }, (_, i) => list[i % Math.max(1, list.length)] ?? null));

export const programs: fc.Arbitrary<Program> = length.chain((rows) =>
  fc.record({
    rows: fc.tuple(rowsOf(rows), rowsOf(rows)),
    cuts: fc.tuple(cut(rows), cut(rows)),
    steps: fc.array(
      fc.record({ step: fc.nat(STEPS.length - 1), x: fc.nat(9), y: fc.nat(9), n: fc.nat(41) }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
);

/** What a step gave: an array, a value, or an error. */
export interface Done {
  readonly name: string;
  readonly value: unknown;
  readonly error: unknown;
}

export const isRounded = ({ steps }: Program): boolean =>
  steps.some(({ step }) => ROUNDED.has(STEPS[step]![0]));

/** The steps over arrays; `isUsable` says which results later steps may use. */
export function runSteps(
  { steps }: Program,
  arrays: readonly Values[],
  isUsable: (at: number, value: unknown) => value is Values,
): Done[] {
  const pool = [...arrays];
  return steps.map(({ step, x, y, n }, at) => {
    const [name, apply] = STEPS[step]!;
    const text = `${name}(${x % pool.length}, ${y % pool.length}; ${n})`;
    try {
      const value = apply(pool[x % pool.length]!, pool[y % pool.length]!, n);
      if (isUsable(at, value)) pool.push(value);
      return { name: text, value, error: null };
    } catch (error) {
      return { name: text, value: undefined, error };
    }
  });
}

interface NamedStep {
  readonly name: string;
  readonly apply: (x: Values, y: Values) => Values;
}

/** Each step on what the one before gave. */
export const chained = (steps: readonly NamedStep[], x: Values, y: Values): Values =>
  steps.reduce((value, { apply }) => apply(value, y), x);

/** The steps that give an array when they are done one after another in memory. */
export function workingSteps({ steps }: Program, x: rg.RaggedArray, y: rg.RaggedArray): NamedStep[] {
  const working: NamedStep[] = [];
  for (const { step, n } of steps) {
    const [name, apply] = STEPS[step]!;
    const own: NamedStep = { name: `${name} ${n}`, apply: (a, b) => apply(a, b, n) as Values };
    try {
      if (chained([...working, own], x, y) instanceof rg.RaggedArray) working.push(own);
    } catch {
      // Left out.
    }
  }
  return working;
}
