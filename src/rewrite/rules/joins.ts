// Moves that join, repeat or surround arrays, and selections of selections. All exact: elements only move.

import { sameShape, sizeOf } from "../../core/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { concat, slice, tile } from "../../ops/moves/select.ts";
import { attrs, bind, p, rest, x, y, z } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { range } from "./conditions.ts";
import { composed, isWhole, type Run, runsOf, sameRuns, sliced } from "./regularSelections.ts";

/** Selections that are everything, and selections of selections. */
export const SELECTIONS: readonly Rule[] = [
  rule("sliceAll", "x[:] = x", p.slice(x), ({ x }, node) =>
    isWhole(runsOf(node), x.shape) ? x : decline("not everything is selected"),
  ),
  rule("sliceTwice", "x[a][b] = x[a[b]]", p.slice(p.slice(x).as("inner")), ({ x, inner }, node) => {
    const below = runsOf(inner);
    return sliced(
      x,
      runsOf(node).map((run, axis) => composed(run, below[axis]!)),
    );
  }),
];

const SETTING: readonly Rule[] = [
  rule("setAll", "x.set(:, y) = y", p.setSlice(x, y), ({ x, y }, node) =>
    isWhole(runsOf(node), x.shape) ? y : decline("not everything is set"),
  ),
  rule("setNothing", "x.set(a, y) = x where a is empty", p.setSlice(x, y), ({ x, y }) =>
    sizeOf(y.shape) === 0 ? x : decline("something is set"),
  ),
  rule(
    "setTwice",
    "x.set(a, y).set(a, z) = x.set(a, z)",
    p.setSlice(p.setSlice(x, y).as("inner"), z),
    ({ x, z, inner }, node) =>
      sameRuns(runsOf(inner), runsOf(node))
        ? makeExpr(node.op, [x, z], node.attrs)
        : decline("the selections differ"),
  ),
  rule("setItself", "x.set(a, x[a]) = x", p.setSlice(x, p.slice(x).as("got")), ({ x, got }, node) =>
    sameRuns(runsOf(got), runsOf(node)) ? x : decline("the selections differ"),
  ),
];

const REPEATING: readonly Rule[] = [
  rule("repeatOnce", "repeat(x, 1) = x", p.repeat(x, { repeats: 1 }), x),
  rule(
    "repeatTwice",
    "repeat(repeat(x, m), n) = repeat(x, m·n)",
    p.repeat(p.repeat(x, { axis: bind("axis"), repeats: bind("m") }), {
      axis: bind("axis"),
      repeats: bind("n"),
    }),
    ({ x, axis, m, n }, node) => makeExpr(node.op, [x], { axis, repeats: Number(m) * Number(n) }),
  ),
  rule("tileOnce", "tile(x, [1, 1]) = x", p.tile(x), ({ x }, node) =>
    repetitionsOf(node).every((times) => times === 1) ? x : decline("an axis is repeated"),
  ),
  rule(
    "tileTwice",
    "tile(tile(x, m), n) = tile(x, m·n)",
    p.tile(p.tile(x).as("inner")),
    ({ x, inner }, node) => {
      const repetitions = repetitionsOf(node).map((times, axis) => times * repetitionsOf(inner)[axis]!);
      return makeExpr(node.op, [x], { repetitions });
    },
  ),
  rule("padNothing", "pad(x, 0) = x", p.pad(x), ({ x }, node) =>
    sameShape(x.shape, node.shape) ? x : decline("there is padding"),
  ),
  rule(
    "padTwice",
    "pad(pad(x, m, c), n, c) = pad(x, m + n, c)",
    p.pad(p.pad(x, { before: bind("m"), after: bind("k"), mode: "constant", value: bind("value") }), {
      ...{ before: bind("n"), after: bind("l"), mode: "constant", value: bind("value") },
    }),
    ({ x, m, k, n, l, value }, node) =>
      makeExpr(node.op, [x], { before: added(m, n), after: added(k, l), mode: "constant", value }),
  ),
  rule(
    "sortTwice",
    "sort(sort(x)) = sort(x)",
    p.sort(p.sort(x, attrs).as("inner"), attrs),
    ({ inner }) => inner,
  ),
  rule("sortOne", "sort([x]) = [x]", p.sort(x, { axis: bind("axis") }), ({ x, axis }) =>
    x.shape[axis]! <= 1 ? x : decline("there is something to sort"),
  ),
];

