// What is neither a function of arrays nor a selection: constructors, compute, plan, expr, output names, options
// from JSON, and JavaScript's operators.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { attempt, endlessList, expectMistake, fault, mistake, wrong } from "./check.ts";

const vector = cw.asarray(new Float64Array([1, 2, 3]));
const matrix = cw.reshape(vector, [1, 3]);
const NOT_ARRAYS: readonly unknown[] = [
  undefined,
  null,
  "abc",
  {},
  () => 1,
  Symbol("s"),
  new Date(0),
  new Map(),
];

describe("LazyArray's constructor", () => {
  test("what cannot be wrapped", () => {
    for (const value of [...NOT_ARRAYS, new DataView(new ArrayBuffer(8)), new ArrayBuffer(8)])
      expectMistake(() => new cw.LazyArray(wrong(value)), cw.DTypeError, "is not an array");
  });

  test("the cure never recommends what was passed", () => {
    for (const [value, word] of [
      [5, "number"],
      [vector, "a LazyArray"],
    ] as const) {
      const outcome = attempt(() => new cw.LazyArray(wrong(value)));
      if (outcome.threw) expect((outcome.error as cw.ChunkwiseError).cure).not.toMatch(word);
      else expect(outcome.value).toBeInstanceOf(cw.LazyArray);
    }
  });
});

test("an array of another library is not taken for options", () => {
  const foreign = { data: new Float64Array(3), shape: [3], stride: [1] };
  expectMistake(() => cw.abs(wrong(foreign)), cw.DTypeError, "abs", "is not an array");
  expectMistake(() => cw.add(vector, wrong(foreign)), cw.DTypeError, "add", "is not an array");
  expectMistake(() => cw.sum(wrong(foreign)), cw.DTypeError, "sum", "is not an array");
});

describe("lists", () => {
  test("that contain themselves", () => {
    expectMistake(() => cw.asarray(wrong(endlessList())), cw.ShapeError, "deeper", "itself");
    const second: unknown[] = [1];
    second.push(second);
    expectMistake(() => cw.asarray(wrong(second)), cw.ShapeError, "[1]");
    const wide: unknown[] = [];
    wide.push(wide, wide, wide);
    expectMistake(() => cw.asarray(wrong(wide)), cw.ShapeError, "itself");
  });

  test("with holes: the place is named, nothing moves up", () => {
    const hole: number[] = new Array(3);
    hole[1] = 7;
    expectMistake(() => cw.asarray(hole), cw.DTypeError, "[0]", "undefined");
    expectMistake(() => cw.asarray([[1, 2], new Array(2)]), cw.DTypeError, "[1, 0]", "undefined");
    expectMistake(() => cw.asarray(new Array(2)), cw.DTypeError, "[0]");
    expectMistake(() => vector.add(hole), cw.DTypeError, "[0]", "undefined");
  });

  test("of arrays: the cure is stack", () => {
    for (const list of [
      [new Float64Array(2), new Float64Array(2)],
      [vector, vector],
      [vector.computeSync()],
    ]) {
      const error = mistake(() => cw.asarray(wrong(list)));
      expect(error).toBeInstanceOf(cw.DTypeError);
      expect(error.message).toMatch("[0]");
      expect(error.cure).toMatch("stack");
    }
  });

  test("that are ragged: the place is named", () => {
    expectMistake(() => cw.asarray([[1, 2], [3]]), cw.ShapeError, "[1] has 1");
    expectMistake(
      () =>
        cw.asarray([
          [[1], [2]],
          [[3], []],
        ]),
      cw.ShapeError,
      "[1, 1] has 0",
    );
    expectMistake(() => cw.asarray([[1], 2]), cw.ShapeError, "[1] is 2");
    expectMistake(() => cw.asarray([1, [2]]), cw.ShapeError, "[1] is a list of 1");
    expectMistake(() => cw.asarray([[], [1]]), cw.ShapeError, "[1] has 1");
  });

  test("with things that are no numbers: the place is named", () => {
    for (const value of ["2", null, undefined, {}, Symbol("s"), new Date(0), () => 1])
      expectMistake(
        () =>
          cw.asarray(
            wrong([
              [1, 2],
              [3, value],
            ]),
          ),
        cw.DTypeError,
        "[1, 1]",
      );
  });
});

