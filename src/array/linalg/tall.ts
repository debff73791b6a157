// QR of tall matrices that no task should hold: TSQR (Demmel, Grigori, Hoemmen, Langou, 2012). In: one m × n matrix with many more rows
// than columns. Out: Q and R. The rows are cut into blocks, each gets a QR of its own, the Rs on top of one another are a
// matrix that is shorter, and so on until one block is left; Q is the product of all Qs.
// Must hold: ‖A − QR‖ and ‖QᵀQ − 1‖ as those of one block; the tree depends on the shape and the dtype alone, not on chunks.

import type { Expr } from "../../expr/expr.ts";
import { castTo } from "../../lazy/build.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { tallQrCotangent } from "../../ops/matrixPullbacks.ts";
import { partAlong } from "../chunked.ts";
import { zeros } from "../functions/creation.ts";
import { concat } from "../functions/joining.ts";
import { matmul } from "../functions/linear.ts";
import { reshape } from "../functions/manipulation.ts";
import { calculusAt } from "../gradients/calculus.ts";
import { withPullback } from "../gradients/customPullback.ts";
import { pulledBack } from "../gradients/reverse.ts";
import { type Matrices, partsOf } from "./matrixParts.ts";

/** What a block has. */
const BLOCK_BYTES = 4 << 20;
/** A block has so many times as many rows as columns, or cutting does not pay. */
const LEAST_RATIO = 4;

/** How many rows a block has; null for matrices that are not cut. */
export function blockRows({ batch, m, n }: Matrices): number | null {
  if (batch.length > 0 || n === 0) return null;
  const rows = Math.max(LEAST_RATIO * n, Math.floor(BLOCK_BYTES / (8 * n)));
  return m > 2 * rows ? rows : null;
}

interface Factors {
  readonly Q: LazyArray;
  readonly R: LazyArray;
}

/** Gradients come from Q and R themselves: the Rs of blocks may be singular where that of all is not. */
export function tallQr(matrices: Matrices): Factors {
  const { x, dtype } = matrices;
  if (blockRows(matrices) === null) return factorsOf(matrices);
  const of = (own: LazyArray): Factors => factorsOf({ ...matrices, x: own });
  const part = (name: keyof Factors): LazyArray =>
    withPullback(
      (own) => of(own!)[name],
      (cotangent, _, own) => {
        const { Q, R } = of(own!);
        const use = calculusAt(own!.expr, pulledBack);
        const none = { ofQ: use.filled(Q.expr), ofR: use.filled(R.expr) };
        const given = { q: Q.expr, r: R.expr, ...none, [name === "Q" ? "ofQ" : "ofR"]: cotangent.expr };
        return new LazyArray(tallQrCotangent(given, use) as Expr);
      },
      [castTo(x, dtype)],
    );
  return { Q: part("Q"), R: part("R") };
}

function factorsOf(matrices: Matrices): Factors {
  const { x, m, n, dtype } = matrices;
  const rows = blockRows(matrices);
  if (rows === null) {
    const [Q, R] = partsOf(matrices, "qr", [
      [m, Math.min(m, n)],
      [Math.min(m, n), n],
    ]);
    return { Q: Q!, R: R! };
  }
  const blocks = Math.ceil(m / rows);
  const missing = blocks * rows - m;
  // Rows of zeros change nothing of R, and their rows of Q are dropped.
  const whole = missing === 0 ? x : concat([x, zeros([missing, n], { dtype: x.dtype })], { axis: 0 });
  const stacked = reshape(whole, [blocks, rows, n]);
  const [each, rs] = partsOf({ x: stacked, batch: [blocks], dtype }, "qr", [
    [rows, n],
    [n, n],
  ]);
  const rest = factorsOf({ x: reshape(rs!, [blocks * n, n]), batch: [], m: blocks * n, n, dtype });
  const product = reshape(matmul(each!, reshape(rest.Q, [blocks, n, n])), [blocks * rows, n]);
  return { Q: missing === 0 ? product : partAlong(product, 0, 0, m), R: rest.R };
}