const repetitionsOf = (node: Expr): readonly number[] => node.attrs["repetitions"] as readonly number[];

const added = (a: unknown, b: unknown): readonly number[] =>
  (a as readonly number[]).map((width, axis) => width + (b as readonly number[])[axis]!);

const axisOf = (node: Expr): number => node.attrs["axis"] as number;

/** Longer lists are left nested: joining them one by one would take the square of their number. */
const MOST_PARTS = 1024;

const JOINING: readonly Rule[] = [
  rule("concatOne", "concat([x]) = x", p.concat(x), x),
  rule("concatEmpty", "concat([x, [], y]) = concat([x, y])", p.concat(rest("parts")), ({ parts }, node) => {
    const filled = parts.filter(({ shape }) => shape[axisOf(node)]! > 0);
    if (filled.length === parts.length) return decline("no part is empty");
    return filled.length === 0 ? parts[0]! : joined(filled, node);
  }),
  rule(
    "concatConcat",
    "concat([concat([x, y]), z]) = concat([x, y, z])",
    p.concat(rest("parts")),
    ({ parts }, node) => {
      const isNested = (part: Expr): boolean => part.op === concat && axisOf(part) === axisOf(node);
      if (!parts.some(isNested)) return decline("no part is a concat along that axis");
      const flat = parts.flatMap((part) => (isNested(part) ? part.inputs : [part]));
      return flat.length > MOST_PARTS ? decline("there are too many parts") : joined(flat, node);
    },
  ),
  rule(
    "concatNeighbours",
    "concat([x[a:b], x[b:c]]) = x[a:c]",
    p.concat(rest("parts")),
    ({ parts }, node) => {
      const merged = mergedNeighbours(parts, axisOf(node));
      return merged.length === parts.length
        ? decline("no part continues the one before")
        : joined(merged, node);
    },
  ),
  rule("concatSame", "concat([x, x]) = tile(x, 2)", p.concat(x, x, rest("others")), ({ x, others }, node) => {
    if (others.some((other) => other !== x)) return decline("the parts differ");
    const repetitions = x.shape.map((_, axis) => (axis === axisOf(node) ? others.length + 2 : 1));
    return makeExpr(tile, [x], { repetitions });
  }),
];

const joined = (parts: readonly Expr[], node: Expr): Expr =>
  parts.length === 1 ? parts[0]! : makeExpr(concat, parts, node.attrs);

function mergedNeighbours(parts: readonly Expr[], axis: number): Expr[] {
  const merged: Expr[] = [];
  for (const part of parts) {
    const both = merged.length === 0 ? null : continued(merged.at(-1)!, part, axis);
    if (both !== null) merged.pop();
    merged.push(both ?? part);
  }
  return merged;
}

/** Two slices of one array, one behind the other along an axis, as one slice. */
function continued(first: Expr, second: Expr, axis: number): Expr | null {
  if (first.op !== slice || second.op !== slice || first.inputs[0] !== second.inputs[0]) return null;
  const [a, b] = [runsOf(first), runsOf(second)];
  const both = joinedRun(a[axis]!, b[axis]!);
  const others = range(a.length).filter((other) => other !== axis);
  const isBeside = sameRuns(
    others.map((other) => a[other]!),
    others.map((other) => b[other]!),
  );
  if (both === null || !isBeside) return null;
  return sliced(
    first.inputs[0]!,
    a.map((run, at) => (at === axis ? both : run)),
  );
}

/** A run of one place has any step. */
function joinedRun(a: Run, b: Run): Run | null {
  if (a.length === 0 || b.length === 0) return null;
  const step = a.length > 1 ? a.step : b.length > 1 ? b.step : b.start - a.start;
  const fits = (run: Run): boolean => run.length === 1 || run.step === step;
  if (step === 0 || !fits(b) || b.start !== a.start + a.length * step) return null;
  return { start: a.start, step, length: a.length + b.length };
}

export const JOINS: readonly Rule[] = [...SELECTIONS, ...SETTING, ...REPEATING, ...JOINING];
