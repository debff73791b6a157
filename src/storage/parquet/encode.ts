// Numbers and values as pages hold them: runs (the counterpart of hybrid.ts) and plain values (of plain.ts).

import type { PhysicalValues } from "./physical.ts";

/** A buffer that grows at its end. */
export class Output {
  #bytes: Uint8Array;
  #length = 0;

  constructor(expected = 256) {
    this.#bytes = new Uint8Array(expected);
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.space(1)[0] = value;
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    this.byte(rest);
  }

  append(bytes: Uint8Array): void {
    this.space(bytes.length).set(bytes);
  }

  /** The next so many bytes, to be written at once. They are zero. */
  space(length: number): Uint8Array {
    if (this.#length + length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#length += length;
    return this.#bytes.subarray(this.#length - length, this.#length);
  }
}

type Numbers = Uint8Array | Uint32Array;

/** Eight numbers or more of a kind are a run; the others are packed in groups of eight. */
export function packRuns(numbers: Numbers, width: number): Uint8Array {
  const output = new Output(64 + Math.ceil((numbers.length * width) / 8));
  for (let at = 0; at < numbers.length; ) {
    const run = runAt(numbers, at);
    if (run >= 8 || at + run === numbers.length) {
      output.varint(2 * run);
      for (let byte = 0; byte < width; byte += 8) output.byte((numbers[at]! >>> byte) & 255);
      at += run;
    } else at = packGroups(output, numbers, at, width);
  }
  return output.done();
}

function runAt(numbers: Numbers, at: number): number {
  let end = at + 1;
  while (end < numbers.length && numbers[end] === numbers[at]) end++;
  return end - at;
}

/** Groups of eight until a run begins at a group's start; where that is. */
function packGroups(output: Output, numbers: Numbers, start: number, width: number): number {
  let end = start + 8;
  while (end < numbers.length && !runIsLong(numbers, end)) end += 8;
  const groups = (end - start) / 8;
  output.varint(2 * groups + 1);
  packBits(numbers, start, Math.min(end, numbers.length), width, output.space(groups * width));
  return end;
}

function runIsLong(numbers: Numbers, at: number): boolean {
  const end = Math.min(at + 8, numbers.length);
  for (let i = at + 1; i < end; i++) if (numbers[i] !== numbers[at]) return false;
  return true;
}

function packBits(numbers: Numbers, from: number, to: number, width: number, target: Uint8Array): void {
  let at = 0;
  let buffer = 0;
  let bits = 0;
  for (let i = from; i < to; i++) {
    // Dictionaries have fewer than 2²⁴ values, so 31 bits are enough.
    buffer |= numbers[i]! << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      target[at++] = buffer;
      buffer >>>= 8;
    }
  }
  if (bits > 0) target[at] = buffer;
}

export function plainBytes(values: PhysicalValues, isBoolean: boolean): Uint8Array {
  if (values.kind === "fixed") return isBoolean ? packedBooleans(values.bytes) : values.bytes;
  const { offsets, bytes, count } = values;
  const result = new Uint8Array(4 * count + offsets[count]! - offsets[0]!);
  const view = new DataView(result.buffer);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const length = offsets[i + 1]! - offsets[i]!;
    view.setUint32(at, length, true);
    result.set(bytes.subarray(offsets[i]!, offsets[i + 1]!), at + 4);
    at += 4 + length;
  }
  return result;
}

function packedBooleans(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.ceil(bytes.length / 8));
  for (let i = 0; i < bytes.length; i++)
    if (bytes[i] !== 0) result[i >>> 3] = result[i >>> 3]! | (1 << (i & 7));
  return result;
}
