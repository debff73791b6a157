// Random expressions as data: sources, then steps, each of which gives one more value; the last one is the result. In: a seed.
// Out: always the same program for it. What is asked of the result depends on its history: values are exact (the same bits
// from whoever computes them), or close where functions, quotients or sums of floats round as they like; nothing that
// jumps (comparisons, floors, conditions) is applied to what is only close.

export type ProgramDType = "float64" | "float32" | "int8" | "int16" | "int32" | "int64" | "uint8" | "bool";

export interface ProgramSource {
  readonly dtype: ProgramDType;
  readonly shape: readonly number[];
  /** What JSON has no numbers for by name: nan, inf, -inf, -0. */
  readonly data: readonly (number | string)[];
  /** Instead of data: element i is a·i + b, of 8 bits. */
  readonly order?: readonly [a: number, b: number] | undefined;
}

export type StepAttrs = { readonly [name: string]: number | boolean | string | null | readonly StepItem[] };
type StepItem = number | null | readonly (number | null)[];

export interface ProgramStep {
  readonly op: string;
  /** Numbers of values: sources first, then steps. */
  readonly inputs: readonly number[];
  readonly attrs: StepAttrs;
}

export interface RandomProgram {
  readonly seed: number;
  readonly sources: readonly ProgramSource[];
  readonly steps: readonly ProgramStep[];
  /** Of the result: is it only close, and may a zero have any sign? */
  readonly isClose: boolean;
  readonly hasAnyZero: boolean;
}

interface Value {
  readonly dtype: ProgramDType;
  readonly shape: readonly number[];
  readonly isClose: boolean;
}

/** From 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SHAPES = [[2, 3], [2, 3], [3], [2, 1], [1, 3], [], [4], [2, 2, 3], [0, 3]];
const DTYPES: readonly ProgramDType[] = [
  ...(["float64", "float64", "float64", "float32", "int32", "int64", "uint8", "bool"] as const),
];
const MOST_ELEMENTS = 48;
const SPECIAL = ["nan", "inf", "-inf", "-0", 0, 1, -1, 1e308, -1e-310, 2 ** 53, 710, -745];

const isFloat = (dtype: ProgramDType): boolean => dtype === "float64" || dtype === "float32";
const isNumber = (dtype: ProgramDType): boolean => dtype !== "bool";
const isWhole = (dtype: ProgramDType): boolean => isNumber(dtype) && !isFloat(dtype);
export const sizeOfShape = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

function together(a: readonly number[], b: readonly number[]): number[] | null {
  const ndim = Math.max(a.length, b.length);
  const shape: number[] = [];
  for (let i = 0; i < ndim; i++) {
    const [m, n] = [a[a.length - ndim + i] ?? 1, b[b.length - ndim + i] ?? 1];
    if (m !== n && m !== 1 && n !== 1) return null;
    shape.push(m === 1 ? n : m);
  }
  return shape;
}

const UNARY_CLOSE = ["exp", "log", "log1p", "expm1", "sqrt", "sin", "cos", "tanh", "reciprocal"];
const UNARY = ["negative", "abs", "square", "sign", "positive"];
const ROUNDING = ["floor", "ceil", "trunc"];
const BINARY = ["add", "subtract", "multiply", "add", "subtract", "multiply", "maximum", "minimum"];
const COMPARE = ["less", "lessEqual", "greater", "greaterEqual", "equal", "notEqual"];
const LOGICAL = ["logicalAnd", "logicalOr", "logicalXor"];
const BITWISE = ["bitwiseAnd", "bitwiseOr", "bitwiseXor"];
const CONSTANTS = [0, 1, 2, 3, 0.5, -1, 1, 0, 4, -2];
/** Of equal numbers they give either, and zeros are equal. */
const ANY_ZERO = [
  "maximum",
  "minimum",
  "max",
  "min",
  "sign",
  "prod",
  "sum",
  "mean",
  "matmul",
  "cumulativeSum",
];

