// Memory for bytes on their way: taken, filled, read and given back. Fresh memory costs more than filling it (the
// system hands it out page by page), so what was given back is kept for the next, within bounds.

/** Buffers are of these many bytes times a power of two. */
const LEAST = 1 << 16;
/** Longer ones are not kept. */
const LONGEST_KEPT = 1 << 24;
const MOST_KEPT_BYTES = 1 << 25;

/** The shortest first. */
const kept: Uint8Array[] = [];
let keptBytes = 0;

/** At least so many bytes, holding whatever was there before. */
export function takeScratch(length: number): Uint8Array {
  const at = kept.findIndex((bytes) => bytes.length >= length);
  if (at < 0) return new Uint8Array(length > LONGEST_KEPT ? length : roundedUp(length));
  const [bytes] = kept.splice(at, 1);
  keptBytes -= bytes!.length;
  return bytes!;
}

/** Nobody may look at it any more. */
export function giveScratch(bytes: Uint8Array): void {
  if (bytes.length > LONGEST_KEPT) return;
  const at = kept.findIndex(({ length }) => length >= bytes.length);
  kept.splice(at < 0 ? kept.length : at, 0, bytes);
  keptBytes += bytes.length;
  while (keptBytes > MOST_KEPT_BYTES) keptBytes -= kept.shift()!.length;
}

function roundedUp(length: number): number {
  let size = LEAST;
  while (size < length) size *= 2;
  return size;
}
