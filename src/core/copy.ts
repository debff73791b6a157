// Elements from one typed array into another of the same kind. In: a run of them, and where it goes. Out: the copy.
// Engines keep writes into shared memory atomic, word by word, at two thirds of the speed of a plain copy. Node's
// `Buffer.fill` with as many bytes as there is room for is a plain copy; elsewhere `set` has to do.
// Must hold: the places do not overlap.

type Words = Uint8Array | Uint16Array | Uint32Array;

interface Place {
  fill(value: Uint8Array): unknown;
}

const { Buffer: NodeBuffer } = globalThis as unknown as {
  Buffer?: { from(buffer: ArrayBufferLike, at: number, length: number): Place };
};

/** Below, two more views cost more than they save. */
const LONG_BYTES = 8192;

const isShared = ({ buffer }: Words): boolean =>
  typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;

/** target[at + i] = run[i]. */
export function copyInto<W extends Words>(target: W, run: W, at = 0): void {
  const { byteLength, BYTES_PER_ELEMENT: size } = run;
  const isPlain = NodeBuffer === undefined || byteLength < LONG_BYTES || !(isShared(target) || isShared(run));
  if (isPlain || at * size + byteLength > target.byteLength) target.set(run, at);
  else {
    const bytes = new Uint8Array(run.buffer, run.byteOffset, byteLength);
    NodeBuffer.from(target.buffer, target.byteOffset + at * size, byteLength).fill(bytes);
  }
}
