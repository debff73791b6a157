// Counted loops and small arithmetic on i32 locals, as kernels write them. Counts are unsigned.

import type { FunctionWriter, Local } from "./assembler.ts";

/** while (counter + step ≤ limit) { body; counter += step }. The body may move addresses along. */
export function repeat(
  w: FunctionWriter,
  counter: Local,
  limit: Local,
  step: number,
  body: () => void,
): void {
  const hasRoom = (): FunctionWriter => w.get(counter).i32(step).op("i32.add").get(limit).op("i32.le_u");
  w.block((end) => {
    hasRoom().op("i32.eqz").branchIf(end);
    w.loop((again) => {
      body();
      increase(w, counter, step);
      hasRoom().branchIf(again);
    });
  });
}

export function increase(w: FunctionWriter, local: Local, by: number | Local): void {
  w.get(local);
  if (typeof by === "number") w.i32(by);
  else w.get(by);
  w.op("i32.add").set(local);
}

/** into = the smaller of two i32 that the functions push; each is pushed twice. */
export function setMin(w: FunctionWriter, into: Local, x: () => void, y: () => void): void {
  x();
  y();
  x();
  y();
  w.op("i32.lt_u").select("i32").set(into);
}
