// The operands: two files per dtype, made by one seeded generator, read by every contestant, so that all see equal bits.
// Floats are uniform in [-4, 4), integers in [0, 10). A shorter operand is the beginning of the file.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ARRAYS = { float64: Float64Array, float32: Float32Array, int32: Int32Array };

/** mulberry32: uniform in [0, 1). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function numbers(dtype, count, seed) {
  const next = generator(seed);
  const out = new ARRAYS[dtype](count);
  if (dtype === "int32") for (let i = 0; i < count; i++) out[i] = next() * 10;
  else for (let i = 0; i < count; i++) out[i] = next() * 8 - 4;
  return out;
}

/** Writes x and y for every dtype used; gives the names of the files. */
export function writeData(folder, loads) {
  mkdirSync(folder, { recursive: true });
  const files = {};
  for (const dtype of new Set(loads.map((load) => load.dtype))) {
    const count = Math.max(...loads.filter((load) => load.dtype === dtype).map((load) => load.count));
    files[dtype] = { x: join(folder, `${dtype}.x`), y: join(folder, `${dtype}.y`) };
    writeFileSync(files[dtype].x, numbers(dtype, count, 1));
    writeFileSync(files[dtype].y, numbers(dtype, count, 2));
  }
  return files;
}

/** How far apart two results may be: float32 sums of 2e7 numbers differ in the fourth digit with the order alone. */
const TOLERANCE = { float64: 1e-5, float32: 1e-3, int32: 0 };

/** The largest difference between two samples, relative to the largest number; infinite if they are not alike. */
export function distance(sample, reference) {
  if (sample.length !== reference.length) return Number.POSITIVE_INFINITY;
  const scale = Math.max(...reference.values.map(Math.abs));
  const gaps = sample.values.map((value, i) => Math.abs(value - reference.values[i]) / scale);
  return gaps.some(Number.isNaN) ? Number.POSITIVE_INFINITY : Math.max(...gaps);
}

/** Whether two results at this distance are one, but for rounding. */
export const agrees = (apart, dtype) => apart <= TOLERANCE[dtype];

/** Whether the arithmetic was that of the dtype: a float64 result that is good to single precision only is said to be. */
export const isPrecise = (apart, dtype) => dtype !== "float64" || apart <= 1e-10;
