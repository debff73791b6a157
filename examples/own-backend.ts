// A backend of your own: it compiles block programs, runs them, and has the memory that their blocks lie in. These two hand
// everything on to another, the first to see what is run, the second to compute elsewhere, as a graphics card would.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import * as cw from "chunkwise";

// What a backend does not do itself, the one below it does.
const counts = new Map<string, number>();
const counting: cw.Backend = {
  ...cw.engine.backend,
  name: "counting",
  // Task threads have backends of their own: whoever wants to see all kernels keeps them here.
  share: () => null,
  compile(program) {
    const kernel = cw.engine.backend.compile(program);
    return {
      run(blocks, room, threads) {
        for (const { kind } of program.steps) counts.set(kind, (counts.get(kind) ?? 0) + 1);
        return kernel.run(blocks, room, threads);
      },
    };
  },
};

const x = cw.arange(0, 1000, 1, { dtype: "float64", chunks: 250 });
const y = x.multiply(2).add(1).sum();
console.log((await y.compute({ backend: counting })).item(), Object.fromEntries(counts));
console.log("memory is the other's:", counting.statistics().bytes === cw.engine.backend.statistics().bytes);

// Kernels may take their time. The interpreter has no memory: blocks are ordinary arrays.
const slow: cw.Backend = {
  ...cw.referenceBackend,
  name: "slow",
  isAsync: true,
  compile(program) {
    const kernel = cw.referenceBackend.compile(program);
    return {
      async run(blocks, room) {
        await setTimeout(1);
        await kernel.run(blocks, room);
      },
    };
  },
};
assert.equal((await y.compute({ backend: slow })).item(), 1e6);

// Then nothing can be computed at once.
try {
  y.computeSync({ backend: slow });
} catch (error) {
  assert.ok(error instanceof cw.ValueError);
  console.log(error.message);
}
