// A loop as a WebAssembly module: a nest over the domain's axes, the innermost with a vector body and a
// scalar tail. Lengths, addresses and strides come as parameters, so one module serves every shape of its kind.
// In: a scalar program and how each access walks the innermost axis. Out: bytes, or null where the program
// has something that only the interpreter does.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { canCompile, lanesOf, scalarBody, VectorConstants, vectorBody } from "./body.ts";
import { moduleOf, type RunArguments } from "./module.ts";
import { loadName, storeName } from "./scalarCode.ts";
import { type LaneCount, loadSplat, loadVector, storeVector, type VectorValue } from "./vectorCode.ts";

/** How an access moves along the innermost axis: by one element, not at all, or somehow. */
export type InnerWalk = "unit" | "fixed" | "strided";

export interface LoopShape {
  readonly dims: number;
  /** Operands, then results. */
  readonly walks: readonly InnerWalk[];
}

const WORD = 4;
/** Two copies of the vector body: enough to hide latencies, few enough to stay in registers. */
const UNROLL = 2;

/** Where the parameters are: lengths, then for each access its address and strides, then first coordinates. */
export const parameterWords = (dims: number, accesses: number): number =>
  dims + accesses * (1 + dims) + 2 * dims;

export function loopModule(program: ScalarProgram, shape: LoopShape): Uint8Array<ArrayBuffer> | null {
  if (!canCompile(program)) return null;
  return moduleOf(false, (w, run) => new LoopWriter(w, run, program, shape).write());
}

class LoopWriter {
  readonly #w: FunctionWriter;
  readonly #program: ScalarProgram;
  readonly #shape: LoopShape;
  readonly #lengths: Local[];
  /** Per loop level and access: the address there. */
  readonly #addresses: Local[][];
  readonly #strides: Local[][];
  readonly #counters: Local[];
  readonly #first: Local[];
  readonly #run: RunArguments;
  #constants: VectorConstants | null = null;

  constructor(w: FunctionWriter, run: RunArguments, program: ScalarProgram, shape: LoopShape) {
    this.#w = w;
    this.#run = run;
    this.#program = program;
    this.#shape = shape;
    const { dims, walks } = shape;
    const locals = (count: number, type: "i32" | "i64"): Local[] =>
      Array.from({ length: count }, () => w.local(type));
    this.#lengths = locals(dims, "i32");
    this.#addresses = Array.from({ length: dims }, () => locals(walks.length, "i32"));
    this.#strides = walks.map(() => locals(dims, "i32"));
    this.#counters = locals(dims, "i32");
    this.#first = locals(dims, "i64");
  }

