// Arrays that meet row by row must be cut alike. In: lazy arrays. Out: their expressions, with those that are cut
// otherwise cut anew as the first is; an error where rows do not match or nobody knows how many there are.

import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import { areKnown, type Rows, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { repartition } from "../../ragged/lazy/structure.ts";
import type { LazyRagged } from "./raggedArrays.ts";

const total = (rows: readonly number[]): number => rows.reduce((sum, n) => sum + n, 0);

/** Cut into partitions of these lengths, from a row on. */
export const recut = (expr: Expr, from: readonly number[], to: readonly number[], skip = 0): Expr =>
  makeExpr(repartition, [expr], { from, to, skip });

export function aligned(arrays: readonly LazyRagged[]): readonly Expr[] {
  const exprs = arrays.map(({ expr }) => expr);
  const main = exprs.find(({ type }) => raggedOf(type).partitions > 1) ?? exprs.find(isArray);
  if (main === undefined) return exprs;
  const rows = rowsOfExpr(main);
  return exprs.map((expr) => (expr === main || !isArray(expr) ? expr : cutAs(expr, rows)));
}

const isArray = ({ type }: Expr): boolean => !raggedOf(type).isItem;

function cutAs(expr: Expr, wanted: Rows): Expr {
  const own = rowsOfExpr(expr);
  if (areKnown(own) && areKnown(wanted)) {
    if (own.length === wanted.length && own.every((n, i) => n === wanted[i])) return expr;
    if (total(own) === total(wanted)) return recut(expr, own, wanted);
    // One row, or one for each element further in: broadcasting decides.
    if (own.length === 1 && wanted.length === 1) return expr;
    throw new ShapeError({
      what: `arrays of ${total(wanted)} and ${total(own)} rows meet`,
      cure: "Use arrays with as many rows",
    });
  }
  // Cut alike by what made them: lengths are compared when they are there.
  if (own.length === wanted.length) return expr;
  throw new ValueError({
    what: `arrays of ${wanted.length} and ${own.length} partitions meet, and nobody knows their rows before computing`,
    cure: "Make both from one array, or repartition before rows are dropped",
  });
}
