// Transforms along an axis that no task should hold (Bailey's four steps). In: complex numbers, the axis last. Out: their transform, not
// scaled. The line is a table of n = rows · columns: its columns are transformed, element (k, c) is turned by e^(∓2πi·kc/n), the rows are
// transformed, and X[k + rows·j] is element j of row k. Columns and rows are lines that tasks hold many of.
// Must hold: which lengths go this way depends on the length alone.

import { isComplex } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { Complex } from "../../core/numbers.ts";
import { node } from "../../lazy/build.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import { add, cos, greater, multiply, remainder, sin, subtract, where } from "../../ops/elementwise/index.ts";
import { fourier } from "../../ops/fourier.ts";
import { moveaxis, reshape } from "../functions/manipulation.ts";
import { arange } from "../functions/ranges.ts";

/** Numbers of a line that a task holds: 64 MB. */
const MOST_HELD = 1 << 22;
/** A table with fewer rows is hardly shorter than the line. */
const LEAST_ROWS = 16;

/** How many rows the table of a line has; null for lines that tasks hold, or that have no such table. */
export function rowsOf(n: number, most: number = MOST_HELD): number | null {
  if (n <= most) return null;
  let rows = Math.floor(Math.sqrt(n));
  while (n % rows !== 0) rows--;
  return rows < LEAST_ROWS ? null : rows;
}

export function transformedInSteps(x: LazyArray, isInverse: boolean, rows: number): LazyArray {
  if (!isComplex(x.dtype)) throw new InvariantError({ what: `a line of ${x.dtype} is transformed` });
  const [batch, n] = [x.shape.slice(0, -1), x.shape.at(-1)!];
  const columns = n / rows;
  const inverse = { inverse: isInverse };
  const table = reshape(x, [...batch, rows, columns]);
  const first = node(fourier, [moveaxis(table, -2, -1)], inverse);
  const turned = multiply(first, turns(rows, columns, first.chunks.at(-2)!, isInverse));
  const second = node(fourier, [moveaxis(turned, -2, -1)], inverse);
  return reshape(moveaxis(second, -2, -1), [...batch, n]);
}

/** e^(∓2πi·kc/n) for column c and row k, from angles of at most half a turn: kc is exact. Cut as the columns are. */
function turns(rows: number, columns: number, chunk: number, isInverse: boolean): LazyArray {
  const n = rows * columns;
  const c = reshape(arange(0, columns, 1, { dtype: "float64", chunks: chunk }), [columns, 1]);
  const k = reshape(arange(0, rows, 1, { dtype: "float64" }), [1, rows]);
  const place = remainder(multiply(c, k), n);
  const near = where(greater(place, n / 2), subtract(place, n), place);
  const angle = multiply(near, ((isInverse ? 2 : -2) * Math.PI) / n);
  return add(cos(angle), multiply(sin(angle), new Complex(0, 1)));
}
