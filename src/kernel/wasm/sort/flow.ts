// Loops of the sort kernels. In: how often, and what to write for one turn. Out: code.

import type { FunctionWriter, Local } from "../assembler.ts";
import { increase } from "../module.ts";

/** So many copies of a body in one turn: the engine's own work at the end of a turn costs as much as a short body. */
const UNROLL = 2;

/** Runs the body `count` times; `left` counts down. */
export function times(w: FunctionWriter, count: Local, left: Local, body: () => void): void {
  w.get(count).set(left);
  w.block((end) => {
    w.get(left).op("i32.eqz").branchIf(end);
    w.loop((again) => {
      body();
      increase(w, left, -1);
      w.get(left).branchIf(again);
    });
  });
}

/** The same for short bodies, several in a turn. */
export function timesUnrolled(w: FunctionWriter, count: Local, left: Local, body: () => void): void {
  w.get(count).set(left);
  w.block((end) => {
    w.loop((again) => {
      w.get(left).i32(UNROLL).op("i32.lt_u").branchIf(end);
      for (let copy = 0; copy < UNROLL; copy++) body();
      increase(w, left, -UNROLL);
      w.branch(again);
    });
  });
  w.block((end) => {
    w.loop((again) => {
      w.get(left).op("i32.eqz").branchIf(end);
      body();
      increase(w, left, -1);
      w.branch(again);
    });
  });
}

/** Leaves the lesser of two i32 without sign. */
export function least(w: FunctionWriter, a: Local, b: Local): void {
  w.get(a).get(b).get(a).get(b).op("i32.lt_u").select("i32");
}
