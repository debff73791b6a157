// The naive evaluator: programs over bool, int32, int64 and float64 on nested JavaScript lists, with per-element
// functions written from the standard and docs/semantics.md. It shares nothing with the library but the program.
// In: a program of calls that NAIVE has. Out: every value. Must hold: no import of src/ below this file.

import { argsort, cumulative, sort } from "./naive/along.ts";
import { astype, clip, elementwise, type Operand, where } from "./naive/calls.ts";
import { RULES } from "./naive/elements.ts";
import { get, searchsorted, set, take, takeAlongAxis } from "./naive/indexing.ts";
import * as joins from "./naive/joins.ts";
import { cast, type Element, make, type Naive, type NaiveDType, type Nested } from "./naive/lists.ts";
import * as moves from "./naive/moves.ts";
import * as r from "./naive/reductions.ts";
import { type Arg, Cut, type Program, Ref, type Step } from "./program.ts";

type Call = (...args: never[]) => Naive | Naive[];

interface Dtyped {
  readonly dtype: NaiveDType;
}

const arange = (start: number, stop: number, step: number, { dtype }: Dtyped): Naive =>
  make(dtype, [Math.max(0, Math.ceil((stop - start) / step))], ([i]) => cast(start + i! * step, dtype));

const eye = (rows: number, columns: number, { k, dtype }: Dtyped & { k: number }): Naive =>
  make(dtype, [rows, columns], ([i, j]) => cast(j! - i! === k, dtype));

const full = (shape: readonly number[], value: Element, { dtype }: Dtyped): Naive =>
  make(dtype, shape, () => cast(value, dtype));

const uniform =
  (value: number) =>
  (shape: readonly number[], options: Dtyped): Naive =>
    full(shape, value, options);
const like =
  (value: number) =>
  (x: Naive): Naive =>
    full(x.shape, value, x);

type Reduce = (x: Naive, options: r.ReduceOptions) => Naive;
const extreme =
  (name: "maximum" | "minimum"): Reduce =>
  (x, options) =>
    r.extreme(name, x, options);
const ptp: Reduce = (x, options) =>
  elementwise("subtract", [r.extreme("maximum", x, options), r.extreme("minimum", x, options)]);
const nanExtreme =
  (name: "maximum" | "minimum"): Reduce =>
  (x, options) =>
    r.nanExtreme(name, x, options);
type Triangle = (x: Naive, options: { readonly k: number }) => Naive;
const tril: Triangle = (x, { k }) => moves.triangle(x, (row, column) => column <= row + k);
const triu: Triangle = (x, { k }) => moves.triangle(x, (row, column) => column >= row + k);

const { sum, prod, mean, any, all, countNonzero, nansum, nanprod, nanmean } = r;

const NAIVE: { readonly [name: string]: Call } = {
  ...Object.fromEntries(
    Object.keys(RULES).map((name) => [name, (...operands: Operand[]) => elementwise(name, operands)]),
  ),
  ...{ where, clip, astype, get, set, take, takeAlongAxis, searchsorted, sort, argsort },
  ...{ sum, prod, mean, any, all, countNonzero, nansum, nanprod, nanmean },
  ...{ max: extreme("maximum"), min: extreme("minimum"), ptp },
  ...{ nanmax: nanExtreme("maximum"), nanmin: nanExtreme("minimum") },
  argmax: (x: Naive, options: r.ReduceOptions) => r.argExtreme(x, options, (a, b) => a > b),
  argmin: (x: Naive, options: r.ReduceOptions) => r.argExtreme(x, options, (a, b) => a < b),
  cumulativeSum: (x: Naive, options: { axis: number }) => cumulative(x, options, false),
  cumulativeProd: (x: Naive, options: { axis: number }) => cumulative(x, options, true),
  ...{ ...moves, ...joins, tril, triu, rechunk: (x: Naive) => x },
  ...{ arange, eye, full, zeros: uniform(0), ones: uniform(1), empty: uniform(0) },
  ...{ zerosLike: like(0), onesLike: like(1), emptyLike: like(0) },
  fullLike: (x: Naive, value: Element) => full(x.shape, value, x),
};

export const isNaiveCall = (name: string): boolean => name in NAIVE;

export function evaluateNaive(program: Program): Naive[] {
  const values: Naive[] = program.sources.map(({ array }) => ({
    dtype: array.dtype as NaiveDType,
    shape: array.shape,
    list: array.toList() as Nested,
  }));
  for (const step of program.steps) values.push(run(step, values));
  return values;
}

function run({ call, args, item }: Step, values: readonly Naive[]): Naive {
  const resolved = args.map((arg) => resolve(arg, values)) as never[];
  const result = NAIVE[call]!(...resolved);
  return Array.isArray(result) ? result[item as number]! : result;
}

function resolve(arg: Arg, values: readonly Naive[]): unknown {
  if (arg instanceof Ref) return values[arg.index]!;
  if (arg instanceof Cut) return arg.chunks;
  return Array.isArray(arg) ? arg.map((item: Arg) => resolve(item, values)) : arg;
}
