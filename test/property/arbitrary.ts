// Random programs: expressions over every op of the table, with shared parts and several roots.
// In: which functions and dtypes may occur, and how many steps. Out: an arbitrary of programs.
// Must hold: each step reads its own numbers, so that leaving one out while shrinking changes no other.

import fc from "fast-check";
import { DTYPES, type DType } from "../../src/core/dtype.ts";
import { shapes, slots, sources } from "./arrays.ts";
import { Choices } from "./choices.ts";
import { CONTRACTIONS, CREATION } from "./makers/creation.ts";
import { BINARY, CHOICE, UNARY } from "./makers/elementwise.ts";
import { EXPONENTIAL_SUMS } from "./makers/exponentialSums.ts";
import { JOINS } from "./makers/joins.ts";
import { MOVES } from "./makers/moves.ts";
import { NAN_REDUCTIONS, NAN_VARIANCES } from "./makers/nan.ts";
import { ORDER } from "./makers/order.ts";
import { REDUCTIONS, SCANS, SORTING, VARIANCES } from "./makers/reductions.ts";
import { SELECTIONS } from "./makers/selections.ts";
import { STAGED } from "./makers/staged.ts";
import type { Program, Source } from "./program.ts";
import { type Maker, type ProgramOptions, ProgramWriter } from "./writer.ts";

export type Family = ReadonlyMap<string, Maker>;
/** Families are equally likely, so that the many elementwise functions do not crowd out the rest. */
export const EXACT_FAMILIES: readonly Family[] = [
  ...[BINARY, UNARY, BINARY, UNARY, MOVES, REDUCTIONS, SELECTIONS, MOVES, CHOICE, SCANS, CONTRACTIONS],
  ...[BINARY, UNARY, SORTING, JOINS, CREATION, NAN_REDUCTIONS, ORDER],
];
/** With those whose lengths depend on data: not for what looks at one plan, or evaluates node by node. */
export const STAGED_FAMILIES: readonly Family[] = [...EXACT_FAMILIES, STAGED, STAGED];
export const ALL_FAMILIES: readonly Family[] = [
  ...EXACT_FAMILIES,
  VARIANCES,
  NAN_VARIANCES,
  EXPONENTIAL_SUMS,
];

/** Every maker by the name of its function. */
export const MAKERS: ReadonlyMap<string, Maker> = new Map(STAGED_FAMILIES.flatMap((family) => [...family]));

export interface ArbitraryOptions extends Partial<ProgramOptions> {
  readonly families?: readonly Family[];
  readonly maxSteps?: number;
  readonly slot?: (dtype: DType) => fc.Arbitrary<number | bigint>;
}

/** Shapes that broadcast against each other: axes of one shape, some of length 1, some left out in front. */
const relatedShapes = fc
  .tuple(shapes, fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 15 })), { minLength: 1, maxLength: 3 }))
  .map(([base, variants]) => [
    base,
    ...variants.map(([dropped, ones]) =>
      base.map((n, axis) => (ones > 8 && (ones >> axis) & 1 ? 1 : n)).slice(dropped > 1 ? dropped - 1 : 0),
    ),
  ]);

const sourceLists = (
  dtypes: readonly DType[],
  slot: (dtype: DType) => fc.Arbitrary<number | bigint>,
): fc.Arbitrary<Source[]> =>
  relatedShapes.chain((list) =>
    fc.tuple(
      ...list.map((shape) => fc.constantFrom(...dtypes).chain((dtype) => sources(dtype, shape, slot))),
    ),
  );

const MAX_ROOTS = 3;
const NUMBERS_PER_STEP = 24;
const numbers = fc.array(fc.nat({ max: 0xffff }), {
  minLength: NUMBERS_PER_STEP,
  maxLength: NUMBERS_PER_STEP,
});

export function programs(options: ArbitraryOptions = {}): fc.Arbitrary<Program> {
  const { families = EXACT_FAMILIES, maxSteps = 6, slot = slots } = options;
  const { exact = true, dtypes = DTYPES } = options;
  return fc
    .record({
      sources: sourceLists(dtypes, slot),
      steps: fc.array(numbers, { minLength: 1, maxLength: maxSteps, size: "max" }),
      roots: numbers,
    })
    .map(({ sources, steps, roots }) => {
      const writer = new ProgramWriter(sources, { exact, dtypes });
      for (const list of steps) writeStep(writer, families, new Choices(list));
      return writer.finish(rootsOf(writer, new Choices(roots)));
    });
}

/** The function that is chosen, or the next ones where it does not fit the values at hand. */
function writeStep(writer: ProgramWriter, families: readonly Family[], choices: Choices): void {
  const makers = [...choices.pick(families).values()];
  const first = choices.below(makers.length);
  for (let i = 0; i < makers.length; i++) {
    if (writer.attempt(makers[(first + i) % makers.length]!, choices) !== null) return;
  }
}

/** Values that nothing uses, so that all of the program is alive, and sometimes one that is used, too. */
function rootsOf(writer: ProgramWriter, choices: Choices): number[] {
  const unused = writer.unused().slice(-MAX_ROOTS);
  return choices.below(3) === 2 ? [...unused, choices.below(writer.count)] : unused;
}

/** Programs that end in a call of one function. */
export const programsOf = (name: string, options: ArbitraryOptions = {}): fc.Arbitrary<Program> =>
  programs({ ...options, families: [new Map([[name, MAKERS.get(name)!]])], maxSteps: 1 });
