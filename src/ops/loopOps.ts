// Loops and conditions: calls of a body that is planned once (runtime/loopBody.ts), of whole arrays. Their results are those of
// any call of a function: one, or several in a row of bytes that blockOutput takes apart. attrs.function: the body.

import type { RoutineOp } from "../expr/op.ts";
import { mapBlocks, mapBlocksAll } from "./mapBlocks.ts";

/** A loop with one result, and with several. */
export interface LoopOps {
  readonly one: RoutineOp;
  readonly several: RoutineOp;
}

const loopOps = (name: string): LoopOps => ({
  one: { ...mapBlocks, name },
  several: { ...mapBlocksAll, name: `${name}All` },
});

/** By the names of the functions that users call. */
export const LOOPS: { readonly [K in "whileLoop" | "scan" | "cond"]: LoopOps } = {
  whileLoop: loopOps("whileLoop"),
  scan: loopOps("scan"),
  cond: loopOps("cond"),
};

export const LOOP_OPS: readonly RoutineOp[] = Object.values(LOOPS).flatMap(({ one, several }) => [
  one,
  several,
]);