  write(): void {
    this.#readParameters();
    if (this.#lanes() !== null) this.#constants = new VectorConstants(this.#w, this.#program);
    this.#level(0);
  }

  #readParameters(): void {
    const { dims, walks } = this.#shape;
    let word = 0;
    const next = (into: Local): void => {
      this.#w
        .get(this.#run.parameters)
        .memory(into.type === "i64" ? "i64.load" : "i32.load", word * WORD)
        .set(into);
      word += into.type === "i64" ? 2 : 1;
    };
    for (const length of this.#lengths) next(length);
    walks.forEach((_, k) => {
      next(this.#addresses[0]![k]!);
      for (const stride of this.#strides[k]!) next(stride);
    });
    for (let d = 0; d < dims; d++) next(this.#first[d]!);
  }

  /** All but the innermost axis: run the next level, move on, count. */
  #level(d: number): void {
    const w = this.#w;
    if (d === this.#shape.dims - 1) return this.#inner(d);
    w.i32(0).set(this.#counters[d]!);
    w.loop((again) => {
      this.#addresses[d]!.forEach((address, k) => w.get(address).set(this.#addresses[d + 1]![k]!));
      this.#level(d + 1);
      this.#addresses[d]!.forEach((address, k) => this.#advance(address, this.#strides[k]![d]!));
      this.#count(d, 1);
      w.get(this.#counters[d]!).get(this.#lengths[d]!).op("i32.lt_u").branchIf(again);
    });
  }

  #advance(address: Local, stride: Local): void {
    this.#w.get(address).get(stride).op("i32.add").set(address);
  }

  #count(d: number, by: number): void {
    this.#w.get(this.#counters[d]!).i32(by).op("i32.add").set(this.#counters[d]!);
  }

  /** As many lanes as the widest type leaves room for; complex operands and odd strides go lane by lane. */
  #lanes(): LaneCount | null {
    const { operands } = this.#program;
    if (this.#shape.walks.includes("strided") || operands.some((dtype) => infoOf(dtype).slots === 2))
      return null;
    return this.#program.results.some((parts) => parts.length === 2) ? null : lanesOf(this.#program);
  }

  #inner(d: number): void {
    const w = this.#w;
    w.i32(0).set(this.#counters[d]!);
    const lanes = this.#lanes();
    if (lanes !== null) {
      this.#repeat(d, lanes * UNROLL, () => this.#vectorBodies(d, lanes));
    }
    this.#repeat(d, 1, () => this.#scalarBody(d));
  }

  /** while (counter + step ≤ length) { body; move; counter += step } */
  #repeat(d: number, step: number, body: () => void): void {
    const w = this.#w;
    const hasRoom = (): FunctionWriter =>
      w.get(this.#counters[d]!).i32(step).op("i32.add").get(this.#lengths[d]!).op("i32.le_u");
    w.block((end) => {
      hasRoom().op("i32.eqz").branchIf(end);
      w.loop((again) => {
        body();
        this.#shape.walks.forEach((walk, k) => {
          const address = this.#addresses[d]![k]!;
          if (walk === "strided") this.#advance(address, this.#strides[k]![d]!);
          else if (walk === "unit")
            w.get(address)
              .i32(step * this.#elementBytes(k))
              .op("i32.add")
              .set(address);
        });
        this.#count(d, step);
        hasRoom().branchIf(again);
      });
    });
  }

  #elementBytes(access: number): number {
    const { operands } = this.#program;
    return access < operands.length
      ? infoOf(operands[access]!).bytes
      : this.#partBytes(access) * this.#program.results[access - operands.length]!.length;
  }

  #resultType(result: number): RealDType {
    return this.#program.instructions[this.#program.results[result]![0]!]!.type;
  }

  #partBytes(access: number): number {
    return infoOf(this.#resultType(access - this.#program.operands.length)).bytes;
  }

  #vectorBodies(d: number, lanes: LaneCount): void {
    const copies = Array.from({ length: UNROLL }, (_, u) => this.#vectorValues(d, lanes, u * lanes));
    const { operands, results } = this.#program;
    copies.forEach((values, u) =>
      results.forEach(([part], i) => {
        const k = operands.length + i;
        const offset = u * lanes * this.#elementBytes(k);
        storeVector(this.#w, this.#addresses[d]![k]!, values[part!]!, lanes, offset);
      }),
    );
  }

  /** The values of all instructions for the lanes from `ahead` on. */
  #vectorValues(d: number, lanes: LaneCount, ahead: number): VectorValue[] {
    return vectorBody(this.#w, this.#program, lanes, this.#constants!, {
      load: (operand, type) => this.#loadVector(d, operand, type, lanes, ahead),
      index: (axis) => this.#indexVector(d, axis, ahead),
    });
  }

  #loadVector(d: number, operand: number, type: RealDType, lanes: LaneCount, ahead: number): 32 | 64 {
    this.#w.get(this.#addresses[d]![operand]!);
    if (this.#shape.walks[operand] === "fixed") return loadSplat(this.#w, type);
    return loadVector(this.#w, type, lanes, ahead * infoOf(type).bytes);
  }

  /** first + counter (+ 0, 1 along the innermost axis). */
  #indexVector(d: number, axis: number, ahead: number): 32 | 64 {
    const w = this.#w;
    this.#pushIndex(axis);
    if (axis !== d) {
      w.op("i64x2.splat");
      return 32;
    }
    const base = w.local("i64");
    w.i64(BigInt(ahead)).op("i64.add").set(base);
    w.get(base).op("i64x2.splat").get(base).i64(1n).op("i64.add").op("i64x2.replace_lane", 1);
    return 32;
  }

  #pushIndex(axis: number): void {
    this.#w.get(this.#first[axis]!).get(this.#counters[axis]!).op("i64.extend_i32_u").op("i64.add");
  }

  #scalarBody(d: number): void {
    const w = this.#w;
    const { results, operands } = this.#program;
    const locals = scalarBody(w, this.#program, {
      load: (operand, type, part) =>
        w.get(this.#addresses[d]![operand]!).memory(loadName(type), part * infoOf(type).bytes),
      index: (axis) => this.#pushIndex(axis),
    });
    results.forEach((parts, i) =>
      parts.forEach((at, part) => {
        const type = this.#resultType(i);
        w.get(this.#addresses[d]![operands.length + i]!)
          .get(locals[at]!)
          .memory(storeName(type), part * infoOf(type).bytes);
      }),
    );
  }
}
