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
