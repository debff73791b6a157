// How gradients come back through decompositions and solutions: for each method of kernel/routines/matrixRows.ts what a cotangent of
// the parts that it finds means for the matrix. In: handles of the matrices, of the parts and of their cotangents (Ḡ stands for
// the cotangent of G). Out: cotangents of the matrices, and of the right sides.
// Giles (2008); of QR: Walter, Lehmann, Lamour (2012), and Roberts, Roberts (2020) for wide ones; of the SVD: Townsend (2016).
// Must hold: what reads one triangle has its gradient there, zeros elsewhere. Where a derivative does not exist (vectors of
// equal values that something depends on), the result is infinite or NaN, and no number that looks right.

import { type Shape, sizeOf } from "../core/chunks.ts";
import type { BinaryWord, Calculus, Handle, HandleOrNumber } from "../expr/pullback.ts";
import type { MatrixMethodName } from "../kernel/routines/matrixRows.ts";

/** Which operand of a product is transposed. */
type Transposed = "first" | "second";

/** Words for stacks of matrices: their last two axes, after as many others as are said. */
class MatrixCalculus {
  readonly use: Calculus;
  readonly #batch: number;

  constructor(use: Calculus, batch: number) {
    this.use = use;
    this.#batch = batch;
  }

  two(name: BinaryWord, a: HandleOrNumber, b: HandleOrNumber): Handle {
    return this.use.two(name, a, b);
  }

  product(a: Handle, b: Handle, transposed?: Transposed): Handle {
    const k = this.#batch;
    const batch = Array.from({ length: k }, (_, axis) => axis);
    return this.use.contract(a, b, {
      ...{ batchA: batch, batchB: batch },
      contractA: [transposed === "first" ? k : k + 1],
      contractB: [transposed === "second" ? k + 1 : k],
    });
  }

  transpose(x: Handle): Handle {
    const k = this.#batch;
    return this.use.permute(x, [...x.shape.slice(0, k).map((_, axis) => axis), k + 1, k]);
  }

  /** A⁻¹·B. */
  solve(a: Handle, b: Handle): Handle {
    return this.use.reshape(this.use.node("matrixRows", [a, b], { method: "solve" }), b.shape);
  }

  /** B·A⁻¹ = (A⁻ᵀ·Bᵀ)ᵀ. */
  solveRight(b: Handle, a: Handle): Handle {
    return this.transpose(this.solve(this.transpose(a), this.transpose(b)));
  }

