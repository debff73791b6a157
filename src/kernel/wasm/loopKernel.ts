// A loop as a WebAssembly module: a nest over the domain's axes, the innermost with a vector body and a
// scalar tail. Lengths, addresses and strides come as parameters, so one module serves every shape of its kind.
// Units of work are places along one axis. In: a scalar program and how its accesses walk. Out: bytes.

import { infoOf, type RealDType } from "../../core/dtype.ts";
import type { ScalarProgram } from "../program.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { lanesOf, scalarBody, VectorConstants, type VectorInputs, vectorBodies } from "./body.ts";
import { moduleOf, type RunArguments } from "./module.ts";
import { loadName, storeName } from "./scalarCode.ts";
import {
  type LaneAddress,
  type LaneCount,
  loadLanes,
  loadSplat,
  loadVector,
  storeLanes,
  storeVector,
  type VectorValue,
} from "./vectorCode.ts";

/** How an access moves along the innermost axis: by one element, not at all, or somehow. */
export type InnerWalk = "unit" | "fixed" | "strided";

export interface LoopShape {
  readonly dims: number;
  /** Operands, then results. */
  readonly walks: readonly InnerWalk[];
  /** The axis along which the work is shared out. */
  readonly split: number;
  /** The innermost axis is walked in stretches of BLOCK, each for all places of the axis before it, so that lines
   * of a transposed operand are still in cache when their next element is wanted. */
  readonly isBlocked: boolean;
  readonly isShared: boolean;
}

const WORD = 4;
/** Two copies of the vector body: they hide latencies. Four are 3 % faster where programs are long, and compile twice as long. */
const COPIES = 2;
/** Elements of a stretch: few enough lines for any cache, even when all fall into the same sets. */
const BLOCK = 8;

/** The words: lengths, then for each access its address and strides in bytes, then first coordinates (two each). */
export function loopModule(program: ScalarProgram, shape: LoopShape): Uint8Array<ArrayBuffer> {
  return moduleOf(shape.isShared, (w, run) => new LoopWriter(w, run, program, shape).write());
}

class LoopWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #program: ScalarProgram;
  readonly #shape: LoopShape;
  readonly #lengths: Local[];
  /** Per loop level and access: the address there. */
  readonly #addresses: Local[][];
  readonly #strides: Local[][];
  readonly #counters: Local[];
  readonly #first: Local[];
  readonly #lanes: LaneCount | null;
  readonly #constants: VectorConstants | null;
  /** The stretch of the innermost axis under way. */
  readonly #begin: Local;
  readonly #end: Local;

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
    [this.#begin, this.#end] = [w.local("i32"), w.local("i32")];
    this.#lanes = lanesOf(program);
    this.#constants = this.#lanes === null ? null : new VectorConstants(w, program);
  }

  write(): void {
    this.#readParameters();
    this.#goToUnits();
    this.#level(0);
  }

  #readParameters(): void {
    let word = 0;
    const next = (into: Local): void => {
      this.#w
        .get(this.#run.parameters)
        .memory(into.type === "i64" ? "i64.load" : "i32.load", word * WORD)
        .set(into);
      word += into.type === "i64" ? 2 : 1;
    };
    for (const length of this.#lengths) next(length);
    this.#shape.walks.forEach((_, k) => {
      next(this.#addresses[0]![k]!);
      for (const stride of this.#strides[k]!) next(stride);
    });
    for (const first of this.#first) next(first);
  }

  /** Addresses are those of unit `from`; the axis' length is `to`. */
  #goToUnits(): void {
    const w = this.#w;
    const { split } = this.#shape;
    this.#addresses[0]!.forEach((address, k) =>
      w
        .get(address)
        .get(this.#run.from)
        .get(this.#strides[k]![split]!)
        .op("i32.mul")
        .op("i32.add")
        .set(address),
    );
    w.get(this.#run.to).set(this.#lengths[split]!);
  }

  #pushStart(d: number): void {
    if (d === this.#shape.split) this.#w.get(this.#run.from);
    else this.#w.i32(0);
  }

  #level(d: number): void {
    const last = this.#shape.dims - 1;
    if (d === last) {
      this.#pushStart(d);
      this.#w.set(this.#begin).get(this.#lengths[d]!).set(this.#end);
      return this.#inner(d);
    }
    if (d === last - 1 && this.#shape.isBlocked) return this.#blocks(d);
    this.#places(d, () => this.#level(d + 1));
  }

  /** All places of an axis that is not the innermost: run what is inside, move on, count. */
  #places(d: number, inside: () => void): void {
    const w = this.#w;
    this.#pushStart(d);
    w.set(this.#counters[d]!);
    w.block((end) => {
      w.get(this.#counters[d]!).get(this.#lengths[d]!).op("i32.ge_u").branchIf(end);
      w.loop((again) => {
        this.#copyAddresses(d, d + 1);
        inside();
        this.#addresses[d]!.forEach((address, k) => this.#advance(address, this.#strides[k]![d]!));
        this.#count(d, 1);
        w.get(this.#counters[d]!).get(this.#lengths[d]!).op("i32.lt_u").branchIf(again);
      });
    });
  }

  #copyAddresses(from: number, to: number): void {
    this.#addresses[from]!.forEach((address, k) => this.#w.get(address).set(this.#addresses[to]![k]!));
  }

  /** The two innermost axes, stretch by stretch. */
  #blocks(d: number): void {
    const w = this.#w;
    const stretch = w.local("i32");
    const start = this.#addresses[d]!.map(() => w.local("i32"));
    this.#addresses[d]!.forEach((address, k) => w.get(address).set(start[k]!));
    this.#pushStart(d + 1);
    w.set(stretch);
    w.block((end) => {
      w.get(stretch)
        .get(this.#lengths[d + 1]!)
        .op("i32.ge_u")
        .branchIf(end);
      w.loop((again) => {
        this.#pushSmaller(stretch, d + 1);
        w.set(this.#end);
        start.forEach((address, k) => w.get(address).set(this.#addresses[d]![k]!));
        this.#places(d, () => {
          w.get(stretch).set(this.#begin);
          this.#inner(d + 1);
        });
        start.forEach((address, k) =>
          w
            .get(address)
            .get(this.#strides[k]![d + 1]!)
            .i32(BLOCK)
            .op("i32.mul")
            .op("i32.add")
            .set(address),
        );
        w.get(stretch).i32(BLOCK).op("i32.add").tee(stretch);
        w.get(this.#lengths[d + 1]!)
          .op("i32.lt_u")
          .branchIf(again);
      });
    });
  }

  /** min(stretch + BLOCK, length) */
  #pushSmaller(stretch: Local, d: number): void {
    const w = this.#w;
    const end = w.local("i32");
    w.get(stretch).i32(BLOCK).op("i32.add").set(end);
    w.get(end).get(this.#lengths[d]!);
    w.get(end).get(this.#lengths[d]!).op("i32.lt_u").select("i32");
  }

  #advance(address: Local, stride: Local): void {
    this.#w.get(address).get(stride).op("i32.add").set(address);
  }

  #count(d: number, by: number): void {
    this.#w.get(this.#counters[d]!).i32(by).op("i32.add").set(this.#counters[d]!);
  }

  /** From begin to end: vectors, then what is left one by one. */
  #inner(d: number): void {
    const lanes = this.#lanes;
    this.#w.get(this.#begin).set(this.#counters[d]!);
    if (lanes !== null) this.#repeat(d, lanes * COPIES, () => this.#vectorBodies(d, lanes));
    this.#repeat(d, 1, () => this.#scalarBody(d));
  }

  /** while (counter + step ≤ end) { body; move; counter += step } */
  #repeat(d: number, step: number, body: () => void): void {
    const w = this.#w;
    const hasRoom = (): FunctionWriter =>
      w.get(this.#counters[d]!).i32(step).op("i32.add").get(this.#end).op("i32.le_u");
    w.block((end) => {
      hasRoom().op("i32.eqz").branchIf(end);
      w.loop((again) => {
        body();
        this.#shape.walks.forEach((walk, k) => this.#move(walk, d, k, step));
        this.#count(d, step);
        hasRoom().branchIf(again);
      });
    });
  }

  #move(walk: InnerWalk, d: number, k: number, step: number): void {
    const w = this.#w;
    const address = this.#addresses[d]![k]!;
    if (walk === "fixed") return;
    w.get(address);
    if (walk === "unit") w.i32(step * this.#elementBytes(k));
    else w.get(this.#strides[k]![d]!).i32(step).op("i32.mul");
    w.op("i32.add").set(address);
  }

  #elementBytes(access: number): number {
    const { operands, results } = this.#program;
    if (access < operands.length) return infoOf(operands[access]!).bytes;
    const result = access - operands.length;
    return infoOf(this.#resultType(result)).bytes * results[result]!.length;
  }

  #resultType(result: number): RealDType {
    return this.#program.instructions[this.#program.results[result]![0]!]!.type;
  }

  #vectorBodies(d: number, lanes: LaneCount): void {
    const { operands, results } = this.#program;
    const ahead = Array.from({ length: COPIES }, (_, u) => u * lanes);
    const copies = vectorBodies(
      this.#w,
      this.#program,
      lanes,
      this.#constants!,
      ahead.map((first) => this.#vectorInputs(d, lanes, first)),
    );
    copies.forEach((values, u) =>
      results.forEach((parts, i) =>
        parts.forEach((at, part) =>
          this.#storeVector(d, operands.length + i, values[at]!, part, lanes, u * lanes),
        ),
      ),
    );
  }

  /** Where the lanes from `ahead` on come from. */
  #vectorInputs(d: number, lanes: LaneCount, ahead: number): VectorInputs {
    return {
      load: (operand, type, part) => this.#loadVector(d, operand, type, part, lanes, ahead),
      index: (axis) => this.#indexVector(d, axis, ahead),
    };
  }

  #loadVector(d: number, k: number, type: RealDType, part: number, lanes: LaneCount, ahead: number): 32 | 64 {
    const walk = this.#shape.walks[k]!;
    const { bytes } = infoOf(type);
    const address = this.#addresses[d]![k]!;
    if (walk === "fixed") return loadSplat(this.#w.get(address), type, part * bytes);
    if (walk === "unit" && this.#elementBytes(k) === bytes)
      return loadVector(this.#w.get(address), type, lanes, ahead * bytes);
    return loadLanes(this.#w, type, lanes, this.#laneAddress(d, k, ahead, part * bytes));
  }

  #storeVector(
    d: number,
    k: number,
    value: VectorValue,
    part: number,
    lanes: LaneCount,
    ahead: number,
  ): void {
    const { bytes } = infoOf(value.type);
    if (this.#shape.walks[k] === "unit" && this.#elementBytes(k) === bytes)
      return storeVector(this.#w, this.#addresses[d]![k]!, value, lanes, ahead * bytes);
    storeLanes(this.#w, value, lanes, this.#laneAddress(d, k, ahead, part * bytes));
  }

  /** Where lane ahead + i of an access is; `offset` says which part of it. */
  #laneAddress(d: number, k: number, ahead: number, offset: number): LaneAddress {
    const w = this.#w;
    const address = this.#addresses[d]![k]!;
    if (this.#shape.walks[k] === "unit")
      return (lane) => {
        w.get(address);
        return (ahead + lane) * this.#elementBytes(k) + offset;
      };
    return (lane) => {
      w.get(address);
      if (ahead + lane > 0)
        w.get(this.#strides[k]![d]!)
          .i32(ahead + lane)
          .op("i32.mul")
          .op("i32.add");
      return offset;
    };
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