class Writer {
  readonly #random: () => number;
  readonly sources: ProgramSource[] = [];
  readonly steps: ProgramStep[] = [];
  readonly values: Value[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  chance(of: number): boolean {
    return this.#random() < of;
  }

  source(): void {
    const [dtype, shape] = [this.oneOf(DTYPES), this.oneOf(SHAPES)];
    const isSpecial = this.chance(0.3);
    const data = Array.from({ length: sizeOfShape(shape) }, () => this.#number(dtype, isSpecial));
    this.sources.push({ dtype, shape, data });
    this.values.push({ dtype, shape, isClose: false });
  }

  #number(dtype: ProgramDType, isSpecial: boolean): number | string {
    if (dtype === "bool") return this.int(2);
    if (dtype === "uint8") return this.chance(0.2) ? this.oneOf([0, 1, 255, 128]) : this.int(20);
    if (isWhole(dtype))
      return this.chance(0.1) ? this.oneOf([0, 2147483647, -2147483648]) : this.int(21) - 10;
    if (isSpecial && this.chance(0.4)) return this.oneOf(SPECIAL);
    const value = (this.#random() - 0.4) * this.oneOf([1, 4, 4, 40]);
    return dtype === "float32" ? Math.fround(value) : value;
  }

  push(
    op: string,
    inputs: readonly number[],
    attrs: StepAttrs,
    value: Omit<Value, "isClose">,
    close = false,
  ): void {
    if (sizeOfShape(value.shape) > MOST_ELEMENTS) return;
    const isClose = close || inputs.some((input) => this.values[input]!.isClose);
    this.steps.push({ op, inputs, attrs });
    this.values.push({ ...value, isClose });
  }

  /** A value that passes, the later ones more likely; −1 where none does. */
  pick(test: (value: Value) => boolean): number {
    const found = this.values.flatMap((value, at) => (test(value) ? [at] : []));
    if (found.length === 0) return -1;
    return found[Math.max(this.int(found.length), this.int(found.length))]!;
  }

  step(): void {
    const kinds: readonly (() => void)[] = [
      ...[() => this.#unary(), () => this.#unary(), () => this.#close(), () => this.#close()],
      ...[() => this.#binary(), () => this.#binary(), () => this.#binary(), () => this.#constant()],
      ...[() => this.#constant(), () => this.#constant(), () => this.#compare(), () => this.#truth()],
      ...[() => this.#where(), () => this.#where(), () => this.#cast(), () => this.#reduce()],
      ...[() => this.#reduce(), () => this.#move(), () => this.#move(), () => this.#select()],
      ...[() => this.#select(), () => this.#join(), () => this.#set(), () => this.#product()],
    ];
    this.oneOf(kinds)();
  }

  #unary(): void {
    const at = this.pick(({ dtype }) => isNumber(dtype));
    if (at < 0) return;
    const value = this.values[at]!;
    const canRound = isFloat(value.dtype) && !value.isClose;
    const jumps = value.isClose ? UNARY.filter((op) => op !== "sign") : UNARY;
    this.push(this.oneOf(canRound ? [...jumps, ...ROUNDING] : jumps), [at], {}, value);
  }

  #close(): void {
    const at = this.pick(({ dtype }) => isFloat(dtype));
    if (at >= 0) this.push(this.oneOf(UNARY_CLOSE), [at], {}, this.values[at]!, true);
  }

  #binary(): void {
    const a = this.pick(({ dtype }) => isNumber(dtype));
    if (a < 0) return;
    const { dtype, shape } = this.values[a]!;
    const b = this.pick((other) => other.dtype === dtype && together(shape, other.shape) !== null);
    const result = { dtype, shape: together(shape, this.values[b]!.shape)! };
    if (isFloat(dtype) && this.chance(0.2)) this.push("divide", [a, b], {}, result, true);
    else if (isWhole(dtype) && this.chance(0.15)) this.push(this.oneOf(BITWISE), [a, b], {}, result);
    else this.push(this.oneOf(BINARY), [a, b], {}, result);
  }

  #constant(): void {
    const at = this.pick(({ dtype }) => isNumber(dtype));
    if (at < 0) return;
    const { dtype, shape, isClose } = this.values[at]!;
    const value = this.oneOf(CONSTANTS);
    const fits = isFloat(dtype) || (Number.isInteger(value) && (dtype !== "uint8" || value >= 0));
    if (!fits) return;
    const attrs = { value, isLeft: this.chance(0.4) };
    if (this.chance(0.2) && !isClose) this.push(this.oneOf(COMPARE), [at], attrs, { dtype: "bool", shape });
    else if (isFloat(dtype) && this.chance(0.3)) this.push("divide", [at], attrs, { dtype, shape }, true);
    else if (isFloat(dtype) && this.chance(0.2))
      this.push("pow", [at], { value, isLeft: false }, { dtype, shape }, true);
    else if (isWhole(dtype) && value > 0 && this.chance(0.3))
      this.push(this.oneOf(["floorDivide", "remainder"]), [at], { value, isLeft: false }, { dtype, shape });
    else this.push(this.oneOf(BINARY), [at], attrs, { dtype, shape });
  }

  #compare(): void {
    const a = this.pick(({ isClose }) => !isClose);
    const { dtype, shape } = this.values[a]!;
    const fits = (other: Value): boolean =>
      other.dtype === dtype && !other.isClose && together(shape, other.shape) !== null;
    const b = this.pick(fits);
    const result = { dtype: "bool" as const, shape: together(shape, this.values[b]!.shape)! };
    this.push(dtype === "bool" ? this.oneOf(["equal", "notEqual"]) : this.oneOf(COMPARE), [a, b], {}, result);
  }

  #truth(): void {
    const a = this.pick(({ dtype }) => dtype === "bool");
    const float = this.pick(({ dtype }) => isFloat(dtype));
    if (float >= 0 && this.chance(0.3) && !this.values[float]!.isClose) {
      const { shape } = this.values[float]!;
      this.push(this.oneOf(["isnan", "isfinite", "isinf", "signbit"]), [float], {}, { dtype: "bool", shape });
    } else if (a >= 0 && this.chance(0.4)) this.push("logicalNot", [a], {}, this.values[a]!);
    else if (a >= 0) {
      const { shape } = this.values[a]!;
      const b = this.pick((other) => other.dtype === "bool" && together(shape, other.shape) !== null);
      const both = together(shape, this.values[b]!.shape)!;
      this.push(this.oneOf(LOGICAL), [a, b], {}, { dtype: "bool", shape: both });
    }
  }

  #where(): void {
    const c = this.pick(({ dtype, isClose }) => dtype === "bool" && !isClose);
    const a = this.pick(() => true);
    if (c < 0) return;
    const { dtype, shape } = this.values[a]!;
    const outer = together(this.values[c]!.shape, shape);
    if (outer === null) return;
    const b = this.pick((other) => other.dtype === dtype && together(outer, other.shape) !== null);
    if (b >= 0) this.push("where", [c, a, b], {}, { dtype, shape: together(outer, this.values[b]!.shape)! });
  }

  #cast(): void {
    const at = this.pick(() => true);
    const { dtype, shape } = this.values[at]!;
    const wider: { readonly [D in ProgramDType]?: readonly ProgramDType[] } = {
      bool: ["int32", "float64", "uint8"],
      uint8: ["int32", "int64", "float32"],
      int32: ["int64", "float64", "uint8"],
      int64: ["int32", "float64"],
      float32: ["float64"],
      float64: ["float32"],
    };
    const to = this.oneOf(wider[dtype]!);
    this.push("astype", [at], { dtype: to }, { dtype: to, shape }, to === "float32");
  }