  /** One number for each row, and for each column. */
  rows(x: Handle): Handle {
    return this.use.expandDims(x, [this.#batch + 1]);
  }
  columns(x: Handle): Handle {
    return this.use.expandDims(x, [this.#batch]);
  }
  /** One for each matrix. */
  each(x: Handle): Handle {
    return this.use.expandDims(x, [this.#batch, this.#batch + 1]);
  }

  /** Where a row's number and a column's are so to each other. */
  where(how: BinaryWord, like: Handle, x: HandleOrNumber, y: HandleOrNumber): Handle {
    const [row, column] = [this.use.places(like, this.#batch), this.use.places(like, this.#batch + 1)];
    return this.use.where(this.two(how, row, column), x, y);
  }

  /** What lies on and below the diagonal, and that once more above it. */
  mirrored(x: Handle): Handle {
    const below = this.where("greaterEqual", x, x, 0);
    return this.two("add", below, this.transpose(this.where("less", x, 0, this.where("equal", x, 0, below))));
  }

  /** The gradient of what reads the lower triangle as a symmetric matrix, from a symmetric one: each element stands for two. */
  ofLower(x: Handle): Handle {
    return this.where("greaterEqual", x, this.where("equal", x, x, this.two("multiply", x, 2)), 0);
  }

  /** x / y; 0 where nothing is to be divided by 0. */
  quotient(x: Handle, y: Handle, isNothing: Handle): Handle {
    const isNone = this.two("logicalAnd", isNothing, this.two("equal", y, 0));
    return this.two("divide", x, this.use.where(isNone, 1, y));
  }

  /** (P − Pᵀ) / y, elements of the diagonal aside, which are 0. */
  turned(p: Handle, y: Handle): Handle {
    const other = this.transpose(p);
    const isNothing = this.two("logicalAnd", this.two("equal", p, 0), this.two("equal", other, 0));
    return this.quotient(this.two("subtract", p, other), this.where("equal", y, 1, y), isNothing);
  }

  /** Of a row of numbers the matrices that begin at a place. */
  part(row: Handle, from: number, shape: Shape): Handle {
    const batch = row.shape.slice(0, this.#batch);
    const selection = {
      start: [...batch.map(() => 0), from],
      step: row.shape.map(() => 1),
      shape: [...batch, sizeOf(shape)],
    };
    return this.use.reshape(this.use.slice(row, selection), [...batch, ...shape]);
  }

  /** Parts of a row, one after another. */
  parts(row: Handle, shapes: readonly Shape[]): Handle[] {
    let from = 0;
    return shapes.map((shape) => {
      const part = this.part(row, from, shape);
      from += sizeOf(shape);
      return part;
    });
  }
}

/** A matrix and its right sides, the row that a method found, and that row's cotangent. */
interface Found {
  readonly a: Handle;
  readonly m: number;
  readonly n: number;
  readonly b: Handle | undefined;
  readonly row: Handle;
  readonly cotangent: Handle;
}

type MatrixPullback = (found: Found, use: MatrixCalculus) => readonly Handle[];

/** A = LLᵀ: Ā = ½ L⁻ᵀ·(LᵀL̄, its lower half mirrored)·L⁻¹. */
const cholesky: MatrixPullback = ({ n, row, cotangent }, use) => {
  const [l, ofL] = [use.part(row, 0, [n, n]), use.part(cotangent, 0, [n, n])];
  const inner = use.mirrored(use.product(l, ofL, "first"));
  const whole = use.solveRight(use.solve(use.transpose(l), inner), l);
  return [use.ofLower(use.two("multiply", whole, 0.5))];
};

/** X = A⁻¹: Ā = −Xᵀ·X̄·Xᵀ. */
const inverse: MatrixPullback = ({ n, row, cotangent }, use) => {
  const [x, ofX] = [use.part(row, 0, [n, n]), use.part(cotangent, 0, [n, n])];
  return [use.use.negative(use.product(use.product(x, ofX, "first"), x, "second"))];
};

/** X = A⁻¹B: B̄ = A⁻ᵀ·X̄, Ā = −B̄·Xᵀ. */
const solve: MatrixPullback = ({ a, n, b, row, cotangent }, use) => {
  const shape = [n, b!.shape.at(-1)!];
  const [x, ofX] = [use.part(row, 0, shape), use.part(cotangent, 0, shape)];
  const ofB = use.solve(use.transpose(a), ofX);
  return [use.use.negative(use.product(ofB, x, "second")), ofB];
};

/**
 * X = T⁻¹B of a triangle T: B̄ = T⁻ᵀ·X̄ by the other triangle's solver, T̄ = −B̄·Xᵀ where T was read: its row `read` its column. With
 * `isUnit`, what T's diagonal is taken for is 1.
 */
const triangle =
  (other: MatrixMethodName, read: BinaryWord, isUnit = false): MatrixPullback =>
  ({ a, n, b, row, cotangent }, use) => {
    const shape = [n, b!.shape.at(-1)!];
    const [x, ofX] = [use.part(row, 0, shape), use.part(cotangent, 0, shape)];
    const turned = use.transpose(isUnit ? use.where("equal", a, 1, a) : a);
    const ofB = use.use.reshape(use.use.node("matrixRows", [turned, ofX], { method: other }), ofX.shape);
    const ofA = use.use.negative(use.product(ofB, x, "second"));
    const readOnly = use.where(read, ofA, ofA, 0);
    return [isUnit ? use.where("equal", ofA, 0, readOnly) : readOnly, ofB];
  };

/** Rows that change places are found in the panel itself. */
const panelLu: MatrixPullback = ({ m, n }, { use }) =>
  use.refuse(
    `there is no derivative of the factors of ${m} × ${n} panels`,
    "Up to 1,024 rows solve, inv and det have one; or write x·xᵀ and use cholesky",
  );

/** d log|det A| = tr(A⁻¹·dA), and d det A = det A times that: Ā = (l̄ + d̄·det A)·A⁻ᵀ. The sign stays what it is. */
const determinant: MatrixPullback = ({ a, n, row, cotangent }, use) => {
  const [, ofLog, ofDet] = use.parts(cotangent, [[], [], []]);
  const share = use.two("add", ofLog!, use.two("multiply", ofDet!, use.part(row, 2, [])));
  const inverted = use.use.reshape(use.use.node("matrixRows", [a], { method: "inverse" }), a.shape);
  return n === 0 ? [use.use.filled(a)] : [use.two("multiply", use.transpose(inverted), use.each(share))];
};

/** A = V·diag(λ)·Vᵀ: Ā = V·(diag(λ̄) + ½ (P − Pᵀ) / (λⱼ − λᵢ))·Vᵀ with P = VᵀV̄. */
const eigh: MatrixPullback = ({ n, row, cotangent }, use) => {
  const [values, v] = use.parts(row, [[n], [n, n]]);
  const [ofValues, ofV] = use.parts(cotangent, [[n], [n, n]]);
  const gaps = use.two("subtract", use.columns(values!), use.rows(values!));
  const turned = use.two("multiply", use.turned(use.product(v!, ofV!, "first"), gaps), 0.5);
  const inner = use.where("equal", gaps, use.columns(ofValues!), turned);
  return [use.ofLower(use.product(use.product(v!, inner), v!, "second"))];
};

/**
 * A = U·diag(s)·Vᵀ with k values: Ā = U·(E(UᵀŪ)·diag(s) + diag(s)·E(VᵀV̄) + diag(s̄))·Vᵀ + (1 − UUᵀ)·Ū·diag(1/s)·Vᵀ +
 * U·diag(1/s)·V̄ᵀ·(1 − VVᵀ), where E(P) is (P − Pᵀ) / (sⱼ² − sᵢ²).
 */
const svd: MatrixPullback = ({ m, n, row, cotangent }, use) => {
  const k = Math.min(m, n);
  const shapes = [[m, k], [k], [k, n]];
  const [u, s, vt] = use.parts(row, shapes) as [Handle, Handle, Handle];
  const [ofU, ofS, ofVt] = use.parts(cotangent, shapes) as [Handle, Handle, Handle];
  const [rows, columns] = [use.rows(s), use.columns(s)];
  const gaps = use.two("multiply", use.two("subtract", columns, rows), use.two("add", columns, rows));
  const [p, q] = [use.product(u, ofU, "first"), use.product(vt, ofVt, "second")];
  const turned = use.two(
    "add",
    use.two("multiply", use.turned(p, gaps), columns),
    use.two("multiply", use.turned(use.transpose(q), gaps), rows),
  );
  const inner = use.where("equal", gaps, use.two("add", use.columns(ofS), turned), turned);
  const within = use.product(use.product(u, inner), vt);
  const over = (x: Handle, by: Handle): Handle => use.quotient(x, by, use.two("equal", x, 0));
  const beside: Handle[] = [];
  if (m > k) beside.push(use.product(over(use.two("subtract", ofU, use.product(u, p)), columns), vt));
  if (n > k)
    beside.push(use.product(u, over(use.two("subtract", ofVt, use.product(use.transpose(q), vt)), rows)));
  return [beside.reduce((sum, each) => use.two("add", sum, each), within)];
};

/** Q and R, and their cotangents. */
export interface QrParts {
  readonly q: Handle;
  readonly r: Handle;
  readonly ofQ: Handle;
  readonly ofR: Handle;
}

/**
 * A = QR with as many columns as rows of R: Ā = (Q̄ + Q·(M, its lower half mirrored))·R⁻ᵀ with M = RR̄ᵀ − Q̄ᵀQ. Of wide matrices
 * (X Y) = Q·(U V) the columns Y = QV say Q̄ += Y·V̄ᵀ and Ȳ = Q·V̄, and X and U are as before.
 */
function qrCotangent({ q, r, ofQ, ofR }: QrParts, use: MatrixCalculus): Handle {
  const [k, n] = r.shape.slice(-2) as [number, number];
  if (n === k) {
    const inner = use.two("subtract", use.product(r, ofR, "second"), use.product(ofQ, q, "first"));
    const outer = use.two("add", ofQ, use.product(q, use.mirrored(inner)));
    return use.solveRight(outer, use.transpose(r));
  }
  const axis = r.shape.length - 1;
  const columns = (x: Handle, from: number, count: number): Handle =>
    use.use.slice(x, {
      start: x.shape.map((_, a) => (a === axis ? from : 0)),
      step: x.shape.map(() => 1),
      shape: x.shape.with(axis, count),
    });
  const [v, ofV] = [columns(r, k, n - k), columns(ofR, k, n - k)];
  const y = use.product(q, v);
  const square = {
    ...{ q, r: columns(r, 0, k), ofR: columns(ofR, 0, k) },
    ofQ: use.two("add", ofQ, use.product(y, ofV, "second")),
  };
  const [ofX, ofY] = [qrCotangent(square, use), use.product(q, ofV)];
  return use.two("add", use.use.padded(ofX, axis, 0, n - k), use.use.padded(ofY, axis, k, 0));
}

/** The same for one large matrix. */
export const tallQrCotangent = (parts: QrParts, use: Calculus): Handle =>
  qrCotangent(parts, new MatrixCalculus(use, 0));

const qr: MatrixPullback = ({ m, n, row, cotangent }, use) => {
  const k = Math.min(m, n);
  const [q, r] = use.parts(row, [
    [m, k],
    [k, n],
  ]);
  const [ofQ, ofR] = use.parts(cotangent, [
    [m, k],
    [k, n],
  ]);
  return [qrCotangent({ q: q!, r: r!, ofQ: ofQ!, ofR: ofR! }, use)];
};

/** Vectors that the matrix says nothing of could be any. */
const onlyWhere =
  (fits: (m: number, n: number) => boolean, pullback: MatrixPullback, cure: string): MatrixPullback =>
  (found, use) =>
    fits(found.m, found.n)
      ? pullback(found, use)
      : use.use.refuse(
          `of ${found.m} × ${found.n} matrices a decomposition has vectors that the matrix does not determine, and no derivative`,
          cure,
        );

/** By the methods' names. */
export const MATRIX_PULLBACKS: { readonly [M in MatrixMethodName]: MatrixPullback } = {
  ...{ cholesky, inverse, solve, determinant, eigh, svd, qr, panelLu },
  lowerSolve: triangle("upperSolve", "greaterEqual"),
  unitLowerSolve: triangle("upperSolve", "greaterEqual", true),
  upperSolve: triangle("lowerSolve", "lessEqual"),
  completeQr: onlyWhere((m, n) => m <= n, qr, 'Use qr(x, {mode: "reduced"}), which has only what it needs'),
  fullSvd: onlyWhere(
    (m, n) => m === n,
    svd,
    "Use svd(x, {fullMatrices: false}), or svdvals(x) for the values alone",
  ),
};

/** What comes back to the matrices, and to right sides where there are some. */
export function matrixPullback(
  method: MatrixMethodName,
  [a, b]: readonly Handle[],
  row: Handle,
  cotangent: Handle,
  use: Calculus,
): readonly Handle[] {
  const [m, n] = a!.shape.slice(-2) as [number, number];
  return MATRIX_PULLBACKS[method](
    { a: a!, m, n, b, row, cotangent },
    new MatrixCalculus(use, a!.shape.length - 2),
  );
}
