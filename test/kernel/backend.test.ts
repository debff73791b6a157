// Backends (docs/adr/0018): what is handed to a run computes all of it, at once or soon; two memories know nothing of each other;
// results are given back to the backend that computed them.

import { setTimeout } from "node:timers/promises";
import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";
import { wasmBackend } from "../../src/kernel/wasm/backend.ts";
import { ensureBuilt } from "../built.ts";

const LARGE = 40_000;
const numbers = Float64Array.from({ length: LARGE }, (_, i) => Math.sin(i));

/** Hands everything on, a little later. */
function later(inner: cw.Backend, runs: number[] = []): cw.Backend {
  return {
    ...inner,
    ...{ name: "later", isAsync: true, share: () => null },
    compile(program) {
      const kernel = inner.compile(program);
      return {
        async run(blocks, room, threads) {
          runs.push(program.steps.length);
          await setTimeout(1);
          await kernel.run(blocks, room, threads);
        },
      };
    },
  };
}

const BACKENDS: readonly [name: string, make: () => cw.Backend][] = [
  ["wasm", wasmBackend],
  ["reference", () => cw.referenceBackend],
  ["wasm, later", () => later(wasmBackend())],
  ["reference, later", () => later(cw.referenceBackend)],
];

const x = cw.asarray(numbers, { chunks: 3000 });
const a = x.get(":10000").reshape([100, 100]).rechunk([40, 30]);
const EXPRESSIONS: { readonly [name: string]: () => cw.LazyArray } = {
  loops: () => cw.exp(x).multiply(2).subtract(x),
  reductions: () => x.reshape([200, 200]).mean({ axis: 0 }),
  scans: () => cw.cumulativeSum(x),
  sorts: () => cw.sort(a, { axis: 1 }),
  contractions: () => cw.matmul(a.astype("int32"), cw.permuteDims(a, [1, 0]).astype("int32")),
  // Several programs, of which one needs what another has made.
  steps: () => x.subtract(x.mean()).divide(cw.std(x)),
};

describe.each(BACKENDS)("%s", (_, make) => {
  test.each(Object.keys(EXPRESSIONS))("computes %s, to the bit", async (name) => {
    const backend = make();
    // It has a desk from its first small run on.
    await cw.ones([2]).add(1).compute({ backend });
    const before = backend.statistics().places - backend.statistics().kernels;
    const expected = await EXPRESSIONS[name]!().compute({ executor: "inline" });
    const result = await EXPRESSIONS[name]!().compute({ backend });
    expect(result.toList()).toEqual(expected.toList());
    result.dispose();
    // Compiled code stays, blocks do not.
    const { places, kernels } = backend.statistics();
    expect(places - kernels).toBeLessThanOrEqual(before);
  });

  test("reads and writes stores", async () => {
    const store = new cw.MemoryStore();
    const backend = make();
    const stored = await x.add(1).toZarr(store, { backend, chunks: [2000] });
    expect((await stored.sum().compute({ backend })).item()).toBe(
      (await x.add(1).rechunk(2000).sum().compute()).item(),
    );
  });

  test("tells what fails", async () => {
    const zero = cw.asarray(new Int32Array(LARGE), { chunks: 5000 });
    const failing = cw.floorDivide(1, zero).compute({ backend: make() });
    await expect(failing).rejects.toThrow(/integer division by zero/);
  });
});

test("a backend that takes its time has all the kernels of a run, and none at once", async () => {
  const runs: number[] = [];
  const backend = later(cw.referenceBackend, runs);
  await x.add(1).sum().compute({ backend });
  expect(runs.length).toBeGreaterThan(0);
  expect(() => x.add(1).computeSync({ backend })).toThrow(/the backend later does not compute at once/);
});

test("an option that is no backend is told of", () => {
  expect(() => x.computeSync({ backend: {} as cw.Backend })).toThrow(
    /backend is .*an object with compile\(\)/,
  );
});

describe("memories", () => {
  test("a result of one is data from outside to another", async () => {
    const [one, other] = [wasmBackend(), wasmBackend()];
    const first = await x.add(1).compute({ backend: one });
    await cw.ones([2]).add(1).compute({ backend: other });
    const places = other.statistics().places - other.statistics().kernels;
    const second = await cw.asarray(first).multiply(2).compute({ backend: other });
    expect(second.data[7]).toBe((numbers[7]! + 1) * 2);
    expect(other.find(first)?.place).toBeUndefined();
    expect(one.find(first)?.place).toBeDefined();
    expect(other.find(second)?.place).toBeDefined();
    second.dispose();
    expect(other.statistics().places - other.statistics().kernels).toBeLessThanOrEqual(places);
  });

  test("what is disposed of is given back where it was computed, once, and not read again", async () => {
    const backend = wasmBackend();
    const result = await x.add(1).compute({ backend });
    const { data } = result;
    const { places } = backend.statistics();
    new cw.NDArray(data).dispose();
    expect(backend.statistics().places).toBe(places);
    result.dispose();
    result.dispose();
    expect(backend.statistics().places).toBe(places - 1);
    await expect(cw.asarray(data).sum().compute({ backend })).rejects.toThrow(/given back by dispose/);
  });
});

describe("threads", () => {
  beforeAll(ensureBuilt, 120_000);

  test("see the memory of the run's backend, whichever it is", async () => {
    for (const backend of [wasmBackend(), cw.engine.backend, wasmBackend()]) {
      const run = { executor: "threads", threads: 2, backend } as const;
      const result = await cw.sort(a, { axis: 1 }).sum({ axis: 0 }).compute(run);
      expect(result.toList()).toEqual((await cw.sort(a, { axis: 1 }).sum({ axis: 0 }).compute()).toList());
    }
  });

  test("are refused by a backend that shares nothing", async () => {
    const run = x.add(1).sum().compute({ executor: "threads", backend: cw.referenceBackend });
    await expect(run).rejects.toThrow(/the backend reference has no memory that threads can share/);
  });
});
