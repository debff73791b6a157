// Random expressions of 8-bit whole numbers over all their values, as programs (program.ts): every result is exact, so that one
// number, the digest of its bytes, tells whether it is what NumPy says. In: a seed. Out: always the same program for it.

import {
  type ProgramDType,
  type ProgramSource,
  type ProgramStep,
  type RandomProgram,
  randomOf,
} from "./program.ts";

const LENGTH = 256;
/** Odd factors: each of the 256 values is there once. */
const ORDERS = [
  [1, 0],
  [167, 13],
  [89, 200],
] as const;

const TYPES: readonly ProgramDType[] = ["int8", "uint8", "int8", "uint8", "int16"];
const ONE = ["negative", "abs", "square", "sign", "positive", "bitwiseInvert"];
const TWO = [
  ...["add", "subtract", "multiply", "add", "subtract", "multiply", "maximum", "minimum"],
  ...["bitwiseAnd", "bitwiseOr", "bitwiseXor"],
];
const COMPARE = ["less", "lessEqual", "greater", "greaterEqual", "equal", "notEqual"];
const LOGICAL = ["logicalAnd", "logicalOr", "logicalXor"];
const CONSTANTS = [0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 100, 127, -1, -2, -128, -7];
const SHIFTS = [0, 1, 2, 3, 7];
const MOST_STEPS = 7;

interface Known {
  readonly dtype: ProgramDType;
}

class DomainWriter {
  readonly #random: () => number;
  readonly sources: ProgramSource[] = [];
  readonly steps: ProgramStep[] = [];
  readonly #values: Known[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  source(order: number): void {
    const dtype = this.#oneOf(["int8", "uint8"] as const);
    this.sources.push({ dtype, shape: [LENGTH], data: [], order: ORDERS[order]! });
    this.#values.push({ dtype });
  }

  /** The later ones more likely; −1 where none passes. */
  #pick(test: (value: Known) => boolean): number {
    const found = this.#values.flatMap((value, at) => (test(value) ? [at] : []));
    return found.length === 0 ? -1 : found[Math.max(this.int(found.length), this.int(found.length))]!;
  }

  #push(op: string, inputs: readonly number[], attrs: ProgramStep["attrs"], dtype: ProgramDType): void {
    this.steps.push({ op, inputs, attrs });
    this.#values.push({ dtype });
  }

  step(): void {
    const number = this.#pick(({ dtype }) => dtype !== "bool");
    const { dtype } = this.#values[number]!;
    const other = this.#pick((value) => value.dtype === dtype);
    const truth = this.#pick((value) => value.dtype === "bool");
    const kind = this.int(12);
    if (kind < 2) this.#push(this.#oneOf(ONE), [number], {}, dtype);
    else if (kind < 4) this.#push(this.#oneOf(TWO), [number, other], {}, dtype);
    else if (kind < 7) this.#constant(number, dtype);
    else if (kind === 7) this.#push(this.#oneOf(COMPARE), [number, other], {}, "bool");
    else if (kind === 8) this.#cast();
    else if (kind === 9 && truth >= 0) this.#push("where", [truth, number, other], {}, dtype);
    else if (kind === 10 && truth >= 0) this.#truth(truth);
    else this.#push(this.#oneOf(TWO), [other, number], {}, dtype);
  }

  #constant(at: number, dtype: ProgramDType): void {
    const fitting = CONSTANTS.filter((value) => dtype !== "uint8" || value >= 0);
    const value = this.#oneOf(fitting.filter((each) => dtype !== "uint8" || each < 256));
    const kind = this.int(6);
    if (kind === 0) this.#push(this.#oneOf(COMPARE), [at], { value, isLeft: this.int(2) === 0 }, "bool");
    else if (kind === 1)
      this.#push(
        this.#oneOf(["bitwiseLeftShift", "bitwiseRightShift"]),
        [at],
        { value: this.#oneOf(SHIFTS), isLeft: false },
        dtype,
      );
    else if (kind === 2 && value !== 0)
      this.#push(this.#oneOf(["floorDivide", "remainder"]), [at], { value, isLeft: false }, dtype);
    else this.#push(this.#oneOf(TWO), [at], { value, isLeft: this.int(2) === 0 }, dtype);
  }

  #cast(): void {
    const at = this.#pick(() => true);
    const to = this.#oneOf([...TYPES, "bool"] as const);
    this.#push("astype", [at], { dtype: to }, to);
  }

  #truth(at: number): void {
    const other = this.#pick(({ dtype }) => dtype === "bool");
    if (this.int(3) === 0) this.#push("logicalNot", [at], {}, "bool");
    else this.#push(this.#oneOf(LOGICAL), [at, other], {}, "bool");
  }
}

export function domainProgram(seed: number): RandomProgram {
  const writer = new DomainWriter(randomOf(seed));
  const sources = 1 + writer.int(2);
  for (let i = 0; i < sources; i++) writer.source(i === 0 ? 0 : 1 + writer.int(ORDERS.length - 1));
  const steps = 2 + writer.int(MOST_STEPS - 1);
  while (writer.steps.length < steps) writer.step();
  return { seed, sources: writer.sources, steps: writer.steps, isClose: false, hasAnyZero: false };
}

/** FNV-1a of bytes. */
export function digestOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}
