// A codec as a module that every thread can import, for examples/own-codec.ts. Its default export makes the codec of a
// configuration, as the array's metadata have it.

/** Differences of neighbouring bytes at a distance: small numbers, which compressors like. */
export default function delta({ distance = 1 }) {
  const changed = (bytes, sign, from) => {
    const result = Uint8Array.from(bytes);
    for (let i = distance; i < bytes.length; i++) result[i] += sign * from(result, bytes)[i - distance];
    return result;
  };
  return {
    encode: (bytes) => changed(bytes, -1, (_, plain) => plain),
    decode: (bytes) => changed(bytes, 1, (decoded) => decoded),
  };
}
