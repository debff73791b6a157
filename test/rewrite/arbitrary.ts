// Random programs that rules have something to do with, and everything else now and then.
// In: a seed. Out: a program of which every value is a case. Reuses the makers of all functions.
// Must hold: the same seed gives the same program; sources have values of one profile.

import * as cw from "chunkwise";
import type { DType } from "../../src/core/dtype.ts";
import { ChunkwiseError } from "../../src/core/errors.ts";
import { ALL_FAMILIES, type Family } from "../property/arbitrary.ts";
import { Choices } from "../property/choices.ts";
import { MOVES } from "../property/makers/moves.ts";
import { SELECTIONS } from "../property/makers/selections.ts";
import { Cut, type Source } from "../property/program.ts";
import { type Maker, ProgramWriter } from "../property/writer.ts";
import {
  byConstant,
  cancel,
  chain,
  distribute,
  nest,
  pairOf,
  pow,
  smoothChain,
  smoothNest,
  unaryOf,
} from "./makers/arithmetic.ts";
import { formula, product } from "./makers/formulas.ts";
import { joinParts, reduce, reduceTruth, sliceOf, transposeTwice } from "./makers/layout.ts";
import { castTwice, choose, compare, countTests, divisions, filled } from "./makers/logic.ts";
import { numeric } from "./makers/values.ts";
import { type Profile, pick, randomBlock, randomOf } from "./operands.ts";

/** A maker whose call may be refused: then nothing comes of it. */
const safely =
  (maker: Maker): Maker =>
  (writer, choices) => {
    try {
      return maker(writer, choices);
    } catch (error) {
      if (error instanceof ChunkwiseError) return null;
      throw error;
    }
  };

const family = (makers: { readonly [name: string]: Maker }): Family =>
  new Map(Object.entries(makers).map(([name, maker]) => [name, safely(maker)]));

const binaryMakers = (names: readonly string[], fits: (x: cw.LazyArray) => boolean): [string, Maker][] =>
  names.map((name) => [name, pairOf(name, fits)]);

/** Continuous functions: small errors stay small, mostly. */
const SMOOTH_ARITHMETIC: Family = family({
  ...Object.fromEntries(
    binaryMakers(["add", "subtract", "multiply", "divide", "maximum", "minimum"], numeric),
  ),
  ...{ pow, smoothNest, cancel, distribute, smoothChain },
});
const SMOOTH_UNARY: Family = family(
  Object.fromEntries(
    [
      "negative",
      "abs",
      "exp",
      "log",
      "sqrt",
      "square",
      "reciprocal",
      "tanh",
      "log1p",
      "expm1",
      "positive",
    ].map((name) => [name, unaryOf(name, numeric)]),
  ),
);
const ARITHMETIC: Family = new Map([
  ...SMOOTH_ARITHMETIC,
  ...family({ nest, chain, floorDivide: byConstant("floorDivide"), remainder: byConstant("remainder") }),
]);
const LOGIC: Family = family({
  ...Object.fromEntries(
    binaryMakers(["logicalAnd", "logicalOr", "logicalXor"], ({ dtype }) => dtype === "bool"),
  ),
  ...{ logicalNot: unaryOf("logicalNot", ({ dtype }) => dtype === "bool"), compare, choose, filled },
  ...{ sign: unaryOf("sign", numeric), isnan: unaryOf("isnan", numeric), castTwice, countTests, divisions },
});
const REDUCING: Family = family({ reduce, reduceTruth });
const SMOOTH_REDUCING: Family = family({ reduce });
const LAYOUT: Family = family({ transposeTwice, sliceOf, joinParts });
const STABILIZED: Family = family({ formula });
const PRODUCTS: Family = family({ product });

/** What rules look for, mostly; everything else now and then. */
export const REWRITABLE: readonly Family[] = [
  ...[ARITHMETIC, ARITHMETIC, SMOOTH_UNARY, LOGIC, LOGIC, REDUCING, REDUCING, LAYOUT, LAYOUT, STABILIZED],
  ...[PRODUCTS, ARITHMETIC, MOVES, SELECTIONS, ...ALL_FAMILIES],
];
export const SMOOTH: readonly Family[] = [
  ...[SMOOTH_ARITHMETIC, SMOOTH_ARITHMETIC, SMOOTH_UNARY, STABILIZED, STABILIZED],
  ...[SMOOTH_REDUCING, LAYOUT, PRODUCTS],
];

const BASES: readonly (readonly number[])[] = [
  [2, 3],
  [3],
  [],
  [3, 3],
  [2, 1, 3],
  [4],
  [1, 3],
  [0],
  [2, 2, 2],
];
const SOURCE_DTYPES: readonly DType[] = [
  ...(["float64", "float64", "float64", "float32", "int32", "int64", "uint8", "bool", "complex128"] as const),
];
const NUMBERS_PER_STEP = 40;

export interface CaseOptions {
  readonly families: readonly Family[];
  readonly profile: Profile;
  readonly dtypes?: readonly DType[];
  readonly steps: number;
}

/** A program of so many steps. */
export function randomWriter(seed: string, options: CaseOptions): ProgramWriter {
  const { families, profile, dtypes = SOURCE_DTYPES, steps } = options;
  const random = randomOf(seed);
  const sources = sourcesOf(seed, random, dtypes, profile);
  const writer = new ProgramWriter(sources, { exact: false, dtypes: [...new Set(dtypes)] });
  for (let step = 0; step < steps; step++) writeStep(writer, families, random);
  return writer;
}

/** One shape, and others that broadcast with it; mostly of one dtype. */
function sourcesOf(seed: string, random: () => number, dtypes: readonly DType[], profile: Profile): Source[] {
  const base = pick(BASES, random);
  const main = pick(dtypes, random);
  const shapes = [base, base, base.map((n) => (random() < 0.4 ? 1 : n)), base.slice(1)];
  return shapes.map((shape, i) => {
    const dtype = i === 3 && random() < 0.5 ? pick(dtypes, random) : main;
    const { data } = randomBlock(dtype, shape, profile, `${seed}/${i}`);
    return { array: new cw.NDArray(data, shape, dtype), cut: new Cut(shape.map((n) => Math.max(1, n))) };
  });
}

const MOST_TRIES = 8;

function writeStep(writer: ProgramWriter, families: readonly Family[], random: () => number): void {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const makers = [...pick(families, random).values()];
    const numbers = Array.from({ length: NUMBERS_PER_STEP }, () => Math.floor(random() * 0xffff));
    if (writer.attempt(pick(makers, random), new Choices(numbers)) !== null) return;
  }
}
