// A typed WebAssembly assembler. In: instructions by name, locals by number. Out: a function's bytes.
// Must hold: every instruction finds the types it takes on the stack; a block leaves the stack as it found it.

import { InvariantError } from "../../core/errors.ts";
import { INSTRUCTIONS, type ValueType } from "./instructions.ts";

// Bytes of the WebAssembly binary format, one after another. In: numbers, names, and bytes that others wrote. Out: one run
// of bytes. Must hold: nothing is written to a writer that is finished, whose memory is then its reader's.

/** Most kernels fit. */
const FIRST_ROOM = 4096;

const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);
const encoder = new TextEncoder();

export class ByteWriter {
  #room: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_ROOM);
  #length = 0;

  byte(value: number): this {
    if (this.#length === this.#room.length) this.#grow(1);
    this.#room[this.#length++] = value;
    return this;
  }

  bytes(values: ArrayLike<number>): this {
    if (this.#length + values.length > this.#room.length) this.#grow(values.length);
    this.#room.set(values, this.#length);
    this.#length += values.length;
    return this;
  }

  /** LEB128, of whole numbers from 0 on. */
  unsigned(value: number): this {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 0x80);
    return this.byte(rest);
  }

  /** LEB128, of an i32. */
  signed(value: number): this {
    let rest = value | 0;
    // Six bits and a sign fit in a byte.
    for (; rest < -64 || rest > 63; rest >>= 7) this.byte((rest & 0x7f) | 0x80);
    return this.byte(rest & 0x7f);
  }

  /** LEB128, of an i64. */
  signed64(value: bigint): this {
    let rest = BigInt.asIntN(64, value);
    for (; rest < -64n || rest > 63n; rest >>= 7n) this.byte(Number(rest & 0x7fn) | 0x80);
    return this.byte(Number(rest & 0x7fn));
  }

  float64(value: number): this {
    scratch.setFloat64(0, value, true);
    return this.bytes(scratchBytes);
  }

  float32(value: number): this {
    scratch.setFloat32(0, value, true);
    return this.bytes(scratchBytes.subarray(0, 4));
  }

  /** A section, a body or a name: its length, then its bytes. */
  sized(part: ByteWriter | Uint8Array): this {
    const bytes = part instanceof ByteWriter ? part.finish() : part;
    return this.unsigned(bytes.length).bytes(bytes);
  }

  name(text: string): this {
    return this.sized(encoder.encode(text));
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.#length);
  }

  #grow(by: number): void {
    const room = new Uint8Array(2 * (this.#length + by));
    room.set(this.#room);
    this.#room = room;
  }
}

export const TYPE_CODE: { readonly [T in ValueType]: number } = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

export interface Local {
  readonly number: number;
  readonly type: ValueType;
}

/** Where a branch can go. */
interface Frame {
  readonly height: number;
}

export class FunctionWriter {
  readonly #parameters: readonly ValueType[];
  readonly #locals: ValueType[] = [];
  readonly #code: ByteWriter = new ByteWriter();
  readonly #stack: ValueType[] = [];
  readonly #frames: Frame[] = [];
  readonly #kept = new Map<object, { readonly local: Local; readonly number: number }>();
  /** Locals in use, in the order in which they were made, and those that are free again. */
  readonly #taken: Local[] = [];
  readonly #free: { [T in ValueType]: Local[] } = { i32: [], i64: [], f32: [], f64: [], v128: [] };

  constructor(parameters: readonly ValueType[]) {
    this.#parameters = parameters;
  }

  parameter(number: number): Local {
    return { number, type: this.#parameters[number]! };
  }

  local(type: ValueType): Local {
    const free = this.#free[type].pop();
    if (free !== undefined) {
      this.#taken.push(free);
      return free;
    }
    const number = this.#parameters.length + this.#locals.push(type) - 1;
    const local = { number, type };
    this.#taken.push(local);
    return local;
  }

  /** What is kept for an instruction from one turn of a loop to the next: a local, 0 at first, and a number of its own. */
  keptFor(instruction: object): { readonly local: Local; readonly number: number } {
    let kept = this.#kept.get(instruction);
    if (kept === undefined) {
      // Not one that is free again: that may hold something.
      const number = this.#parameters.length + this.#locals.push("i64") - 1;
      kept = { local: { number, type: "i64" }, number: this.#kept.size };
      this.#kept.set(instruction, kept);
    }
    return kept;
  }

  get keeps(): boolean {
    return this.#kept.size > 0;
  }

  /** Locals that the body makes are others' behind it. */
  reusing(body: () => void): this {
    const before = this.#taken.length;
    body();
    for (const local of this.#taken.splice(before)) this.#free[local.type].push(local);
    return this;
  }

  /** An instruction of the table; immediates follow its code. */
  op(name: string, ...immediates: readonly number[]): this {
    const info = INSTRUCTIONS.get(name);
    if (info === undefined) throw new InvariantError({ what: `there is no instruction ${name}` });
    for (let i = info.takes.length - 1; i >= 0; i--) this.#pop(info.takes[i]!, name);
    this.#code.bytes(info.bytes);
    for (const immediate of immediates) this.#code.byte(immediate);
    if (info.gives !== null) this.#stack.push(info.gives);
    return this;
  }

  /** A load or store at an offset from the address on the stack; nothing is assumed of its alignment. */
  memory(name: string, offset = 0, lane?: number): this {
    this.op(name, 0);
    this.#code.unsigned(offset);
    if (lane !== undefined) this.#code.byte(lane);
    return this;
  }

  i32(value: number): this {
    this.#code.byte(0x41).signed(value);
    this.#stack.push("i32");
    return this;
  }
  i64(value: bigint): this {
    this.#code.byte(0x42).signed64(value);
    this.#stack.push("i64");
    return this;
  }
  f32(value: number): this {
    this.#code.byte(0x43).float32(value);
    this.#stack.push("f32");
    return this;
  }
  f64(value: number): this {
    this.#code.byte(0x44).float64(value);
    this.#stack.push("f64");
    return this;
  }
  /** Sixteen bytes of two vectors, by number. */
  shuffle(lanes: readonly number[]): this {
    this.#pop("v128", "i8x16.shuffle");
    this.#pop("v128", "i8x16.shuffle");
    this.#code.byte(0xfd).byte(0x0d).bytes(lanes);
    this.#stack.push("v128");
    return this;
  }

  get({ number, type }: Local): this {
    this.#code.byte(0x20).unsigned(number);
    this.#stack.push(type);
    return this;
  }
  set({ number, type }: Local): this {
    this.#pop(type, "local.set");
    this.#code.byte(0x21).unsigned(number);
    return this;
  }

  /** set, and the value stays on the stack. */
  tee({ number, type }: Local): this {
    this.#pop(type, "local.tee");
    this.#stack.push(type);
    this.#code.byte(0x22).unsigned(number);
    return this;
  }
  /** An imported i32 that never changes. */
  global(number: number): this {
    this.#code.byte(0x23).unsigned(number);
    this.#stack.push("i32");
    return this;
  }

  /** condition ? first : second, of one type; the condition is on top of the stack. */
  select(type: ValueType): this {
    this.#pop("i32", "select");
    this.#pop(type, "select");
    this.#pop(type, "select");
    if (type === "v128") this.#code.byte(0x1c).byte(1).byte(TYPE_CODE.v128);
    else this.#code.byte(0x1b);
    this.#stack.push(type);
    return this;
  }

  block(body: (label: number) => void): this {
    return this.#structure(0x02, body);
  }
  loop(body: (label: number) => void): this {
    return this.#structure(0x03, body);
  }
  /** Runs the first if the i32 on the stack is not 0, else the second. */
  either(yes: () => void, no: () => void): this {
    return this.when(() => {
      yes();
      this.#code.byte(0x05);
      no();
    });
  }
  /** Runs the body if the i32 on the stack is not 0. */
  when(body: () => void): this {
    this.#pop("i32", "if");
    return this.#structure(0x04, body);
  }

  #structure(code: number, body: (label: number) => void): this {
    this.#code.byte(code).byte(0x40);
    const height = this.#stack.length;
    this.#frames.push({ height });
    body(this.#frames.length);
    this.#frames.pop();
    if (this.#stack.length !== height)
      throw new InvariantError({ what: `a block leaves ${this.#stack.length - height} values` });
    this.#code.byte(0x0b);
    return this;
  }

  /** To the end of a block, or the begin of a loop, if the i32 on the stack is not 0. */
  branchIf(label: number): this {
    this.#pop("i32", "br_if");
    this.#code.byte(0x0d).unsigned(this.#frames.length - label);
    return this;
  }

  /** The same without a condition. What follows in the block is not reached. */
  branch(label: number): this {
    this.#code.byte(0x0c).unsigned(this.#frames.length - label);
    return this;
  }

  /** To the label with the number on the stack; to the other where there is none. What follows is not reached. */
  branchTable(labels: readonly number[], other: number): this {
    this.#pop("i32", "br_table");
    this.#code.byte(0x0e).unsigned(labels.length);
    for (const label of [...labels, other]) this.#code.unsigned(this.#frames.length - label);
    return this;
  }

  call(index: number, takes: readonly ValueType[]): this {
    for (let i = takes.length - 1; i >= 0; i--) this.#pop(takes[i]!, "call");
    this.#code.byte(0x10).unsigned(index);
    return this;
  }

  #pop(type: ValueType, by: string): void {
    const found = this.#stack.pop();
    if (found !== type)
      throw new InvariantError({ what: `${by} takes ${type} and finds ${found ?? "nothing"}` });
  }

  /** Locals and code, as the code section holds them. */
  body(): ByteWriter {
    if (this.#stack.length !== 0)
      throw new InvariantError({ what: `the function leaves ${this.#stack.length} values` });
    const body = new ByteWriter();
    this.#writeLocals(body);
    return body.bytes(this.#code.finish()).byte(0x0b);
  }

  /** How many runs of one type there are; each with its length. */
  #writeLocals(body: ByteWriter): void {
    const begins = this.#locals.flatMap((type, i) => (type === this.#locals[i - 1] ? [] : [i]));
    body.unsigned(begins.length);
    begins.forEach((begin, run) => {
      const end = begins[run + 1] ?? this.#locals.length;
      body.unsigned(end - begin).byte(TYPE_CODE[this.#locals[begin]!]);
    });
  }
}
