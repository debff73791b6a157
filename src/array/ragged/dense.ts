// Dense lazy arrays ⇄ lazy ragged ones.

import type { Shape } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { makeExpr } from "../../expr/expr.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { plainForm } from "../../ragged/index.ts";
import { fromDense, toDense } from "../../ragged/lazy/dense.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { LazyRagged } from "./raggedArrays.ts";

/** Partitions are the chunks along the first axis. */
export function lazyFromDense(array: LazyArray): LazyRagged {
  if (array.ndim === 0)
    throw new ShapeError({ what: "an array without axes has no rows", cure: "Reshape it to [1]" });
  return new LazyRagged(makeExpr(fromDense, [array.expr], { rows: array.chunks[0]! }));
}

/** Of forms that are regular all the way down, with rows that are counted. */
export function lazyToDense(array: LazyRagged): LazyArray {
  const rows = rowsOfExpr(array.expr);
  const { shape: inner, leaf } = denseParts(plainForm(array.form));
  if (!areKnown(rows))
    throw new ShapeError({
      what: "nobody knows how many rows there are before computing",
      cure: "Compute it, and use toNumpy of the result",
    });
  const count = rows.reduce((sum, n) => sum + n, 0);
  const chunks = [Math.max(1, ...rows), ...inner.map((n) => Math.max(1, n))];
  return new LazyArray(
    makeExpr(toDense, [array.expr], { rows, dtype: leaf, shape: [count, ...inner], chunks }),
  );
}

function denseParts(form: Form): { shape: Shape; leaf: import("../../core/dtype.ts").DType } {
  if (form.kind === "numpy") return { shape: form.innerShape, leaf: form.dtype };
  if (form.kind === "regular") {
    const { shape, leaf } = denseParts(form.content);
    return { shape: [form.size, ...shape], leaf };
  }
  throw new ShapeError({
    what: `there are ${form.kind === "listOffset" ? "lists of any length" : `${form.kind} values`}`,
    cure: "Take fields that hold numbers; use toRegular for lists that are equally long, fillNone for nulls",
  });
}
