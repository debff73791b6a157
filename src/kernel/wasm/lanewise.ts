// What SIMD lacks, lane by lane with the scalar code. In: an instruction and vector values. Out: code that leaves the
// vector of results on the stack.

import type { Instruction } from "../program.ts";
import type { FunctionWriter } from "./assembler.ts";
import { emitScalar, machineType, pushConstant } from "./scalarCode.ts";
import { type LaneCount, laneShape, pushMask, type VectorValue } from "./vectorCode.ts";

/** Takes the lanes out, computes each, and puts the results in. */
export function lanewise(
  w: FunctionWriter,
  instruction: Instruction,
  args: readonly VectorValue[],
  lanes: LaneCount,
): 32 | 64 {
  const { type } = instruction;
  const shape = type === "bool" ? "i32x4" : laneShape(type);
  const result = w.local("v128");
  pushConstant(w, type === "bool" ? "int32" : type, 0);
  w.op(`${shape}.splat`).set(result);
  const scalars = args.map((argument) => w.local(machineType(argument.type)));
  for (let lane = 0; lane < lanes; lane++) {
    args.forEach((argument, i) => {
      extractLane(w, argument, lane);
      w.set(scalars[i]!);
    });
    w.get(result);
    emitScalar(w, instruction, args[0]!.type, scalars);
    // A bool becomes a mask: 0 − 1 is all ones.
    if (type === "bool") {
      const one = w.local("i32");
      w.set(one).i32(0).get(one).op("i32.sub");
    }
    w.op(`${shape}.replace_lane`, lane).set(result);
  }
  w.get(result);
  return 32;
}

function extractLane(w: FunctionWriter, value: VectorValue, lane: number): void {
  if (value.type === "bool") {
    pushMask(w, value, 32);
    w.op("i32x4.extract_lane", lane).i32(1).op("i32.and");
  } else w.get(value.local).op(`${laneShape(value.type)}.extract_lane`, lane);
}
