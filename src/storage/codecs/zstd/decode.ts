// Zstandard without Node's: frames in, their content into given memory. The module's memory is scratch, and is kept for
// the next frame, however large: what is dropped stays until the collector of garbage comes, beside the next. It is not
// kept after a failure.

import { copyInto } from "../../../core/copy.ts";
import { ZSTD_DECODER } from "./binary.ts";

interface Decoder {
  readonly memory: WebAssembly.Memory;
  /** Where memory is free for the caller; 0 when there is not enough for the decoder itself. */
  begin(): number;
  /** Bytes of the result; -1 when the source is damaged or does not fit. */
  decode(target: number, room: number, source: number, length: number): number;
}

const PAGE = 65536;

let module: WebAssembly.Module | undefined;
let kept: Decoder | undefined;

/** To be waited for before the first use: browsers compile a module of this size only in the background. */
export async function prepareZstd(): Promise<void> {
  module ??= await WebAssembly.compile(Uint8Array.from(atob(ZSTD_DECODER), (c) => c.charCodeAt(0)));
}

function decoderWith(bytes: number): Decoder {
  const decoder = kept ?? (new WebAssembly.Instance(module!).exports as unknown as Decoder);
  kept = undefined;
  const start = decoder.begin();
  if (start === 0) throw new RangeError("no memory for the decoder");
  const missing = start + bytes - decoder.memory.buffer.byteLength;
  if (missing > 0) decoder.memory.grow(Math.ceil(missing / PAGE));
  return decoder;
}

/** Decodes up to `room` bytes and hands them to `take`, which must not keep them; false when the source is damaged. */
function decodeWith(source: Uint8Array, room: number, take: (content: Uint8Array) => void): boolean {
  const decoder = decoderWith(source.length + room + 64);
  const at = decoder.begin();
  const to = at + Math.ceil(source.length / 16) * 16;
  const memory = new Uint8Array(decoder.memory.buffer);
  copyInto(memory, source, at);
  // A damaged source may also end in a trap, which leaves the decoder in no known state: it is kept only after this.
  const length = decoder.decode(to, room, at, source.length) >>> 0;
  kept = decoder;
  if (length > room) return false;
  take(memory.subarray(to, to + length));
  return true;
}

/** Fills `target`; false when the source is damaged or has another length. */
export function zstdInto(source: Uint8Array, target: Uint8Array): boolean {
  let isFilled = false;
  const isWhole = decodeWith(source, target.length, (content) => {
    isFilled = content.length === target.length;
    if (isFilled) copyInto(target, content);
  });
  return isWhole && isFilled;
}

/** At most `most` bytes; null when the source is damaged or has more. */
export function zstdContent(source: Uint8Array, most: number): Uint8Array | null {
  let result: Uint8Array | null = null;
  decodeWith(source, most, (content) => {
    result = content.slice();
  });
  return result;
}
