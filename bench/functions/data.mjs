// Arrays for the cases, the same bytes for us and for the peer. In: a kind and a shape. Out: a file of float64, or of int32 where
// elements are labels, made once.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Marsaglia's xorshift, 32 bits at a time; two make a double with all of its digits. */
function randomDoubles(seed) {
  let state = seed;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => (next() * 0x200000 + (next() >>> 11)) / 2 ** 53;
}

const KINDS = {
  uniform: (random) => random,
  normal: (random) => () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  /** One in ten is NaN. */
  gaps: (random) => () => (random() < 0.1 ? Number.NaN : random()),
  /** Whole numbers below 1000. */
  labels: (random) => () => Math.floor(random() * 1000),
  /** 0 to 11, again and again. */
  months: () => {
    let at = 0;
    return () => at++ % 12;
  },
};

const LABELS = new Set(["labels", "months"]);

/** What arrays of a kind are made of. */
export const dtypeOf = ({ kind }) => (LABELS.has(kind) ? "int32" : "float64");

/** The path of the file. */
export function dataFile(folder, wanted) {
  const { kind, shape } = wanted;
  const path = join(folder, `${kind}-${shape.join("x")}.${dtypeOf(wanted)}`);
  if (existsSync(path)) return path;
  const count = shape.reduce((size, length) => size * length, 1);
  const values = dtypeOf(wanted) === "int32" ? new Int32Array(count) : new Float64Array(count);
  const draw = KINDS[kind](randomDoubles(2463534242));
  for (let i = 0; i < count; i++) values[i] = draw();
  writeFileSync(path, new Uint8Array(values.buffer));
  return path;
}
