// Bytes of the WebAssembly binary format. In: numbers and names. Out: their encodings.

/** LEB128, unsigned. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** LEB128, signed. */
export function signed(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (;;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const isLast = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

const scratch = new DataView(new ArrayBuffer(8));

export function float64(value: number): number[] {
  scratch.setFloat64(0, value, true);
  return Array.from(new Uint8Array(scratch.buffer, 0, 8));
}

export function float32(value: number): number[] {
  scratch.setFloat32(0, value, true);
  return Array.from(new Uint8Array(scratch.buffer, 0, 4));
}

export function name(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  return [...unsigned(bytes.length), ...bytes];
}

/** A section or a body: its length, then its bytes. */
export const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];

/** How many items, then their bytes. A body has thousands of bytes: spreading or flattening them takes longer. */
export function vector(items: readonly (readonly number[])[]): number[] {
  const bytes = unsigned(items.length);
  for (const item of items) for (const byte of item) bytes.push(byte);
  return bytes;
}
