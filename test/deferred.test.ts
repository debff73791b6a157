// The deferred-execution proposal, sentence by sentence. Each test quotes the sentence that it shows; the rest is in
// deferred/ (types, errors at definition, errors of a run, cancellation).

import { inspect } from "node:util";
import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { log, operationsWith, watched } from "./deferred/watch.ts";

describe("“the constructor would take an ndarray and wrap it”", () => {
  test("a typed array: nothing is copied", () => {
    const data = new Float64Array([1, 2, 3]);
    const x = new cw.LazyArray(data);
    expect(x).toMatchObject({ dtype: "float64", shape: [3], chunks: [3] });
    data[0] = 100;
    expect(x.computeSync().toList()).toEqual([100, 2, 3]);
  });

  test("an NDArray: nothing is copied, strides are kept", () => {
    const data = new Int32Array([1, 2, 3, 4, 5, 6]);
    const transposed = new cw.NDArray(data, [3, 2], "int32", [1, 3]);
    const x = new cw.LazyArray(transposed);
    data[3] = 40;
    expect(x.computeSync().toList()).toEqual([
      [1, 40],
      [2, 5],
      [3, 6],
    ]);
  });

  test("a part of a buffer, and every kind of typed array", () => {
    const buffer = new ArrayBuffer(64);
    new Float32Array(buffer, 16, 3).set([1, 2, 3]);
    expect(new cw.LazyArray(new Float32Array(buffer, 16, 3)).computeSync().toList()).toEqual([1, 2, 3]);
    for (const [data, dtype] of [
      [new Int8Array(1), "int8"],
      [new Uint8Array(1), "uint8"],
      [new Int16Array(1), "int16"],
      [new Uint16Array(1), "uint16"],
      [new Int32Array(1), "int32"],
      [new Uint32Array(1), "uint32"],
      [new BigInt64Array(1), "int64"],
      [new BigUint64Array(1), "uint64"],
      [new Float32Array(1), "float32"],
      [new Float64Array(1), "float64"],
    ] as const)
      expect(new cw.LazyArray(data).dtype).toBe(dtype);
  });

  test("a nested list: it has to be read, so it is read at once", () => {
    const list = [
      [1, 2],
      [3, 4],
    ];
    const x = new cw.LazyArray(list);
    list[0]![0] = 100;
    expect(x.computeSync().toList()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("wrapping reads no element", () => {
    const { array, touches } = watched([1, 2, 3]);
    const x = new cw.LazyArray(array);
    expect(x.shape).toEqual([3]);
    expect(touches()).toBe(0);
    expect(x.computeSync().toList()).toEqual([1, 2, 3]);
    expect(touches()).toBeGreaterThan(0);
  });
});

describe("“created the first operation — no calculations are performed”", () => {
  test("building an expression reads no data", () => {
    const { array, touches } = watched([4, 1, 3, 2]);
    const x = new cw.LazyArray(array);
    const square = x.reshape([2, 2]);
    const mask = x.greater(2);
    const built: readonly cw.LazyArray[] = [
      ...[x.add(1), cw.divide(x, 180), cw.expr`(${x} * 2 + 1) / ${x}`, x.sqrt(), cw.where(mask, x, 0)],
      ...[x.sum(), x.mean(), x.std(), x.argmax(), x.cumulativeSum(), x.sort(), x.argsort(), x.diff()],
      ...[square.T, square.matmul(square), square.sum({ axis: 0 }), x.get("1:3"), x.get([0, 1]), x.set(0, 9)],
      ...[x.flip(), x.roll(1), x.repeat(2), x.tile(2), x.pad(1), cw.concat([x, x]), cw.stack([x, x])],
      ...[x.astype("int32"), x.rechunk(2), cw.searchsorted(x, x), cw.isin(x, x), x.clip(1, 2)],
    ];
    for (const stage of built) {
      expect(stage).toBeInstanceOf(cw.LazyArray);
      expect(stage.chunks).toHaveLength(stage.ndim);
      expect(String(stage)).toMatch(/^LazyArray /);
      stage.plan().toString();
    }
    expect(touches()).toBe(0);
  });

  test("data that changes after the operations were made shows in the result", () => {
    const data = new Float64Array([1, 2, 3, 4]);
    const x = new cw.LazyArray(data);
    const result = cw.expr`sum((${x} * 2 + 1)[1:]) + max(sort(${x}))`;
    data.set([10, 20, 30, 40]);
    expect(result.computeSync().item()).toBe(41 + 61 + 81 + 40);
  });

  test("an operation that must fail when it runs is made without a word", () => {
    const x = new cw.LazyArray(new Int32Array([1, 2]));
    expect(() => x.floorDivide(0).add(1).plan().toString()).not.toThrow();
  });
});

describe("“the returned object has references to the inputs and operations”", () => {
  test("every operation gives a new array and leaves the old one as it was", () => {
    const x = new cw.LazyArray(new Float64Array([1, 2]));
    const y = x.add(1);
    expect(Object.is(y, x)).toBe(false);
    expect(y.expr.inputs[0]).toBe(x.expr);
    expect(x.computeSync().toList()).toEqual([1, 2]);
  });

  // To mark the result of an operation must not mark what it was made from, even where both have the same elements.
  test.each<[string, (x: cw.LazyArray) => cw.LazyArray]>([
    ["astype to its own dtype", (x) => x.astype("float64")],
    ["reshape to its own shape", (x) => x.reshape([2, 3])],
    ["get of nothing", (x) => x.get()],
    ["get of everything", (x) => x.get("...")],
    ["get of a whole axis", (x) => x.get(":")],
    ["broadcastTo its own shape", (x) => x.broadcastTo([2, 3])],
    ["broadcastArrays of equal shapes", (x) => cw.broadcastArrays(x, x)[0]!],
    ["roll by nothing", (x) => x.roll(0, { axis: 0 })],
    ["diff, no times", (x) => x.diff({ n: 0 })],
    ["flip of no axis", (x) => x.flip({ axis: [] })],
    ["squeeze of no axis", (x) => x.squeeze([])],
    ["rechunk to its own chunks", (x) => x.rechunk(x.chunks)],
    ["clip without bounds", (x) => x.clip()],
    ["concat of one", (x) => cw.concat([x])],
    ["positive", (x) => x.positive()],
    ["an expression of one hole", (x) => cw.expr`${x}`],
  ])("%s: a new array all the same", (_, operate) => {
    const x = new cw.LazyArray(new Float64Array(6)).add(1).reshape([2, 3]);
    const same = operate(x);
    same.output("same");
    expect([...same.outputs.keys()]).toEqual(["same"]);
    expect([...x.outputs.keys()]).toEqual([]);
    expect(Object.is(same, x)).toBe(false);
  });
});

describe("“execute(): returns the result of all operations as an ndarray, or a namedtuple”", () => {
  test("foo: degrees to radians, and the sum of squares", async () => {
    async function foo(arr: Float64Array): Promise<cw.NDArray> {
      const deferred = new cw.LazyArray(arr);
      const scaled = deferred.multiply(cw.pi).divide(180);
      const sumSquare = cw.sum(cw.square(scaled));
      return await sumSquare.execute();
    }
    const arr = new Float64Array([0, 30, 90, 180]);
    const result = await foo(arr);
    expect(result).toBeInstanceOf(cw.NDArray);
    expect(result).toMatchObject({ shape: [], dtype: "float64" });
    const expected = [...arr].map((x) => ((x * Math.PI) / 180) ** 2).reduce((a, b) => a + b);
    expect(result.item()).toBeCloseTo(expected, 13);
  });

  test("bar: the record has output_0 = arr + 1 and result = arr + 2", async () => {
    async function bar(arr: Float64Array): Promise<unknown> {
      const plus1 = new cw.LazyArray(arr).add(1);
      plus1.output();
      const plus2 = plus1.add(1);
      return await plus2.execute();
    }
    const result = (await bar(new Float64Array([1, 2]))) as { readonly [name: string]: cw.NDArray };
    expect(Object.keys(result)).toEqual(["output_0", "result"]);
    expect(result["output_0"]!.toList()).toEqual([2, 3]);
    expect(result["result"]!.toList()).toEqual([3, 4]);
  });

  test("without outputs it is the array alone, and executeSync is the same", async () => {
    const x = new cw.LazyArray(new Float64Array([1, 2])).add(1);
    expect(await x.execute()).toBeInstanceOf(cw.NDArray);
    expect(x.executeSync().toList()).toEqual([2, 3]);
    const marked = x.output("one").add(1);
    expect(marked.executeSync().one.toList()).toEqual([2, 3]);
    expect((await marked.execute()).result.toList()).toEqual([3, 4]);
  });

  test("compute() computes the array alone, marked or not", async () => {
    const x = new cw.LazyArray(new Float64Array([1])).add(1).output("one").add(1);
    expect((await x.compute()).toList()).toEqual([3]);
  });
});

describe("“output(name=None): can be called after any operation”", () => {
  const source = (): cw.LazyArray => new cw.LazyArray(new Float64Array([1, 2]));

  test("“default is 'output_{}'.format(index)”, “in order of persist calls, last being the final result”", async () => {
    const a = source().add(1).output();
    const b = a.add(1).output();
    const c = b.add(1).output();
    const result = await c.add(1).execute();
    expect(Object.keys(result)).toEqual(["output_0", "output_1", "output_2", "result"]);
    expect(result.output_0!.toList()).toEqual([2, 3]);
    expect(result.output_2!.toList()).toEqual([4, 5]);
  });

  test("the order is that of the calls, not of the stages", () => {
    const a = source().add(1);
    const b = a.add(1);
    b.output();
    a.output();
    const result = b.add(1).executeSync() as unknown as { readonly [name: string]: cw.NDArray };
    expect(Object.keys(result)).toEqual(["output_0", "output_1", "result"]);
    expect(result["output_0"]!.toList()).toEqual([3, 4]);
    expect(result["output_1"]!.toList()).toEqual([2, 3]);
  });

  test("also when it is called after the later stage was built", () => {
    const a = source().add(1);
    const last = a.multiply(2).sum();
    expect(last.executeSync()).toBeInstanceOf(cw.NDArray);
    a.output("late");
    const result = last.executeSync() as unknown as {
      readonly late: cw.NDArray;
      readonly result: cw.NDArray;
    };
    expect(result.late.toList()).toEqual([2, 3]);
    expect(result.result.item()).toBe(10);
  });

  test("names, and defaults beside them", () => {
    const result = source().add(1).output("scaled").add(1).output().add(1).output("third").executeSync();
    expect(Object.keys(result)).toEqual(["scaled", "output_1", "third", "result"]);
    expect(result.third.toList()).toEqual(result.result.toList());
  });

  test("stages on several ways into one result", () => {
    const left = source().add(1).output("left");
    const right = source().multiply(10).output("right");
    const result = left.add(right).executeSync();
    expect(result.left.toList()).toEqual([2, 3]);
    expect(result.right.toList()).toEqual([10, 20]);
    expect(result.result.toList()).toEqual([12, 23]);
  });

  test("a stage of another computation is not returned, though its expression is shared", () => {
    const x = source();
    x.add(1).output("mine");
    expect(x.add(1).add(1).executeSync()).toBeInstanceOf(cw.NDArray);
  });

  test("a stage that is marked twice has both names", () => {
    const result = source().add(1).output("a").output("b").add(1).executeSync();
    expect(Object.keys(result)).toEqual(["a", "b", "result"]);
    expect(result.b.toList()).toEqual([2, 3]);
  });

  test("a name of Object.prototype is an output like any other", () => {
    const result = source().add(1).output("toString").add(1).executeSync();
    expect(result.toString.toList()).toEqual([2, 3]);
  });

  test("through every kind of operation: the stage comes back from the far end", () => {
    const marked = source().add(1).output("stage");
    for (const last of [
      ...[marked.sum(), marked.get(0), marked.set(":", marked), cw.concat([marked, marked]), marked.sort()],
      ...[marked.take([0]), cw.where(marked.greater(0), 1, 2), marked.clip(0, marked), cw.stack([marked])],
      ...[cw.matmul(marked, marked), cw.isin(1, marked), cw.searchsorted(marked, 1), marked.astype("int8")],
      ...[marked.cumulativeSum({ includeInitial: true }), marked.diff({ prepend: marked }), marked.tile(2)],
      ...[cw.meshgrid(marked)[0]!, cw.unstack(marked)[0]!, cw.expr`sqrt(${marked})`, marked.var(), marked.T],
      ...[
        cw.take(source(), marked.astype("int64").subtract(2)),
        source().set(0, marked.get(0)),
        marked.any(),
      ],
    ])
      expect([...last.outputs.keys()]).toEqual(["stage"]);
  });
});

describe("“allows for optimization over the largest possible number of operations”", () => {
  const chunked = (): cw.LazyArray => cw.asarray(new Float64Array(64).fill(2), { chunks: 16 });

  test("one execution is one run of one plan", () => {
    const { onEvent, count, events } = log();
    const x = chunked().sqrt().output("root");
    x.square().sum().executeSync({ onEvent });
    expect(count("computeStart")).toBe(1);
    expect(count("computeEnd")).toBe(1);
    expect(events[0]!.type).toBe("computeStart");
    expect(events.at(-1)!.type).toBe("computeEnd");
  });

  test("what an output and the result share is computed once", () => {
    const { onEvent, tasksOf } = log();
    const root = chunked().sqrt().output("root");
    const last = root.square().add(1);
    const plan = cw.plan([root, last]);
    last.executeSync({ onEvent });
    expect(tasksOf(operationsWith(plan, "sqrt"))).toBe(4);
  });

  test("compute(a, b, c) shares their work", () => {
    const shared = chunked().sin();
    const arrays = [shared.add(1), shared.multiply(2).sum(), shared.sort()] as const;
    const together = log();
    cw.computeSync(arrays, { onEvent: together.onEvent });
    expect(together.tasksOf(operationsWith(cw.plan(arrays), "sin"))).toBe(4);
    expect(together.count("computeStart")).toBe(1);
    let apart = 0;
    for (const array of arrays) {
      const one = log();
      array.computeSync({ onEvent: one.onEvent });
      apart += one.tasksOf(operationsWith(array.plan(), "sin"));
    }
    expect(apart).toBeGreaterThan(4);
  });

  test("equal expressions are one, however often they are written", () => {
    const { array, touches } = watched([1, 2, 3, 4]);
    const x = new cw.LazyArray(array);
    expect(cw.computeSync(x.exp().add(1), x.exp().multiply(2)).map((y) => y.size)).toEqual([4, 4]);
    const both = touches();
    cw.computeSync(x.exp().add(1));
    expect(touches() - both).toBeLessThanOrEqual(both);
    expect(operationsWith(cw.plan([x.exp().add(1), x.exp().multiply(2)]), "exp")).toHaveLength(1);
  });

  test("a chain is fused: its intermediates are not stored, unless one is an output", () => {
    const plain = chunked().add(1).multiply(2).sqrt();
    expect(plain.plan().numOperations).toBe(1);
    const { onEvent, bytesRead } = log();
    plain.computeSync({ onEvent });
    expect(bytesRead()).toBe(64 * 8);
  });

  test("results do not depend on what else is asked for", async () => {
    const x = chunked().cumulativeSum();
    const outputs = x.output("total").divide(3);
    const together = outputs.executeSync();
    const [total, third] = await cw.compute(x, outputs);
    expect(together.total.toList()).toEqual(total.toList());
    expect(together.result.toList()).toEqual(third.toList());
  });
});

describe("“Calling print … would not trigger an execution”", () => {
  test("String(x), templates, inspect and console show dtype, shape, chunks and operations", () => {
    const { array, touches } = watched([1, 2, 3, 4]);
    const x = new cw.LazyArray(array).rechunk(2).add(1).floorDivide(0).sum();
    for (const text of [String(x), `${x}`, inspect(x), inspect({ x }), x.toString()]) {
      expect(text).toMatch("LazyArray float64 []");
      for (const word of ["data", "rechunk", "add", "floorDivide", "sum", "float64 [4]", "chunks [2]"])
        expect(text).toMatch(word);
    }
    expect(touches()).toBe(0);
  });

  test("a plan prints without running, too", () => {
    const { array, touches } = watched([1, 2, 3, 4]);
    const plan = new cw.LazyArray(array).rechunk(2).add(1).sum().plan();
    expect(`${plan}\n${inspect(plan)}`).toMatch("add");
    expect(plan.numTasks).toBeGreaterThan(0);
    expect(plan.maxProjectedMem).toBeGreaterThan(0);
    expect(touches()).toBe(0);
  });
});

describe("“DeferredExecution is not a subclass of ndarray”", () => {
  test("a LazyArray is no NDArray and has none of its data", () => {
    const x = new cw.LazyArray(new Float64Array(2));
    expect(x).not.toBeInstanceOf(cw.NDArray);
    expect(Object.getPrototypeOf(cw.LazyArray.prototype)).toBe(Object.prototype);
    for (const field of ["data", "strides", "offset", "item", "toList"]) expect(field in x).toBe(false);
  });
});
