// Operands for rules under test: sources in memory, filled with values that show what a rule gets wrong.
// In: a seed text and how to fill. Out: the same data for the same seed, on every machine.

import { type Block, newBlock } from "../../src/core/block.ts";
import { type Shape, singleChunk } from "../../src/core/chunks.ts";
import { type DType, infoOf, isFloat, isWide } from "../../src/core/dtype.ts";
import { integerRange } from "../../src/core/numbers.ts";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { DataResource, dataOp, sourceAttrs } from "../../src/lazy/lazyArray.ts";

/**
 * - `special`: NaN, ±inf, ±0, subnormals, huge and tiny numbers, the ends of integers
 * - `mild`: the same without what over- or underflows as soon as it is added or multiplied
 * - `ordinary`: numbers of about 1, of both signs
 * - `positive`: the same above zero, so that nothing is divided by zero or shifted by less than nothing
 */
export type Profile = "special" | "mild" | "ordinary" | "positive";

type Slot = number | bigint;
type Random = () => number;

const MILD = [0, -0, 1, -1, 0.5, 2, -2.5, NaN, Infinity, -Infinity, 3, -0.125];
const SPECIAL_DOUBLES = [
  ...MILD,
  ...[5e-324, -5e-324, 2 ** -1022, 1e-20, 1 + 2 ** -52, 1 - 2 ** -53, 710, -746],
  ...[1e155, -1e155, Number.MAX_VALUE, -Number.MAX_VALUE],
];
const SPECIAL_SINGLES = [
  ...MILD,
  ...[2 ** -149, -(2 ** -149), 2 ** -126, 1e-9, 1 + 2 ** -23, 1 - 2 ** -24, 89, -104],
  ...[1e19, -1e19, 3.4028234663852886e38, -3.4028234663852886e38],
];

/** Everything of a profile that is worth trying in every combination; empty where it is all chance. */
export function listed(dtype: DType, profile: Profile): readonly Slot[] {
  if (dtype === "bool") return [0, 1];
  const { part } = infoOf(dtype);
  if (profile === "ordinary" || profile === "positive") return [];
  if (isFloat(part))
    return profile === "mild" ? MILD : part === "float64" ? SPECIAL_DOUBLES : SPECIAL_SINGLES;
  const [min, max] = integerRange(dtype);
  const edges = [0n, 1n, 2n, 3n, 7n, 8n, 9n, min, max, min + 1n, max - 1n, max / 2n, max / 2n + 1n];
  const all = min < 0n ? [...edges, -1n, -2n, -3n, -8n] : edges;
  return isWide(dtype) ? all : all.map(Number);
}

function slotOf(dtype: DType, profile: Profile, random: Random): Slot {
  const list = listed(dtype, profile);
  if (dtype === "bool" || (list.length > 0 && random() < 0.75)) return pick(list, random);
  const { part } = infoOf(dtype);
  if (isFloat(part)) return profile === "positive" ? 0.1 + 3 * random() : 8 * random() - 4;
  const small = profile === "positive" || part.startsWith("u") ? 1 + 9 * random() : 19 * random() - 9;
  return isWide(dtype) ? BigInt(Math.floor(small)) : Math.floor(small);
}

export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!;

/** mulberry32, seeded by any text. */
export function randomOf(seed: string): Random {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Values by chance. */
export function randomBlock(dtype: DType, shape: Shape, profile: Profile, seed: string): Block {
  const random = randomOf(seed);
  const block = newBlock(dtype, shape);
  const slots = block.data as Float64Array;
  for (let i = 0; i < slots.length; i++) slots[i] = slotOf(dtype, profile, random) as number;
  return block;
}

/** How long an array must be to hold every pair of listed values; more operands are left to chance. */
export const LONGEST: number = 26 * 26;

/** Element i of the first operand is value i mod n, of the second i / n mod n: every pair of listed values. */
export function pairedBlock(
  dtype: DType,
  shape: Shape,
  profile: Profile,
  operand: number,
  seed: string,
): Block {
  const block = randomBlock(dtype, shape, profile, seed);
  const list = listed(dtype, profile);
  if (list.length === 0 || operand > 1) return block;
  const slots = block.data as Float64Array;
  const turn = operand === 0 ? 1 : list.length;
  for (let i = 0; i < slots.length; i++) slots[i] = list[Math.floor(i / turn) % list.length]! as number;
  return block;
}

export const sourceOf = (block: Block): Expr =>
  makeExpr(dataOp, [], {
    ...sourceAttrs(block, singleChunk(block.shape)),
    data: new DataResource(block),
  });