describe("NDArray's constructor", () => {
  const data = new Float64Array(6);

  test("data, shape, dtype, strides and offset that do not belong together", () => {
    const make = (...args: readonly unknown[]): unknown =>
      new cw.NDArray(wrong(args[0]), wrong(args[1]), wrong(args[2]), wrong(args[3]), wrong(args[4]));
    for (const bad of [...NOT_ARRAYS, [1, 2, 3], new Float32Array(6), new DataView(new ArrayBuffer(48))])
      expectMistake(() => make(bad, [6], "float64"), cw.ChunkwiseError);
    for (const bad of NOT_ARRAYS) expectMistake(() => make(bad), cw.ChunkwiseError);
    for (const bad of [[7], [-1], [1.5], ["6"], [Number.NaN], "6", 6, {}, null, [2, Symbol("s")], [6n]])
      expectMistake(() => make(data, bad, "float64"), cw.ShapeError);
    for (const bad of ["float63", "__proto__", "constructor", "toString", "", 5, {}, null, Symbol("s")])
      expectMistake(() => make(data, [6], bad), cw.DTypeError);
    for (const bad of [[2], [1, 1], [], [0.5], ["1"], null, {}, 5, [Number.NaN]])
      expectMistake(() => make(data, [6], "float64", bad), cw.ShapeError);
    for (const bad of [1, -1, 0.5, "0", Number.NaN, null, {}, 0n])
      expectMistake(() => make(data, [6], "float64", [1], bad), cw.ShapeError);
  });

  test("item", () => {
    const array = matrix.computeSync();
    expectMistake(() => array.item(), cw.IndexError, "2 indices", "[1, 3]");
    expectMistake(() => array.item(0), cw.IndexError, "2 indices", "not 1");
    for (const index of [3, -4, 1.5, Number.NaN, "0", null, undefined, 0n])
      expectMistake(() => array.item(0, wrong(index)), cw.IndexError, "axis 1 of length 3");
  });
});

