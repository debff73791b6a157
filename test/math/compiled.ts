// Runs scalar programs as compiled code: a plain loop over consecutive elements, vectors first, then single lanes.
// In: a program and arrays of operands. Out: arrays of results. What the loop kernels add is tested elsewhere.

import { allocate, infoOf, type RealDType, type TypedArray } from "../../src/core/dtype.ts";
import type { ScalarProgram } from "../../src/kernel/program.ts";
import { TRAP_KINDS, trapOf } from "../../src/kernel/traps.ts";
import type { FunctionWriter, Local } from "../../src/kernel/wasm/assembler.ts";
import { lanesOf, scalarBody, VectorConstants, vectorBodies } from "../../src/kernel/wasm/body.ts";
import { HEAP_AT, writeTables } from "../../src/kernel/wasm/memoryLayout.ts";
import { moduleOf } from "../../src/kernel/wasm/module.ts";
import { loadName, storeName } from "../../src/kernel/wasm/scalarCode.ts";
import { loadVector, storeVector } from "../../src/kernel/wasm/vectorCode.ts";

const WORD = 4;
const memory = new WebAssembly.Memory({ initial: 64 });
writeTables(memory.buffer);

export const resultType = ({ instructions, results }: ScalarProgram, result: number): RealDType =>
  instructions[results[result]![0]!]!.type;

/** Types of operands, then of results: all real. */
const typesOf = (program: ScalarProgram): RealDType[] => [
  ...program.operands.map((dtype) => infoOf(dtype).part),
  ...program.results.map((_, i) => resultType(program, i)),
];

/** The parameters are the addresses of operands and results. */
export function moduleOver(program: ScalarProgram, unroll: number): Uint8Array<ArrayBuffer> {
  return moduleOf(false, (w, { parameters, from, to }) => {
    const types = typesOf(program);
    const addresses = types.map((type, k) => {
      const address = w.local("i32");
      w.get(parameters).memory("i32.load", k * WORD);
      w.get(from).i32(infoOf(type).bytes).op("i32.mul").op("i32.add").set(address);
      return address;
    });
    const lanes = lanesOf(program);
    const move = (count: number): void => {
      types.forEach((type, k) =>
        w
          .get(addresses[k]!)
          .i32(count * infoOf(type).bytes)
          .op("i32.add")
          .set(addresses[k]!),
      );
    };
    if (lanes !== null) {
      const constants = new VectorConstants(w, program);
      repeat(w, from, to, lanes * unroll, () => {
        vectors(w, program, lanes, constants, addresses, unroll);
        move(lanes * unroll);
      });
    }
    repeat(w, from, to, 1, () => {
      singles(w, program, addresses);
      move(1);
    });
  });
}

/** The condition comes last, as in the kernels: what does not change in the loop can then be computed before it. */
function repeat(w: FunctionWriter, from: Local, to: Local, step: number, body: () => void): void {
  const hasRoom = (): FunctionWriter => w.get(from).i32(step).op("i32.add").get(to).op("i32.le_u");
  hasRoom().when(() => {
    w.loop((again) => {
      body();
      w.get(from).i32(step).op("i32.add").set(from);
      hasRoom().branchIf(again);
    });
  });
}

function vectors(
  w: FunctionWriter,
  program: ScalarProgram,
  lanes: 2 | 4,
  constants: VectorConstants,
  addresses: readonly Local[],
  unroll: number,
): void {
  const inputs = Array.from({ length: unroll }, (_, u) => ({
    load: (operand: number, type: RealDType) => {
      w.get(addresses[operand]!);
      return loadVector(w, type, lanes, u * lanes * infoOf(type).bytes);
    },
    index: noAxes,
  }));
  vectorBodies(w, program, lanes, constants, inputs).forEach((values, u) =>
    program.results.forEach(([at], i) => {
      const value = values[at!]!;
      const offset = u * lanes * infoOf(value.type).bytes;
      storeVector(w, addresses[program.operands.length + i]!, value, lanes, offset);
    }),
  );
}

function singles(w: FunctionWriter, program: ScalarProgram, addresses: readonly Local[]): void {
  const locals = scalarBody(w, program, {
    load: (operand, type) => w.get(addresses[operand]!).memory(loadName(type)),
    index: noAxes,
  });
  program.results.forEach(([at], i) => {
    w.get(addresses[program.operands.length + i]!).get(locals[at!]!);
    w.memory(storeName(resultType(program, i)));
  });
}

const noAxes = (): never => {
  throw new Error("this loop has no axes");
};

function trap(kind: number): never {
  throw trapOf(TRAP_KINDS[kind]!);
}

export function runCompiled(program: ScalarProgram, operands: readonly TypedArray[]): TypedArray[] {
  const module = new WebAssembly.Module(moduleOver(program, 1));
  const { exports } = new WebAssembly.Instance(module, { env: { memory, trap, scratch: HEAP_AT } });
  const count = operands[0]!.length;
  const types = typesOf(program);
  let free = HEAP_AT;
  const views = types.map((type) => {
    const { array: ArrayOf, bytes } = infoOf(type);
    const view = new ArrayOf(memory.buffer, free, count);
    free += Math.ceil((count * bytes) / 16) * 16;
    return view;
  });
  operands.forEach((values, k) => (views[k] as Float64Array).set(values as Float64Array));
  new Int32Array(memory.buffer, 0, types.length).set(views.map(({ byteOffset }) => byteOffset));
  (exports["run"] as (parameters: number, from: number, to: number) => void)(0, 0, count);
  return views.slice(operands.length).map((view, i) => {
    const out = allocate(resultType(program, i), count);
    (out as Float64Array).set(view as Float64Array);
    return out;
  });
}
