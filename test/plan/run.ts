// Runs a plan task by task with the reference interpreter, on whole arrays. In: a plan whose sources are in memory.
// Out: the results. Nothing of the runtime is used, so that what is tested is the plan.

import { type Block, newBlock, subBlock } from "../../src/core/block.ts";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import { denseOf } from "../../src/expr/op.ts";
import { interpret } from "../../src/kernel/interpret/index.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import type { Plan } from "../../src/plan/index.ts";

export function runPlain({ data, sources }: Plan): Block[] {
  const arrays = new Map(data.arrays.map((array) => [array.name, array]));
  const blocks = new Map<string, Block>();
  for (const [name, source] of sources) blocks.set(name, (source as unknown as { block: Block }).block);
  for (const operation of data.operations) {
    for (const { array } of operation.outputs) {
      const { dtype, shape } = denseOf(arrays.get(array)!);
      blocks.set(array, newBlock(dtype, shape));
    }
    for (let task = 0; task < sizeOf(operation.grid); task++) {
      const { program, reads, writes } = compileTask(operation, arrays, placeOf(task, operation.grid));
      const bound: Block[] = [];
      for (const { array, box, buffer } of [...reads, ...writes])
        bound[buffer] = subBlock(blocks.get(array)!, box.start, box.shape);
      interpret(program, bound);
    }
  }
  return data.results.map((name) => blocks.get(name)!);
}
