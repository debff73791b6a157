// matrixRows: of each matrix of a batch all that a method of linear algebra finds, as one row of numbers, one part after another. In:
// float64 matrices, and right sides for some methods; attrs.method. Out: a row for each matrix: `MATRIX_METHODS` says what it has.
// Must hold: a task has whole matrices. What a method takes for itself is stated in plan/compile/scratch.ts.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { sizeOf, stridesOf } from "../../core/chunks.ts";
import { allocate } from "../../core/dtype.ts";
import { qr } from "../linalg/orthogonal.ts";
import { completeRows, svd } from "../linalg/singular.ts";
import { eigh } from "../linalg/symmetric.ts";
import { cholesky, lu, solveLower, solveUpper, solveWithLu } from "../linalg/triangular.ts";
import { type Routine, Trap } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { copyElements, fromContiguous } from "./stridedWalk.ts";

/** An m × n matrix, and m × k right sides where there are some. */
interface Matrix {
  readonly a: Float64Array;
  readonly m: number;
  readonly n: number;
  readonly b: Float64Array;
  readonly k: number;
}

interface MatrixMethod {
  /** How many copies of a matrix it has at once, besides what it is given and gives: plan/compile/scratch.ts. */
  readonly copies: number;
  /** How many numbers it finds. */
  length(m: number, n: number, k: number): number;
  /** The parts of a row, in their order. The matrix may be overwritten. */
  parts(matrix: Matrix): readonly (Float64Array | readonly number[])[];
}

export const MATRIX_METHODS = {
  /** L */
  cholesky: {
    copies: 0,
    length: (_, n) => n * n,
    parts({ a, n }) {
      if (!cholesky(a, n))
        throw new Trap(
          "a matrix is not positive definite",
          "It has no Cholesky factor: use lu-based solve, or eigh",
        );
      return [a];
    },
  },
  /** Q (m × min), R (min × n) */
  qr: {
    copies: 3,
    length: (m, n) => (m + n) * Math.min(m, n),
    parts: ({ a, m, n }) => [qr(a, m, n, Math.min(m, n)), a.subarray(0, Math.min(m, n) * n)],
  },
  /** Q (m × m), R (m × n) */
  completeQr: {
    copies: 3,
    length: (m, n) => (m + n) * m,
    parts: ({ a, m, n }) => [qr(a, m, n, m), a],
  },
  /** eigenvalues, eigenvectors (columns) */
  eigh: {
    copies: 2,
    length: (_, n) => n + n * n,
    parts({ a, n }) {
      const values = new Float64Array(n);
      if (!eigh(a, n, values)) throw notConverged();
      return [values, a];
    },
  },
  /** U (m × min), s, Vᵀ (min × n) */
  svd: {
    copies: 9,
    length: (m, n) => (m + n + 1) * Math.min(m, n),
    parts: (matrix) => singular(matrix, false),
  },
  /** U (m × m), s, Vᵀ (n × n) */
  fullSvd: {
    copies: 9,
    length: (m, n) => m * m + Math.min(m, n) + n * n,
    parts: (matrix) => singular(matrix, true),
  },
  /** sign, log |det|, det */
  determinant: {
    copies: 0,
    length: () => 3,
    parts({ a, n }) {
      let sign = lu(a, n, new Int32Array(n));
      let [log, product] = [0, sign];
      for (let i = 0; i < n; i++) {
        const pivot = a[i * n + i]!;
        log += Math.log(Math.abs(pivot));
        sign *= Math.sign(pivot);
        product *= pivot;
      }
      return [[sign, log, product]];
    },
  },
  /** A⁻¹ */
  inverse: {
    copies: 1,
    length: (_, n) => n * n,
    parts({ a, m, n }) {
      const unit = new Float64Array(n * n);
      for (let i = 0; i < n; i++) unit[i * n + i] = 1;
      return solved({ a, m, n, b: unit, k: n });
    },
  },
  /** L below the diagonal and U on and above it (m × n, m ≥ n), and which row became which (m) */
  panelLu: {
    copies: 1,
    length: (m, n) => m * n + m,
    parts({ a, m, n }) {
      const order = new Int32Array(m);
      lu(a, n, order, m);
      return [a, Float64Array.from(order)];
    },
  },
  /** L⁻¹ B (n × k) of a lower factor, with 1 on its diagonal, or with its own */
  unitLowerSolve: {
    copies: 1,
    length: (_, n, k) => n * k,
    parts: ({ a, n, b, k }) => [solvable(solveLower(a, n, b, k, true), b)],
  },
  lowerSolve: {
    copies: 1,
    length: (_, n, k) => n * k,
    parts: ({ a, n, b, k }) => [solvable(solveLower(a, n, b, k, false), b)],
  },
  /** U⁻¹ B (n × k) */
  upperSolve: {
    copies: 1,
    length: (_, n, k) => n * k,
    parts: ({ a, n, b, k }) => [solvable(solveUpper(a, n, b, k), b)],
  },
  /** A⁻¹ B (n × k) */
  solve: {
    copies: 1,
    length: (_, n, k) => n * k,
    parts: (matrix) => solved(matrix),
  },
} as const satisfies { readonly [name: string]: MatrixMethod };

