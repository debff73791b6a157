// The battery: every public function, every parameter, every kind of junk. A wrong argument is a typed error
// with what, where and cure, thrown where the operation is defined; it is never a raw error, never accepted.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { attempt, describeValue, fault } from "./check.ts";
import {
  CLASSES,
  FUNCTIONS,
  JUNK,
  type Junk,
  type Kind,
  type Line,
  OTHERS,
  type Parameter,
  vector,
} from "./table.ts";

type AnyFunction = (...args: readonly unknown[]) => unknown;
const functions = cw as unknown as { readonly [name: string]: AnyFunction };

const positional = (line: Line): unknown[] => line.args.map(({ good }) => good);

const isPlainObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

const withoutPlainObjects = (junk: Junk): Junk =>
  Object.fromEntries(Object.entries(junk).filter(([, value]) => !isPlainObject(value)));

/** Says for every piece of junk that was not refused properly what happened instead. */
function unrefused(kind: Kind, junk: Junk, call: (value: unknown) => unknown): string[] {
  return Object.entries(junk).flatMap(([name, value]) => {
    const outcome = attempt(() => call(value));
    if (!outcome.threw) return [`${name}: gave ${describeValue(outcome.value)}`];
    const { error } = outcome;
    const wrong = fault(error);
    if (wrong !== null) return [`${name}: ${wrong}`];
    if (!CLASSES[kind].some((expected) => error instanceof expected)) return [`${name}: a ${String(error)}`];
    return [];
  });
}

test("every public function has a line in the table", () => {
  const isFunction = (name: string): boolean => typeof functions[name] === "function" && /^[a-z]/.test(name);
  const known = [...Object.keys(FUNCTIONS), ...OTHERS].sort();
  expect(Object.keys(cw).filter(isFunction).sort()).toEqual(known);
});

describe.each(Object.entries(FUNCTIONS))("%s", (name, line) => {
  const f = functions[name]!;

  test("the call of the table works", () => {
    expect(() => f(...positional(line))).not.toThrow();
    for (const [option, { good }] of Object.entries(line.options ?? {}))
      expect(() => f(...positional(line), { [option]: good })).not.toThrow();
  });

  test("an error names the function that was called", () => {
    const outcome = attempt(() => f(Symbol("nothing that a function takes")));
    expect(outcome.threw && fault(outcome.error)).toBeNull();
    expect(outcome.threw && outcome.error).toHaveProperty("where", name);
  });

  test("junk is refused", () => {
    const args = positional(line);
    const places = line.args.map(({ kind, mayBeOptions }, at) => ({
      place: `argument ${at}`,
      kind,
      junk: mayBeOptions ? withoutPlainObjects(JUNK[kind]) : JUNK[kind],
      call: (value: unknown): unknown => f(...args.map((good, i) => (i === at ? value : good))),
    }));
    const isOther = ([name, { kind }]: [string, Parameter]): boolean => name !== "out" && kind !== "flag";
    const named = Object.entries(line.options ?? {}).filter(isOther);
    const options = named.map(([option, { kind }]) => ({
      place: `option ${option}`,
      kind,
      junk: JUNK[kind],
      call: (value: unknown): unknown => f(...args, { [option]: value }),
    }));
    const found = [...places, ...options].flatMap(({ place, kind, junk, call }) =>
      unrefused(kind, junk, call).map((complaint) => `${place}: ${complaint}`),
    );
    expect(found).toEqual([]);
  });
});

describe("options", () => {
  const optional = Object.entries(FUNCTIONS).filter(([, { options }]) => options !== null);
  /** For every function that takes options, what is wrong with a call; the complaint is empty when all is well. */
  const complaints = (judge: (f: AnyFunction, line: Line) => string[]): string[] =>
    optional.flatMap(([name, line]) => judge(functions[name]!, line).map((found) => `${name}: ${found}`));

  // sum(x, 0) and zeros(3, "float32") are what NumPy's users write first.
  const notOptions: Junk = {
    "0": 0,
    "1": 1,
    float32: "float32",
    true: true,
    "a list": [0],
    "a lazy array": vector,
  };

  test.each(Object.entries(notOptions))("%s is not options", (_, value) => {
    const found = complaints((f, line) => {
      // meshgrid(x, y, 0) is three arrays.
      if (f.name === "meshgrid") return [];
      const outcome = attempt(() => f(...positional(line), value));
      if (!outcome.threw) return [`gave ${describeValue(outcome.value)}`];
      const wrong = fault(outcome.error);
      return wrong === null ? [] : [wrong];
    });
    expect(found).toEqual([]);
  });

  test("an unknown option is refused, with a suggestion", () => {
    const found = complaints((f, line) => {
      const [known] = Object.keys(line.options!);
      const outcome = attempt(() => f(...positional(line), { [`${known}s`]: undefined }));
      if (!outcome.threw) return [`{${known}s} gave ${describeValue(outcome.value)}`];
      const wrong = fault(outcome.error);
      if (wrong !== null) return [wrong];
      return (outcome.error as cw.ChunkwiseError).cure!.includes(known!) ? [] : [String(outcome.error)];
    });
    expect(found).toEqual([]);
  });

  test("a flag is true or false", () => {
    const found = complaints((f, line) => {
      const flags = Object.entries(line.options!).filter(([, { kind }]) => kind === "flag");
      return flags.flatMap(([option]) => {
        const call = (value: unknown): unknown => f(...positional(line), { [option]: value });
        return unrefused("flag", JUNK.flag, call).map((complaint) => `${option}: ${complaint}`);
      });
    });
    expect(found).toEqual([]);
  });

  test("null as options is no raw error", () => {
    const found = complaints((f, line) => {
      const outcome = attempt(() => f(...positional(line), null));
      const wrong = outcome.threw ? fault(outcome.error) : null;
      return wrong === null ? [] : [wrong];
    });
    expect(found).toEqual([]);
  });
});

describe("methods", () => {
  const methods = Object.keys(FUNCTIONS).filter((name) => name in cw.LazyArray.prototype);

  test.each(methods)("%s: the method's error is the function's", (name) => {
    const [first, ...rest] = positional(FUNCTIONS[name]!);
    const args = rest.length === 0 ? [{ axis: 99, k: 0.5, out: 5 }] : [Symbol("nothing"), ...rest.slice(1)];
    const method = (first as { readonly [name: string]: AnyFunction })[name]!;
    const asFunction = attempt(() => functions[name]!(first, ...args));
    const asMethod = attempt(() => method.call(first, ...args));
    expect(asMethod.threw).toBe(asFunction.threw);
    if (asMethod.threw && asFunction.threw) expect(String(asMethod.error)).toBe(String(asFunction.error));
  });
});
