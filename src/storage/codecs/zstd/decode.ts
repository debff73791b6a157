// Zstandard without Node's: frames in, their content into given memory. The module's memory is scratch, and is kept for
// the next frame, however large: what is dropped stays until the collector of garbage comes, beside the next. It is not
// kept after a failure.

import { copyInto, once } from "../../../core/block.ts";
import { ZSTD_DECODER } from "./binary.ts";

interface Instance {
  readonly memory: WebAssembly.Memory;
  /** Where memory is free for the caller; 0 when there is not enough for the decoder itself. */
  begin(): number;
  /** Bytes of the result; -1 when the source is damaged or does not fit. */
  decode(target: number, room: number, source: number, length: number): number;
}

const PAGE = 65536;

/** Browsers compile a module of this size only in the background. */
export const zstdDecoder: () => Promise<ZstdDecoder> = once(
  async () =>
    new ZstdDecoder(await WebAssembly.compile(Uint8Array.from(atob(ZSTD_DECODER), (c) => c.charCodeAt(0)))),
);

class ZstdDecoder {
  readonly #module: WebAssembly.Module;
  #kept: Instance | undefined;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Fills `target`; false when the source is damaged or has another length. */
  into(source: Uint8Array, target: Uint8Array): boolean {
    let isFilled = false;
    const isWhole = this.#decode(source, target.length, (content) => {
      isFilled = content.length === target.length;
      if (isFilled) copyInto(target, content);
    });
    return isWhole && isFilled;
  }

  /** At most `most` bytes; null when the source is damaged or has more. */
  content(source: Uint8Array, most: number): Uint8Array | null {
    let result: Uint8Array | null = null;
    this.#decode(source, most, (content) => {
      result = content.slice();
    });
    return result;
  }

  /** Decodes up to `room` bytes and hands them to `take`, which must not keep them; false when the source is damaged. */
  #decode(source: Uint8Array, room: number, take: (content: Uint8Array) => void): boolean {
    const instance = this.#instanceWith(source.length + room + 64);
    const at = instance.begin();
    const to = at + Math.ceil(source.length / 16) * 16;
    const memory = new Uint8Array(instance.memory.buffer);
    copyInto(memory, source, at);
    // A damaged source may also end in a trap, which leaves the instance in no known state: it is kept only after this.
    const length = instance.decode(to, room, at, source.length) >>> 0;
    this.#kept = instance;
    if (length > room) return false;
    take(memory.subarray(to, to + length));
    return true;
  }

  #instanceWith(bytes: number): Instance {
    const instance = this.#kept ?? (new WebAssembly.Instance(this.#module).exports as unknown as Instance);
    this.#kept = undefined;
    const start = instance.begin();
    if (start === 0) throw new RangeError("no memory for the decoder");
    const missing = start + bytes - instance.memory.buffer.byteLength;
    if (missing > 0) instance.memory.grow(Math.ceil(missing / PAGE));
    return instance;
  }
}
