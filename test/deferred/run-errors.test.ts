// “Errors during execution such as divide by zero are propagated up when execute is called”, and they name the line of
// the operation. Every test has data of its own, so that no expression is shared with another test.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { lineHere } from "./watch.ts";

const ones = (): cw.LazyArray => cw.asarray(new Int32Array([1, 1, 1]));
const ints = (...values: readonly number[]): cw.LazyArray => cw.asarray(new Int32Array(values));

async function failures(x: cw.LazyArray): Promise<cw.RunError[]> {
  const caught: unknown[] = [];
  for (const run of [
    () => x.computeSync(),
    () => x.executeSync(),
    () => cw.computeSync(x),
    () => x.sum().computeSync(),
  ]) {
    try {
      run();
    } catch (error) {
      caught.push(error);
    }
  }
  for (const run of [() => x.compute(), () => x.execute(), () => cw.compute(x)])
    await run().catch((error: unknown) => caught.push(error));
  expect(caught).toHaveLength(7);
  return caught.map((error) => {
    expect(error).toBeInstanceOf(cw.RunError);
    return error as cw.RunError;
  });
}

/** All ways to run it fail alike: typed, with a cure, and with this line. */
async function expectFailure(x: cw.LazyArray, line: string, operation: string, what: RegExp): Promise<void> {
  for (const error of await failures(x)) {
    expect(error.operation).toBe(operation);
    expect(error.what).toMatch(what);
    expect(error.cure).toMatch(/\w/);
    expect(error.line).toMatch(new RegExp(`^${escaped(line)}:\\d+$`));
    expect(error.message.startsWith(operation)).toBe(true);
    expect(error.message).toMatch(`at ${line}:`);
    expect(error.message).toMatch(error.what);
    expect(error.message).toMatch(error.cure!);
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe("each kind of failure, as method, as function and in a template", () => {
  test("integer division by zero", async () => {
    const [x, by] = [ones(), ints(1, 0, 1)];
    const [method, at] = [x.floorDivide(by), lineHere()];
    await expectFailure(method, at, "floorDivide", /division by zero/);
    const [f, there] = [cw.floorDivide(ones(), ints(2, 0, 2)), lineHere()];
    await expectFailure(f, there, "floorDivide", /division by zero/);
    const [template, where] = [cw.expr`${ones()} // ${ints(3, 0, 3)}`, lineHere()];
    await expectFailure(template, where, "floorDivide", /division by zero/);
  });

  test("integer remainder by zero", async () => {
    const [method, at] = [ones().remainder(ints(1, 0, 1)), lineHere()];
    await expectFailure(method, at, "remainder", /division by zero/);
    const [f, there] = [cw.remainder(ones(), 0), lineHere()];
    await expectFailure(f, there, "remainder", /division by zero/);
    const [template, where] = [cw.expr`${ones()} % 0`, lineHere()];
    await expectFailure(template, where, "remainder", /division by zero/);
  });

  test("a negative integer power", async () => {
    const [method, at] = [ones().pow(ints(1, -1, 1)), lineHere()];
    await expectFailure(method, at, "pow", /negative integer power/);
    const [f, there] = [cw.pow(ones(), -2), lineHere()];
    await expectFailure(f, there, "pow", /negative integer power/);
    const [template, where] = [cw.expr`${ones()} ** ${ints(-1, 2, 2)}`, lineHere()];
    await expectFailure(template, where, "pow", /negative integer power/);
  });

  test("a negative shift", async () => {
    const [method, at] = [ones().bitwiseLeftShift(ints(1, -1, 1)), lineHere()];
    await expectFailure(method, at, "bitwiseLeftShift", /negative shift/);
    const [f, there] = [cw.bitwiseRightShift(ones(), -1), lineHere()];
    await expectFailure(f, there, "bitwiseRightShift", /negative shift/);
    const [template, where] = [cw.expr`${ones()} << ${ints(-1, 2, 2)}`, lineHere()];
    await expectFailure(template, where, "bitwiseLeftShift", /negative shift/);
  });

  test("lazy indices out of range", async () => {
    const outside = /index 6 is out of range for axis 0 of length 3/;
    const [method, at] = [ones().take(ones().add(5)), lineHere()];
    await expectFailure(method, at, "gather", outside);
    const [get, there] = [ones().get(ones().add(5)), lineHere()];
    await expectFailure(get, there, "gather", outside);
    const [along, here] = [cw.takeAlongAxis(ones(), ones().add(5)), lineHere()];
    await expectFailure(along, here, "takeAlongAxis", outside);
    const [template, where] = [cw.expr`${ones()}[${ones()} - 9]`, lineHere()];
    await expectFailure(template, where, "gather", /index -8 is out of range for axis 0 of length 3/);
    const [set, then] = [ones().set([ones().add(5)], 7), lineHere()];
    await expectFailure(set, then, "scatter", outside);
  });

  test("of every integer dtype", async () => {
    for (const dtype of ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const) {
      const x = cw.arange(0, 3, 1, { dtype });
      const [divided, at] = [x.floorDivide(x), lineHere()];
      await expectFailure(divided, at, "floorDivide", /division by zero/);
    }
  });
});

describe("the line is that of the operation", () => {
  test("in the middle of a fused chain", async () => {
    const begun = ones().add(1).multiply(2);
    const [failing, at] = [begun.floorDivide(ints(1, 1, 0)), lineHere()];
    const chained = failing.add(3).sqrt().multiply(0.5);
    expect(chained.plan().numOperations).toBe(1);
    const error = (await failures(chained))[0]!;
    expect(error.message).toMatch(`at ${at}:`);
  });

  test("under a reduction, a move, a sort and another chunking", async () => {
    const by = ints(1, 1, 1, 1, 1, 1, 0, 1);
    const [failing, at] = [cw.arange(8).floorDivide(by), lineHere()];
    for (const later of [
      ...[failing.sum(), failing.rechunk(3).max(), failing.flip(), failing.sort(), failing.cumulativeSum()],
      ...[
        failing.reshape([2, 4]).T,
        failing.matmul(failing),
        failing.get("::2"),
        cw.concat([failing, failing]),
      ],
    ])
      expect(() => later.computeSync()).toThrow(`at ${at}:`);
  });

  test("without optimisation", () => {
    const x = ones().add(7);
    const [failing, at] = [x.floorDivide(ints(0, 0, 0)), lineHere()];
    expect(() => failing.add(1).computeSync({ optimize: false })).toThrow(`at ${at}:`);
  });

  test("of two failing operations the one that fails", () => {
    const [fine, never] = [ones().floorDivide(ints(1, 1, 1)), lineHere()];
    const [failing, at] = [fine.remainder(ints(1, 1, 0)), lineHere()];
    expect(() => failing.computeSync()).toThrow(`at ${at}:`);
    expect(() => failing.computeSync()).not.toThrow(`at ${never}:`);
  });

  test("of a template that has several lines: where it is called", () => {
    const at = lineHere().replace(/\d+$/, (line) => String(Number(line) + 1));
    const failing = cw.expr`
      1 + ${ones()}
        % ${ints(1, 0, 0)}`;
    expect(() => failing.computeSync()).toThrow(`at ${at}:`);
  });

  test("is the line of the file as it is written", () => {
    const source = readFileSync(fileURLToPath(import.meta.url), "utf8").split("\n");
    const failing = ones()
      .add(41)
      .floorDivide(ints(1, 2, 0)); // MARK
    const line = 1 + source.findIndex((text) => text.endsWith("// MARK"));
    expect(() => failing.computeSync()).toThrow(`run-errors.test.ts:${line}:`);
  });

  test("when the same expression was written elsewhere before", () => {
    const [x, by] = [ones(), ints(1, 0, 2)];
    const [first, there] = [x.floorDivide(by), lineHere()];
    const [second, here] = [x.floorDivide(by), lineHere()];
    expect(first.expr).toBe(second.expr);
    expect(() => second.computeSync()).toThrow(`at ${here}:`);
    expect(there).not.toBe(here);
  });

  test("or says that it is near, where so many operations were made at once that lines are sampled", () => {
    let deep = ones();
    for (let i = 0; i < 3000; i++) deep = deep.add(1);
    const [failing, at] = [deep.floorDivide(ints(1, 1, 0)), lineHere()];
    const error = ((): cw.RunError => {
      try {
        failing.computeSync();
      } catch (caught) {
        return caught as cw.RunError;
      }
      throw new Error("nothing was thrown");
    })();
    const isExact = error.message.includes(`at ${at}:`);
    expect(isExact || /\b(near|about|around)\b/.test(error.message)).toBe(true);
  });
});

describe("the chunk is that of the failure", () => {
  test("in a chunked array", () => {
    const by = cw.asarray(new Int32Array([1, 1, 1, 1, 1, 0, 1, 1]), { chunks: 2 });
    const failing = cw.arange(8, null, 1, { dtype: "int32", chunks: 2 }).floorDivide(by);
    expect(() => failing.computeSync()).toThrow(/chunk \[2\]/);
    expect(() => failing.reshape([4, 2]).computeSync()).toThrow(/chunk \[2, 0\]/);
  });
});

describe("what is no failure", () => {
  test("floats divide by zero", () => {
    const x = cw.asarray(new Float64Array([1, -1, 0]));
    expect(x.divide(0).computeSync().toList()).toEqual([Infinity, -Infinity, Number.NaN]);
    expect(cw.remainder(x, 0).computeSync().toList()).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(x.pow(-1).computeSync().item(0)).toBe(1);
  });

  test("after a failure the same arrays can be used again", () => {
    const data = new Int32Array([1, 0]);
    const by = cw.asarray(data);
    const divided = cw.asarray(new Int32Array([6, 6])).floorDivide(by);
    expect(() => divided.computeSync()).toThrow(cw.RunError);
    data[1] = 2;
    expect(divided.computeSync().toList()).toEqual([6, 3]);
  });
});
