// Loops and conditions: calls of a body that is planned once (runtime/loopBody.ts), of whole arrays. Their results are those of
// any call of a function: one, or several in a row of bytes that blockOutput takes apart. attrs.function: the body.

import type { RoutineOp } from "../expr/op.ts";
import { mapBlocks, mapBlocksAll } from "./mapBlocks.ts";

/** A loop with one result, and with several. */
export interface LoopOps {
  readonly one: RoutineOp;
  readonly several: RoutineOp;
}

const loopOps = (name: string, noPullback: RoutineOp["noPullback"]): LoopOps => ({
  one: { ...mapBlocks, name, noPullback },
  several: { ...mapBlocksAll, name: `${name}All`, noPullback },
});

const ENDLESS = {
  why: "how often a whileLoop goes round is known only when it has, and so it has no gradient",
  cure: "Use cw.scan with a length, in which steps that are too many leave what is carried as it is, or cw.customPullback",
};

/** By the names of the functions that users call. */
export const LOOPS: { readonly [K in "whileLoop" | "scan" | "cond"]: LoopOps } = {
  whileLoop: loopOps("whileLoop", ENDLESS),
  // Their results are marked with how gradients go through them: array/compiled/loopNodes.ts.
  scan: loopOps("scan", undefined),
  cond: loopOps("cond", undefined),
};

export const LOOP_OPS: readonly RoutineOp[] = Object.values(LOOPS).flatMap(({ one, several }) => [
  one,
  several,
]);