describe("compute, plan", () => {
  test("of what is not lazy", async () => {
    for (const value of [...NOT_ARRAYS, 5, vector.computeSync(), [[vector]]]) {
      expectMistake(() => cw.computeSync(wrong(value)), cw.ValueError, "is not a lazy array");
      expectMistake(() => cw.computeSync(vector, wrong(value)), cw.ValueError, "is not a lazy array");
      expectMistake(() => cw.plan(wrong(value)), cw.ValueError, "is not a lazy array");
      expectMistake(() => cw.plan([vector, wrong(value)]), cw.ValueError, "is not a lazy array");
      await expect(cw.compute(wrong(value))).rejects.toBeInstanceOf(cw.ValueError);
      await expect(cw.compute([vector, wrong(value)])).rejects.toBeInstanceOf(cw.ValueError);
    }
  });

  test("a list with holes", () => {
    expectMistake(() => cw.computeSync(new Array(2)), cw.ValueError, "undefined");
    expectMistake(() => cw.plan(new Array(2)), cw.ValueError, "undefined");
  });

  test("nothing to compute is nothing, not a failure", async () => {
    expect(cw.computeSync()).toEqual([]);
    expect(await cw.compute([])).toEqual([]);
  });

  test("options that are none", async () => {
    for (const options of [5, "fast", true, [1], new AbortController().signal]) {
      expectMistake(() => vector.computeSync(wrong(options)), cw.ValueError, "computeSync");
      expectMistake(() => vector.executeSync(wrong(options)), cw.ValueError, "executeSync");
      expectMistake(() => vector.plan(wrong(options)), cw.ValueError, "plan");
      expectMistake(() => cw.computeSync([vector], wrong(options)), cw.ValueError, "computeSync");
      await expect(vector.compute(wrong(options))).rejects.toBeInstanceOf(cw.ValueError);
      await expect(vector.execute(wrong(options))).rejects.toBeInstanceOf(cw.ValueError);
    }
  });

  test("null as options is no raw error", async () => {
    const outcome = attempt(() => vector.computeSync(wrong(null)));
    expect(outcome.threw ? fault(outcome.error) : null).toBeNull();
    const caught: unknown = await vector.compute(wrong(null)).catch((error: unknown) => error);
    expect(caught instanceof cw.NDArray ? null : fault(caught)).toBeNull();
  });

  test("a mistyped option", async () => {
    expectMistake(
      () => vector.computeSync(wrong({ onEvents: () => {} })),
      cw.ValueError,
      "onEvents",
      "onEvent",
    );
    expectMistake(() => vector.plan(wrong({ optimise: false })), cw.ValueError, "optimise", "optimize");
    await expect(vector.compute(wrong({ singal: null }))).rejects.toBeInstanceOf(cw.ValueError);
  });

  test("onEvent that is no function", async () => {
    for (const onEvent of [5, "log", {}, []]) {
      expectMistake(() => vector.computeSync({ onEvent: wrong(onEvent) }), cw.ValueError, "onEvent");
      await expect(vector.compute({ onEvent: wrong(onEvent) })).rejects.toBeInstanceOf(cw.ValueError);
    }
  });

  test("the controller in place of its signal", async () => {
    for (const signal of [new AbortController(), {}, 5, "stop"]) {
      const caught: unknown = await vector
        .compute({ signal: wrong(signal) })
        .catch((error: unknown) => error);
      expect(fault(caught)).toBeNull();
      expect(caught).toBeInstanceOf(cw.ValueError);
      expect((caught as cw.ValueError).message).toMatch("signal");
    }
  });
});

describe("expr", () => {
  const call = cw.expr as unknown as (...args: readonly unknown[]) => unknown;

  test("called as a function", () => {
    for (const text of ["x + 1", undefined, null, 5, {}, ["x"], Symbol("s")])
      expectMistake(() => call(text), cw.ChunkwiseError, "expr", "`");
  });

  test("holes that are no arrays", () => {
    for (const value of NOT_ARRAYS) {
      expectMistake(() => cw.expr`${wrong(value)} + 1`, cw.DTypeError, "is not an array");
      expectMistake(() => cw.expr`sin(${wrong(value)})`, cw.DTypeError, "is not an array");
      expectMistake(() => cw.expr`${wrong(value)}`, cw.ChunkwiseError);
    }
  });

  test("the function inside is named", () => {
    expectMistake(() => cw.expr`1 + sum(${matrix}, axis=5)`, cw.AxisError, "sum", "axis 5");
    expectMistake(() => cw.expr`${matrix} + ${cw.zeros([4])}`, cw.ShapeError, "add", "[1, 3]", "[4]");
  });

  test("a mistyped keyword", () => {
    expectMistake(() => cw.expr`sum(${matrix}, axes=0)`, cw.ChunkwiseError, "axes", "axis");
    expectMistake(() => cw.expr`sum(${matrix}, 0)`, cw.ChunkwiseError, "0");
  });

  test("keywords are options, whichever optional arguments are left out before them", () => {
    expect(cw.expr`eye(2, k=1)`.computeSync().toList()).toEqual(
      cw.eye(2, null, { k: 1 }).computeSync().toList(),
    );
    expect(cw.expr`arange(3, dtype="int8")`.dtype).toBe("int8");
    expect(cw.expr`clip(${vector}, 2)`.computeSync().toList()).toEqual([2, 2, 3]);
  });

  test("indices that are not whole", () => {
    expectMistake(() => cw.expr`${vector}[1.5]`, cw.ExprSyntaxError, "1.5");
    expectMistake(() => cw.expr`${vector}[${wrong(Number.NaN)}]`, cw.ExprSyntaxError, "NaN");
  });
});