export type MatrixMethodName = keyof typeof MATRIX_METHODS;

function solved({ a, n, b, k }: Matrix): readonly Float64Array[] {
  const order = new Int32Array(n);
  lu(a, n, order);
  return [solvable(solveWithLu(a, n, order, b, k), b)];
}

function solvable(isSolved: boolean, solution: Float64Array): Float64Array {
  if (isSolved) return solution;
  throw new Trap("a matrix is singular", "It has no inverse: use pinv or lstsq");
}

const notConverged = (): Trap =>
  new Trap("a decomposition does not converge", "The matrix has NaN or infinite elements");

/** Of wide matrices by their transposes. */
function singular({ a, m, n }: Matrix, isFull: boolean): readonly Float64Array[] {
  const isWide = m < n;
  const [long, short] = isWide ? [n, m] : [m, n];
  const found = svd(isWide ? transposed(a, m, n) : a, long, short);
  if (found === null) throw notConverged();
  const { s, vt } = found;
  const ut = basis(transposed(found.u, long, short), short, long, isFull);
  const count = isFull ? long : short;
  return isWide ? [transposed(vt, short, short), s, ut] : [transposed(ut, count, long), s, vt];
}

/** `rows` orthonormal rows, and as many more as they are long where all are wanted. */
function basis(known: Float64Array, rows: number, length: number, isFull: boolean): Float64Array {
  if (!isFull || rows === length) return known;
  const whole = new Float64Array(length * length);
  whole.set(known);
  completeRows(whole, length, length, rows);
  return whole;
}

function transposed(a: Float64Array, m: number, n: number): Float64Array {
  const result = new Float64Array(m * n);
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) result[j * m + i] = a[i * n + j]!;
  return result;
}

export const matrixRows: Routine = ({ inputs, outputs, attrs, room = allocate }) => {
  const [x, right, output] = [blockAt(inputs, 0), inputs[1], blockAt(outputs, 0)];
  const method: MatrixMethod = MATRIX_METHODS[attrs["method"] as MatrixMethodName];
  const batch = output.shape.slice(0, -1);
  const [m, n] = x.shape.slice(-2) as [number, number];
  const k = right === undefined ? 0 : right.shape.at(-1)!;
  const place = batch.map(() => 0);
  // Copies, which may be overwritten, are borrowed once for all matrices.
  const [a, b] = [room("float64", m * n), room("float64", m * k)] as [Float64Array, Float64Array];
  for (let number = 0; number < sizeOf(batch); number++) {
    copyMatrix(x, place, a);
    if (right !== undefined) copyMatrix(right, place, b);
    putRow(method.parts({ a, m, n, b, k }), oneOf(output, place, 1));
    next(place, batch);
  }
};

/** One part after another. */
function putRow(parts: readonly (Float64Array | readonly number[])[], row: Block): void {
  const isPlain = isContiguous(row);
  const data = isPlain
    ? (row.data.subarray(row.offset, row.offset + row.shape.at(-1)!) as Float64Array)
    : new Float64Array(row.shape.at(-1)!);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  if (!isPlain) fromContiguous(data, row);
}

function oneOf(block: Block, place: readonly number[], own: number): Block {
  const shape = block.shape.slice(-own);
  return subBlock(block, [...place, ...shape.map(() => 0)], [...place.map(() => 1), ...shape]);
}

function copyMatrix(block: Block, place: readonly number[], data: Float64Array): void {
  const source = oneOf(block, place, 2);
  const { dtype, shape } = source;
  copyElements(source, { dtype, shape, strides: stridesOf(shape), offset: 0, data });
}

function next(place: number[], shape: readonly number[]): void {
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (++place[axis]! < shape[axis]!) return;
    place[axis] = 0;
  }
}
