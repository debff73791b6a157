// Slices of moves: what is selected after a move is selected before it, so that only that is moved. Moves compute
// nothing, so that these rules do not mind who else uses the moved array.

import { type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import type { Scalar } from "../../core/numbers.ts";
import { chunksOf, type Expr, makeExpr } from "../../expr/expr.ts";
import { axisGroups, reshapeSteps } from "../../ops/moves/reshape.ts";
import { concat } from "../../ops/moves/select.ts";
import { broadcastTo, filledLike } from "../make.ts";
import { type Pattern, p, rest, x, y } from "../pattern.ts";
import { type Compute, type Declined, decline, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { axesBelow, axesOf, expanded, keptAxes, permuted, squeezed } from "./conditions.ts";
import {
  boundsOf,
  isWhole,
  isWholeRun,
  type Run,
  runsOf,
  sameRuns,
  sliceAttrs,
  sliced,
  takesLess,
  wholeRun,
} from "./regularSelections.ts";

const NOT_LESS: Declined = decline("the slice takes as much as there is, or nothing");

/** A slice that takes less than there is: of which array, and what. */
export const sliceRule = <Binds>(
  name: string,
  equation: string,
  inner: Pattern<Binds>,
  build: (bound: NoInfer<Binds>, runs: readonly Run[], node: Expr) => ReturnType<Compute<Binds>>,
): Rule =>
  rule(name, equation, p.slice(inner) as Pattern<Binds>, (bound, node) =>
    takesLess(node) ? build(bound, runsOf(node), node) : NOT_LESS,
  );

/** The runs of an operand that is stretched to the array the runs are of: whole where it is stretched. */
export function runsBelow(runs: readonly Run[], whole: Shape, operand: Shape): Run[] {
  const lead = whole.length - operand.length;
  return operand.map((length, axis) =>
    length === whole[axis + lead] ? runs[axis + lead]! : wholeRun(length),
  );
}

const LAYOUT: readonly Rule[] = [
  sliceRule(
    "slicePermute",
    "permute(x)[a] = permute(x[a'])",
    p.permute(x).as("inner"),
    ({ x, inner }, runs) => {
      const order = axesOf(inner);
      return permuted(
        sliced(
          x,
          order.map((_, axis) => runs[order.indexOf(axis)]!),
        ),
        order,
      );
    },
  ),
  sliceRule(
    "sliceBroadcast",
    "broadcast(x, s)[a] = broadcast(x[a'], s')",
    p.broadcast(x).as("inner"),
    ({ x, inner }, runs, node) => broadcastTo(sliced(x, runsBelow(runs, inner.shape, x.shape)), node.shape),
  ),
  sliceRule(
    "sliceExpandDims",
    "expandDims(x, i)[a] = expandDims(x[a'], i)",
    p.expandDims(x).as("inner"),
    ({ x, inner }, runs) => {
      const below = axesBelow(inner);
      return expanded(
        sliced(
          x,
          runs.filter((_, axis) => below[axis]! >= 0),
        ),
        axesOf(inner),
      );
    },
  ),
  sliceRule(
    "sliceSqueeze",
    "squeeze(x, i)[a] = squeeze(x[a'], i)",
    p.squeeze(x).as("inner"),
    ({ x, inner }, runs) => {
      const kept = keptAxes(x.shape.length, axesOf(inner));
      const wide = x.shape.map((_, axis) => runs[kept.indexOf(axis)] ?? wholeRun(1));
      return squeezed(sliced(x, wide), axesOf(inner));
    },
  ),
  sliceRule("sliceRechunk", "rechunk(x, c)[a] = rechunk(x[a], c')", p.rechunk(x), ({ x }, runs, node) =>
    makeExpr(node.inputs[0]!.op, [sliced(x, runs)], { chunks: chunksOf(node) }),
  ),
  sliceRule(
    "sliceReshape",
    "reshape(x, s)[a] = reshape(x[a'], s')",
    p.reshape(x).as("inner"),
    ({ x, inner }, runs, node) => {
      const below = runsOfReshape(x.shape, inner.shape, runs);
      if (below === null) return decline("the selection is no regular one before the reshape");
      const part = sliced(x, below);
      if (sameShape(part.shape, node.shape)) return part;
      return reshapeSteps(part.shape, node.shape).length === 1
        ? makeExpr(inner.op, [part], { shape: node.shape })
        : decline("what is left is no reshape in one step");
    },
  ),
];

/** Per group of axes: a run of one is a run of the other. */
function runsOfReshape(from: Shape, to: Shape, runs: readonly Run[]): Run[] | null {
  const below: Run[] = [];
  for (const { inAxes, outAxes } of axisGroups(from, to)) {
    const group = runsOfGroup(
      inAxes.map((axis) => from[axis]!),
      outAxes.map((axis) => to[axis]!),
      outAxes.map((axis) => runs[axis]!),
    );
    if (group === null) return null;
    below.push(...group);
  }
  return below;
}

function runsOfGroup(from: Shape, to: Shape, runs: readonly Run[]): Run[] | null {
  if (isWhole(runs, to)) return from.map(wholeRun);
  if (from.length === 1 && to.length === 1) return [...runs];
  if (from.length === 1) return splitRun(to, runs);
  return to.length === 1 ? mergedRuns(from, runs[0]!) : null;
}

/** Several axes that were one: whole ones behind one that is neighbours, behind ones of a single place. */
function splitRun(to: Shape, runs: readonly Run[]): Run[] | null {
  let start = 0;
  let length = 1;
  let isWholeBehind = true;
  let size = 1;
  for (let axis = to.length - 1; axis >= 0; axis--) {
    const run = runs[axis]!;
    const isNeighbours = run.length === 1 || (run.step === 1 && isWholeBehind);
    if (!isNeighbours) return null;
    start += run.start * size;
    length *= run.length;
    isWholeBehind = isWholeBehind && isWholeRun(run, to[axis]!);
    size *= to[axis]!;
  }
  return [{ start, step: 1, length }];
}

/** One axis that was several: whole rows, or one place. */
function mergedRuns(from: Shape, run: Run): Run[] | null {
  const row = sizeOf(from.slice(1));
  if (run.length === 1) {
    let left = run.start;
    let below = sizeOf(from);
    return from.map((length) => {
      below /= length;
      const at = Math.floor(left / below);
      left -= at * below;
      return { start: at, step: 1, length: 1 };
    });
  }
  if (run.step !== 1 || run.start % row !== 0 || run.length % row !== 0) return null;
  const rows = { start: run.start / row, step: 1, length: run.length / row };
  return [rows, ...from.slice(1).map(wholeRun)];
}

/** The places of a run that fall into [from, from + count), counted from there. */
function runWithin({ start, step, length }: Run, from: number, count: number): Run | null {
  const [low, high] = step > 0 ? [from, from + count - 1] : [from + count - 1, from];
  const first = Math.max(0, Math.ceil((low - start) / step));
  const last = Math.min(length - 1, Math.floor((high - start) / step));
  return last < first ? null : { start: start + step * first - from, step, length: last - first + 1 };
}

function sliceOfParts(parts: readonly Expr[], along: number, runs: readonly Run[]): Expr {
  const run = runs[along]!;
  let offset = 0;
  const found = parts.flatMap((part): Expr[] => {
    const count = part.shape[along]!;
    const within = count === 0 ? null : runWithin(run, offset, count);
    offset += count;
    if (within === null) return [];
    return [
      sliced(
        part,
        runs.map((one, axis) => (axis === along ? within : one)),
      ),
    ];
  });
  if (run.step < 0) found.reverse();
  return found.length === 1 ? found[0]! : makeExpr(concat, found, { axis: along });
}

const JOINED: readonly Rule[] = [
  sliceRule(
    "sliceConcat",
    "concat([x, y])[a] = concat([x[a'], y[a\"]])",
    p.concat(rest("parts")).as("inner"),
    ({ parts, inner }, runs) => sliceOfParts(parts, inner.attrs["axis"] as number, runs),
  ),
];

/** A run of a padded axis: what of it lies in the array, and how much before and behind. */
interface PaddedRun {
  readonly run: Run;
  readonly before: number;
  readonly after: number;
}

function unpaddedRun(run: Run, before: number, length: number): PaddedRun | null {
  const [low, high] = boundsOf(run);
  if (low >= before && high < before + length)
    return { run: { ...run, start: run.start - before }, before: 0, after: 0 };
  if (run.step !== 1) return null;
  const within = runWithin(run, before, length);
  if (within === null) return null;
  const front = before + within.start - run.start;
  return { run: within, before: front, after: run.length - front - within.length };
}

/** Does a run lie in the padding alone? */
const isOutside = (run: Run, before: number, length: number): boolean =>
  length === 0 || boundsOf(run)[1] < before || boundsOf(run)[0] >= before + length;

function sliceOfPad(inner: Expr, x: Expr, runs: readonly Run[], node: Expr): Expr | Declined {
  const widths = inner.attrs["before"] as readonly number[];
  const value = inner.attrs["value"] as Scalar;
  const isConstant = inner.attrs["mode"] === "constant";
  if (isConstant && runs.some((run, axis) => isOutside(run, widths[axis]!, x.shape[axis]!)))
    return filledLike(value, node);
  const parts = runs.map((run, axis) => unpaddedRun(run, widths[axis]!, x.shape[axis]!));
  if (!parts.every((part) => part !== null)) return decline("steps go over an edge");
  const within = sliced(
    x,
    parts.map(({ run }) => run),
  );
  const [before, after] = [parts.map((part) => part.before), parts.map((part) => part.after)];
  if (sameShape(within.shape, node.shape)) return within;
  return isConstant
    ? makeExpr(inner.op, [within], { before, after, mode: "constant", value })
    : decline("the padding is made of other elements");
}

/** The runs along other axes are taken before; along this one only where that is whole repetitions. */
function sliceOfRepeat(inner: Expr, x: Expr, runs: readonly Run[]): Expr | Declined {
  const { axis: along, repeats } = inner.attrs as unknown as { axis: number; repeats: number };
  const { start, step, length } = runs[along]!;
  const below = (run: Run): Expr =>
    sliced(
      x,
      runs.map((one, axis) => (axis === along ? run : one)),
    );
  if (length === 1) return below({ start: Math.floor(start / repeats), step: 1, length });
  if (step === 1 && start % repeats === 0 && length % repeats === 0)
    return makeExpr(
      inner.op,
      [below({ start: start / repeats, step, length: length / repeats })],
      inner.attrs,
    );
  return decline("the slice begins or ends within a repetition");
}

/** Along every axis within one repetition, or all of them. */
function sliceOfTile(inner: Expr, x: Expr, runs: readonly Run[]): Expr | Declined {
  const isAll = runs.map((run, axis) => isWholeRun(run, inner.shape[axis]!));
  const below = runs.map((run, axis) =>
    isAll[axis] ? wholeRun(x.shape[axis]!) : withinOne(run, x.shape[axis]!),
  );
  if (!below.every((run) => run !== null)) return decline("the slice goes over the end of a repetition");
  const old = inner.attrs["repetitions"] as readonly number[];
  const repetitions = old.map((times, axis) => (isAll[axis] ? times : 1));
  const part = sliced(x, below);
  return repetitions.every((times) => times === 1) ? part : makeExpr(inner.op, [part], { repetitions });
}

function withinOne(run: Run, length: number): Run | null {
  const [low, high] = boundsOf(run);
  const repetition = Math.floor(low / length);
  if (repetition !== Math.floor(high / length)) return null;
  return { ...run, start: run.start - repetition * length };
}

function sliceOfSet(inner: Expr, x: Expr, y: Expr, runs: readonly Run[]): Expr | Declined {
  const set = runsOf(inner);
  if (sameRuns(runs, set)) return y;
  if (runs.some((run, axis) => isApart(run, set[axis]!))) return sliced(x, runs);
  const parts = setParts(runs, set);
  if (parts === null) return decline("it takes what is set in steps");
  const isInside = parts.every(({ places }, axis) => isWholeRun(places, runs[axis]!.length));
  return isInside ? sliced(y, within(parts)) : decline("it takes old and new elements");
}

/** Old and new elements: what is left of both. */
function partlySet(inner: Expr, x: Expr, y: Expr, runs: readonly Run[]): Expr | Declined {
  const parts = setParts(runs, runsOf(inner));
  if (parts === null) return decline("it takes what is set in steps");
  const places = sliceAttrs(parts.map((part) => part.places));
  return makeExpr(inner.op, [sliced(x, runs), sliced(y, within(parts))], places);
}

/** Along an axis: which places of the selection were set, and what was put there. */
interface SetPart {
  readonly places: Run;
  readonly within: Run;
}

const within = (parts: readonly SetPart[]): Run[] => parts.map((part) => part.within);

/** Null where neighbours of a selection were not set as neighbours, or nothing was. */
function setParts(runs: readonly Run[], set: readonly Run[]): SetPart[] | null {
  const parts = runs.map((run, axis): SetPart | null => {
    const { start, step, length } = set[axis]!;
    const found = step === 1 ? runWithin(run, start, length) : null;
    if (found === null) return null;
    const first = (found.start + start - run.start) / run.step;
    return { places: { start: first, step: 1, length: found.length }, within: found };
  });
  return parts.every((part) => part !== null) ? parts : null;
}

const isApart = (a: Run, b: Run): boolean => {
  if (b.length === 0) return true;
  const [[lowA, highA], [lowB, highB]] = [boundsOf(a), boundsOf(b)];
  return highA < lowB || highB < lowA;
};

const REPEATED: readonly Rule[] = [
  sliceRule("slicePad", "pad(x, n)[a] = pad(x[a'], n')", p.pad(x).as("inner"), ({ x, inner }, runs, node) =>
    sliceOfPad(inner, x, runs, node),
  ),
  sliceRule(
    "sliceRepeat",
    "repeat(x, n)[n·a] = repeat(x[a], n)",
    p.repeat(x).as("inner"),
    ({ x, inner }, runs) => sliceOfRepeat(inner, x, runs),
  ),
  sliceRule("sliceTile", "tile(x, n)[a] = x[a']", p.tile(x).as("inner"), ({ x, inner }, runs) =>
    sliceOfTile(inner, x, runs),
  ),
  sliceRule("sliceSet", "x.set(a, y)[a] = y", p.setSlice(x, y).as("inner"), ({ x, y, inner }, runs) =>
    sliceOfSet(inner, x, y, runs),
  ),
  // Where others need all of it, there is nothing to gain.
  sliceRule(
    "sliceSetPart",
    "x.set(a, y)[b] = x[b].set(a', y[b'])",
    p.setSlice(x, y).single().as("inner"),
    ({ x, y, inner }, runs) => partlySet(inner, x, y, runs),
  ),
];

export const SLICED_MOVES: readonly Rule[] = [...LAYOUT, ...JOINED, ...REPEATED];
