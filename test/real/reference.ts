// The reference, for programs at real size: the plan of the same expression with the same chunks and budget, computed
// one task after another by the interpreter; and what it means, every node by itself over whole arrays. In: lazy arrays
// on data in memory. Out: their values. Must hold: no kernel, thread, store or codec has a part in it.
// The battery bundles this file with the sources it imports: nothing of it is in the package.

import * as cw from "../../src/index.ts";
import { referenceBackend } from "../../src/kernel/interpret/backend.ts";
import { runPlanSync } from "../../src/runtime/run.ts";
import { functionsOf } from "../../src/runtime/userFunctions.ts";
import { evaluateReference } from "../reference.ts";

export { cw };

/** The bits that every run of these arrays with this plan of theirs must give. */
export async function interpreted(
  arrays: readonly cw.LazyArray[],
  { data, sources }: cw.Plan,
): Promise<cw.NDArray[]> {
  for (const called of functionsOf(data)) await called.load();
  const blocks = runPlanSync({ plan: data, sources, backend: referenceBackend });
  const roots = [...new Set(arrays.map(({ expr }) => expr))];
  return arrays.map(({ expr }) => cw.NDArray.fromBlock(blocks[roots.indexOf(expr)]!));
}

/** What arrays mean, and what decides how far rounding may take other orders of sums from it. */
export interface Meaning {
  readonly values: readonly cw.NDArray[];
  /** The largest finite float of any node: what cancels leaves the rounding of what was there before. */
  readonly largest: number;
  /** Whether any node is rounded to 24 bits, whatever the results are cast to afterwards. */
  readonly isNarrow: boolean;
}

/** What the arrays mean, without rewriting, fusion or chunks: equal to the above but for the rounding of sums. */
export function meant(arrays: readonly cw.LazyArray[]): Meaning {
  const blocks = evaluateReference(arrays.map(({ expr }) => expr));
  const floats = [...blocks.values()].filter(({ dtype }) => /float|complex/.test(dtype));
  return {
    values: arrays.map(({ expr }) => cw.NDArray.fromBlock(blocks.get(expr)!)),
    largest: floats.reduce((most, block) => Math.max(most, largestIn(cw.NDArray.fromBlock(block))), 0),
    isNarrow: floats.some(({ dtype }) => dtype === "float32" || dtype === "complex64"),
  };
}

function largestIn({ data }: cw.NDArray): number {
  let most = 0;
  for (const value of data as Float64Array)
    if (Number.isFinite(value) && Math.abs(value) > most) most = Math.abs(value);
  return most;
}
