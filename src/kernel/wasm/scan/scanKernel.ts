// Scans as WebAssembly modules. In: a combination (running, next → running), what lanes start with, and how the
// scan walks. Out: bytes. The order is the interpreter's (docs/adr/0008), so the same bits: in blocks of a few places,
// so that a block need not wait for the one before until it is done itself, and the processor works on several.
// Must hold: the result shares no memory with the operand.

import type { Scalar } from "../../../core/numbers.ts";
import type { ScalarProgram } from "../../program.ts";
import { moduleOf } from "../module.ts";
import { scanAcross } from "./across.ts";
import { scanAlong } from "./along.ts";
import { openFrame, type ScanShape } from "./frame.ts";

export function scanModule(
  isShared: boolean,
  combine: ScalarProgram,
  identity: Scalar,
  shape: ScanShape,
): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => {
    const frame = openFrame(w, run, combine, identity, shape);
    if (shape.walk === "across") scanAcross(frame);
    else scanAlong(frame);
  });
}