  #reduce(): void {
    const at = this.pick(({ shape }) => shape.length > 0);
    if (at < 0) return;
    const { dtype, shape, isClose } = this.values[at]!;
    const axis = this.chance(0.3) ? null : this.int(shape.length);
    const keepdims = this.chance(0.4);
    const left = shape.flatMap((length, i) =>
      axis === null || i === axis ? (keepdims ? [1] : []) : [length],
    );
    const isEmpty = sizeOfShape(shape) === 0;
    const attrs = { axis, keepdims };
    const extreme = isEmpty ? [] : ["max", "min"];
    if (dtype === "bool") return this.push(this.oneOf(["any", "all"]), [at], attrs, { dtype, shape: left });
    if (!isClose && this.chance(0.1))
      return this.push("countNonzero", [at], attrs, { dtype: "int64", shape: left });
    const op = this.oneOf(["sum", "prod", ...extreme, ...(isFloat(dtype) && !isEmpty ? ["mean"] : [])]);
    // A sum of unsigned numbers has a type that programs do not have.
    if (dtype === "uint8" && (op === "sum" || op === "prod")) return;
    const grows = (op === "sum" || op === "prod") && isWhole(dtype);
    const result = { dtype: grows ? ("int64" as const) : dtype, shape: left };
    this.push(op, [at], attrs, result, isFloat(dtype) && !extreme.includes(op));
  }

  #move(): void {
    const at = this.pick(() => true);
    const { dtype, shape } = this.values[at]!;
    const axis = this.int(shape.length + 1);
    const own = Math.min(axis, Math.max(0, shape.length - 1));
    const moves: readonly (() => void)[] = [
      () => {
        const axes = shape.map((_, i) => i).sort(() => this.#random() - 0.5);
        this.push("permuteDims", [at], { axes }, { dtype, shape: axes.map((i) => shape[i]!) });
      },
      () => this.push("expandDims", [at], { axis }, { dtype, shape: shape.toSpliced(axis, 0, 1) }),
      () => {
        if (shape[own] === 1)
          this.push("squeeze", [at], { axis: own }, { dtype, shape: shape.toSpliced(own, 1) });
      },
      () =>
        this.push("reshape", [at], { shape: [sizeOfShape(shape)] }, { dtype, shape: [sizeOfShape(shape)] }),
      () => {
        const wide = [2, ...shape.map((n) => (n === 1 ? 3 : n))];
        this.push("broadcastTo", [at], { shape: wide }, { dtype, shape: wide });
      },
      () => {
        if (shape.length > 0) this.push("flip", [at], { axis: own }, { dtype, shape });
      },
      () => {
        if (shape.length > 0)
          this.push("roll", [at], { shift: this.int(5) - 2, axis: own }, { dtype, shape });
      },
      () => {
        if (shape.length > 0)
          this.push(
            "repeat",
            [at],
            { count: 2, axis: own },
            { dtype, shape: shape.with(own, 2 * shape[own]!) },
          );
      },
      () => {
        const { isClose } = this.values[at]!;
        if (shape.length > 0 && dtype !== "bool" && !isClose && isWhole(dtype))
          this.push("sort", [at], { axis: own }, { dtype, shape });
      },
    ];
    this.oneOf(moves)();
  }

  /** Along every axis a run, or all. */
  #runs(shape: readonly number[]): { runs: (number | null)[][]; lengths: number[] } {
    const lengths: number[] = [];
    const runs = shape.map((length) => {
      const step = this.oneOf([1, 1, 2, -1]);
      if (length === 0 || this.chance(0.4)) {
        lengths.push(length);
        return [null, null, 1];
      }
      const start = this.int(length);
      const count = 1 + this.int(step > 0 ? Math.ceil((length - start) / step) : start + 1);
      lengths.push(count);
      const stop = start + step * count;
      return [start, stop < 0 ? null : stop, step];
    });
    return { runs, lengths };
  }

  #select(): void {
    const at = this.pick(({ shape }) => shape.length > 0);
    if (at < 0) return;
    const { dtype, shape } = this.values[at]!;
    const { runs, lengths } = this.#runs(shape);
    this.push("get", [at], { runs }, { dtype, shape: lengths });
  }

  #set(): void {
    const at = this.pick(({ shape }) => shape.length > 0);
    if (at < 0) return;
    const { dtype, shape } = this.values[at]!;
    const { runs, lengths } = this.#runs(shape);
    const fits = (other: Value): boolean =>
      other.dtype === dtype && together(other.shape, lengths)?.join() === lengths.join();
    const value = this.pick(fits);
    if (value >= 0 && this.values[value]!.shape.length <= lengths.length)
      this.push("set", [at, value], { runs }, { dtype, shape });
  }

  #join(): void {
    const a = this.pick(({ shape }) => shape.length > 0);
    if (a < 0) return;
    const { dtype, shape } = this.values[a]!;
    const axis = this.int(shape.length);
    const fits = (other: Value): boolean =>
      other.dtype === dtype &&
      other.shape.length === shape.length &&
      other.shape.every((length, i) => i === axis || length === shape[i]);
    const b = this.pick(fits);
    const whole = shape.with(axis, shape[axis]! + this.values[b]!.shape[axis]!);
    this.push("concat", [a, b], { axis }, { dtype, shape: whole });
  }

  #product(): void {
    const a = this.pick(({ dtype, shape }) => isNumber(dtype) && shape.length === 2);
    if (a < 0) return;
    const { dtype, shape } = this.values[a]!;
    const b = this.pick(
      (other) => other.dtype === dtype && other.shape.length === 2 && other.shape[0] === shape[1],
    );
    if (b < 0) return;
    const result = { dtype, shape: [shape[0]!, this.values[b]!.shape[1]!] };
    this.push("matmul", [a, b], {}, result, isFloat(dtype));
  }
}

const MOST_STEPS = 9;

export function randomProgram(seed: number): RandomProgram {
  const writer = new Writer(randomOf(seed));
  const sources = 1 + writer.int(3);
  for (let i = 0; i < sources; i++) writer.source();
  const steps = 2 + writer.int(MOST_STEPS - 1);
  for (let tries = 0; writer.steps.length < steps && tries < 60; tries++) writer.step();
  const { isClose } = writer.values.at(-1)!;
  const hasAnyZero = isClose || writer.steps.some(({ op }) => ANY_ZERO.includes(op));
  return { seed, sources: writer.sources, steps: writer.steps, isClose, hasAnyZero };
}

const CHUNKS = ["all", 2, "all", 1, "all", 3, "all", 2] as const;
const LONG_CHUNKS = ["all", "all", 100, "all"] as const;

/** How a program's sources are cut: by turns in one chunk and in small ones. */
export const chunksFor = ({ seed, sources: [first] }: RandomProgram): number | "all" =>
  first!.order === undefined ? CHUNKS[seed % CHUNKS.length]! : LONG_CHUNKS[seed % LONG_CHUNKS.length]!;
