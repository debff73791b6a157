// The ops on ragged arrays, as nodes of expressions.

import type { RaggedOp } from "../../expr/op.ts";
import { fromDense, toDense } from "./dense.ts";
import { PLACEWISE } from "./placewise.ts";
import {
  allRows,
  append,
  combine,
  histCombine,
  histPartial,
  partial,
  repartition,
  rowCounts,
  rowNumbers,
} from "./structure.ts";
import { WRITERS } from "./writing.ts";

export const RAGGED_NODES: readonly RaggedOp[] = [
  ...PLACEWISE,
  ...[allRows, repartition, append, rowNumbers, rowCounts, partial, combine, histPartial, histCombine],
  ...[fromDense, toDense, ...WRITERS.values()],
];
