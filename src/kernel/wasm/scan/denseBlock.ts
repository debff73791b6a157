// A block of a scan whose elements, and results, lie side by side. In: a frame, the result at the end of the block
// before. Out: code that stores the block's results and moves on. The elements are combined one after another; what
// they come to is combined with the carry and stored. Floating numbers are gathered into vectors for that: they
// are in vector registers already, and half as many stores matter. For integers gathering costs more than it saves.

import { isFloat } from "../../../core/dtype.ts";
import { SCAN_BLOCK } from "../../interpret/scan.ts";
import type { Local } from "../assembler.ts";
import { lanesOf, VectorConstants, vectorBodies } from "../body.ts";
import { increase } from "../module.ts";
import { machineType } from "../scalarCode.ts";
import { type LaneCount, laneShape, storeVector } from "../vectorCode.ts";
import { combined, fromLocals, pushPart, type ScanFrame, setLocals, storePart } from "./frame.ts";

/** A value's parts. */
type Parts = readonly Local[];

/** Writes a block: to be made before the loops, as constants are kept in locals. */
export function denseBlock(frame: ScanFrame): (carry: Parts) => void {
  const { w, at, bytes, combine, parts, type } = frame;
  const lanes = isFloat(type) && parts.length === 1 ? lanesOf(combine) : null;
  const constants = new VectorConstants(w, combine);
  return (carry) => {
    const prefixes = prefixesOf(frame);
    if (lanes === null) storeEach(frame, carry, prefixes);
    else storeVectors(frame, carry[0]!, gathered(frame, prefixes, lanes), lanes, constants);
    const total = combined(frame, fromLocals(frame, carry), fromLocals(frame, prefixes.at(-1)!));
    setLocals(frame, carry, fromLocals(frame, total));
    for (const address of [at.operand, at.result]) increase(w, address, SCAN_BLOCK * bytes);
  };
}

/** Each element combined with those before it in the block. */
function prefixesOf(frame: ScanFrame): Parts[] {
  const { w, at, bytes, parts, type } = frame;
  const first = parts.map(() => w.local(machineType(type)));
  setLocals(frame, first, (part) => pushPart(frame, at.operand, part));
  const prefixes = [first];
  for (let place = 1; place < SCAN_BLOCK; place++) {
    const next = (part: 0 | 1): void => pushPart(frame, at.operand, part, place * bytes);
    prefixes.push(combined(frame, fromLocals(frame, prefixes.at(-1)!), next));
  }
  return prefixes;
}

function storeEach(frame: ScanFrame, carry: Parts, prefixes: readonly Parts[]): void {
  const { at, bytes, parts } = frame;
  prefixes.forEach((prefix, place) => {
    const result = combined(frame, fromLocals(frame, carry), fromLocals(frame, prefix));
    for (const part of parts) storePart(frame, at.result, part, fromLocals(frame, result), place * bytes);
  });
}

function gathered({ w, type }: ScanFrame, prefixes: readonly Parts[], lanes: LaneCount): Local[] {
  const shape = laneShape(type);
  return Array.from({ length: SCAN_BLOCK / lanes }, (_, number) => {
    const [first, ...others] = prefixes.slice(number * lanes, (number + 1) * lanes);
    w.get(first![0]!).op(`${shape}.splat`);
    others.forEach(([local], k) => w.get(local!).op(`${shape}.replace_lane`, k + 1));
    const vector = w.local("v128");
    w.set(vector);
    return vector;
  });
}

function storeVectors(
  { w, at, combine, type, bytes }: ScanFrame,
  carry: Local,
  vectors: readonly Local[],
  lanes: LaneCount,
  constants: VectorConstants,
): void {
  const carries = w.local("v128");
  w.get(carry)
    .op(`${laneShape(type)}.splat`)
    .set(carries);
  const inputs = vectors.map((vector) => ({
    load: (number: number): 32 => {
      w.get(number === 0 ? carries : vector);
      return 32;
    },
    index: (): 32 => 32,
  }));
  const bodies = vectorBodies(w, combine, lanes, constants, inputs);
  bodies.forEach((values, number) =>
    storeVector(w, at.result, values[combine.results[0]![0]!]!, lanes, number * lanes * bytes),
  );
}
