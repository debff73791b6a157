// What programs read. In: the library, the name of an array, how it is to be had. Out: a lazy array. Every kind of one
// name has the same values in the same chunks, so that one reference does for all of them.
// Must hold: dozens of chunks each, lengths that chunks do not divide, values in no order that a mistake would keep.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Between 50 and 100 chunks, 4 to 5 MB together (less where elements are small); large ones are ten times as much. */
const ARRAYS = {
  line: { dtype: "float64", shape: [600_000], chunks: [9973] },
  plane: { dtype: "float64", shape: [800, 760], chunks: [96, 84] },
  cube: { dtype: "float64", shape: [60, 100, 104], chunks: [13, 30, 26] },
  line32: { dtype: "float32", shape: [1_000_000], chunks: [16_661] },
  plane32: { dtype: "float32", shape: [1100, 1000], chunks: [128, 120] },
  counts: { dtype: "int32", shape: [1100, 1000], chunks: [128, 120] },
  bytes: { dtype: "uint8", shape: [1100, 1000], chunks: [128, 120] },
  shorts: { dtype: "int16", shape: [1_100_000], chunks: [20_011] },
  longs: { dtype: "int64", shape: [700, 800], chunks: [96, 84] },
  waves: { dtype: "complex128", shape: [300_000], chunks: [6007] },
  field: { dtype: "complex64", shape: [800, 740], chunks: [96, 84] },
};

const LARGE = {
  line: { shape: [6_500_000], chunks: [99_991] },
  plane: { shape: [2600, 2500], chunks: [270, 260] },
  cube: { shape: [190, 180, 186], chunks: [40, 50, 47] },
};

export const KINDS = ["typed", "formula", "plain", "zstd", "sharded", "v2", "http", "httpSharded"];
export const NAMES = Object.keys(ARRAYS);
export const LARGE_NAMES = Object.keys(LARGE);

export const sourceOf = (name, size) => ({ ...ARRAYS[name], ...(size === "large" ? LARGE[name] : {}) });

const fileOf = (folder, name, size, kind) => join(folder, `${name}-${size}`, kind);

/** Sines of the places: nothing is read, and every chunk is computed by who needs it. */
function formula(cw, { dtype, shape, chunks }) {
  const options = (axis) => ({ dtype: "float64", chunks: [chunks[axis]] });
  const along = (axis) => {
    const places = cw
      .arange(0, shape[axis], 1, options(axis))
      .multiply([0.7390851, 1.3247179, 2.6651441][axis]);
    return places.get(...shape.map((_, other) => (other === axis ? ":" : null)));
  };
  const waves = shape
    .map((_, axis) => along(axis))
    .reduce((sum, next) => sum.add(next))
    .sin();
  if (dtype === "float64") return waves;
  if (dtype.startsWith("complex"))
    return waves.multiply(new cw.Complex(0.75, -1.5)).add(waves.square()).astype(dtype);
  if (dtype === "float32") return waves.astype(dtype);
  return waves
    .add(dtype === "uint8" ? 1 : 0.25)
    .multiply(dtype === "uint8" ? 100 : 1000)
    .floor()
    .astype(dtype);
}

/** How each kind is written. */
function storageOf(kind, { chunks }) {
  if (kind === "plain") return { codecs: [] };
  if (kind === "zstd") return { codecs: ["zstd", "crc32c"] };
  if (kind === "v2") return { zarrFormat: 2, codecs: [{ name: "zlib", configuration: { level: 1 } }] };
  return { shards: chunks.map((length, axis) => length * (axis === 0 ? 3 : 2)), codecs: ["crc32c"] };
}

const TYPES = {
  ...{ float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array },
  ...{ int16: Int16Array, int64: BigInt64Array, complex128: Float64Array, complex64: Float32Array },
};

/** Bytes in a file of its own, as a typed array. */
export function valuesIn(path, dtype) {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  // Node's small files share a buffer.
  return new TYPES[dtype](buffer.slice(byteOffset, byteOffset + byteLength));
}

/** What is read where a kind is asked for: formulas read nothing, and servers show what others read. */
export const storedKind = (kind) =>
  ({ formula: "typed", http: "zstd", httpSharded: "sharded" })[kind] ?? kind;

/** The values themselves, which all other kinds are made of. `write` keeps bytes, `values` gives them. */
async function writeTyped({ cw, values, write }, folder, name, size) {
  write(fileOf(folder, name, size, "typed.bin"), await values(formula(cw, sourceOf(name, size))));
}

/** Everything that opens is written once, the typed values first. */
export async function writeSource(setting, folder, { name, size, kind }) {
  if (kind === "typed") return writeTyped(setting, folder, name, size);
  const typed = await openSource(setting.cw, { folder }, name, size, "typed");
  const storage = storageOf(kind, sourceOf(name, size));
  await typed.toZarr(fileOf(folder, name, size, kind), { ...storage, executor: "inline" });
}

/** `place` says where sources lie, and at which address they are served. */
export async function openSource(cw, place, name, size, kind) {
  const source = sourceOf(name, size);
  const { dtype, shape, chunks } = source;
  if (kind === "formula") return formula(cw, source);
  if (kind === "typed") {
    const data = valuesIn(fileOf(place.folder, name, size, "typed.bin"), dtype);
    return cw.asarray(new cw.NDArray(data, shape, dtype), { chunks });
  }
  if (kind === "http") return cw.fromZarr(`${place.address}/${name}-${size}/zstd`);
  if (kind === "httpSharded") return cw.fromZarr(`${place.address}/${name}-${size}/sharded`);
  return cw.fromZarr(fileOf(place.folder, name, size, kind));
}