describe("output names", () => {
  test.each([
    "result",
    "__proto__",
    "constructor",
    "prototype",
    "then",
    "",
    "5",
    "a b",
    "a-b",
    "é",
    " a",
    "a\n",
  ])("%j", (name) =>
    expectMistake(() => vector.add(1).output(name), cw.ValueError, JSON.stringify(name), "scaled"),
  );
  test.each([5, null, {}, Symbol("s"), ["a"], true])("%s", (name) => {
    expectMistake(() => vector.add(2).output(wrong(name)), cw.ValueError, "output");
  });

  test("two stages of one name, when it is executed", async () => {
    const twice = vector.add(3).output("same").multiply(2).output("same").add(1);
    expectMistake(() => twice.executeSync(), cw.ValueError, '"same"');
    await expect(twice.execute()).rejects.toBeInstanceOf(cw.ValueError);
  });
});

describe("options from JSON", () => {
  test("keys that reach for prototypes have no effect", () => {
    const evil: unknown = JSON.parse(
      '{"__proto__": {"axis": 5, "keepdims": true, "dtype": "int8", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    );
    for (const call of [
      () => cw.sum(matrix, wrong(evil)),
      () => matrix.sum(wrong(evil)),
      () => cw.zeros([], wrong(evil)),
      () => cw.add(cw.sum(matrix), 0, wrong(evil)),
      () => cw.expr`sum(${matrix}, __proto__=${wrong(evil)})`,
    ]) {
      const outcome = attempt(call);
      if (outcome.threw) expect(fault(outcome.error)).toBeNull();
      else expect(outcome.value).toMatchObject({ dtype: "float64", shape: [] });
    }
    expect(Object.prototype).not.toHaveProperty("polluted");
    expect(Object.prototype).not.toHaveProperty("axis");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("an inherited option does not count", () => {
    const inherited: unknown = Object.create({ axis: 5 });
    const outcome = attempt(() => cw.sum(matrix, wrong(inherited)));
    if (outcome.threw) expect(fault(outcome.error)).toBeNull();
    else expect(outcome.value).toMatchObject({ shape: [] });
  });
});

describe("JavaScript's operators", () => {
  // x * 2 would be NaN and x + 1 a text: wrong numbers without a word. TypeScript forbids it, JavaScript does not.
  test.each<[string, (x: number) => unknown]>([
    ["x * 2", (x) => x * 2],
    ["x + 1", (x) => x + 1],
    ["-x", (x) => -x],
    ["x < 1", (x) => x < 1],
    ["Math.sqrt(x)", (x) => Math.sqrt(x)],
  ])("%s", (_, operate) => {
    const outcome = attempt(() => operate(wrong(vector)));
    const error = outcome.threw ? outcome.error : `gave ${String(outcome.value)}`;
    expect(error).toBeInstanceOf(cw.ChunkwiseError);
    expect((error as cw.ChunkwiseError).cure).toMatch("expr");
  });
});

describe("surroundings that are not what they were", () => {
  // Arrays in memory are not copied, so their memory can be taken away: a postMessage with a transfer list does it.
  test("data whose buffer was transferred away is no row of NaN", async () => {
    const data = new Float64Array([1, 2, 3]);
    const x = cw.asarray(data).add(1);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    expect(data).toHaveLength(0);
    expect(attempt(() => x.computeSync())).toMatchObject({ threw: true });
    await expect(x.compute()).rejects.toBeInstanceOf(cw.RunError);
  });

  test("a frozen Error.stackTraceLimit costs lines, not the computation", () => {
    const limit = Error.stackTraceLimit;
    Object.defineProperty(Error, "stackTraceLimit", { value: limit, writable: false, configurable: true });
    try {
      expect(cw.zeros([2]).add(41).computeSync().toList()).toEqual([41, 41]);
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", { value: limit, writable: true, configurable: true });
    }
  });
});
