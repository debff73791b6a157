// How a line of a length is transformed. In: the length. Out: passes through its prime factors; for long lines two transforms of shorter
// ones, columns and rows of a table (Bailey's four steps); for lengths with larger prime factors a convolution of another length.
// Must hold: the way depends on the length alone, so that a line's bits do not depend on what is beside it, nor on who computes it.

/** Beyond it a pass of p² products takes longer, and is less exact, than a convolution. */
const MOST_PRIME = 50;
/** Up to it, kernels have passes. */
export const MOST_KERNEL_PRIME = 13;
/** Longer lines are tables: a pass should stay in a cache. */
const LONG = 4096;
/** Columns and rows of a table that kernels have room for. */
export const MOST_POINTS = 8192;

/** Factors of passes, in order. */
export interface Passes {
  readonly kind: "passes";
  readonly n: number;
  readonly factors: readonly number[];
}

/** n = rows · columns. */
export interface FourSteps {
  readonly kind: "fourSteps";
  readonly n: number;
  /** Of columns, whose points are `columns` apart; and of rows. */
  readonly first: Passes;
  readonly second: Passes;
}

/** By a convolution of `inner.n` ≥ 2n − 1 points (Bluestein). */
export interface Convolution {
  readonly kind: "convolution";
  readonly n: number;
  readonly inner: Passes | FourSteps;
}

export type TransformPlan = Passes | FourSteps | Convolution;

/** 4s before a 2, then the odd ones; null where one is too large. */
export function factorsOf(n: number): number[] | null {
  const factors: number[] = [];
  let rest = n;
  const divide = (p: number): void => {
    factors.push(p);
    rest /= p;
  };
  while (rest > 0 && rest % 4 === 0) divide(4);
  if (rest > 0 && rest % 2 === 0) divide(2);
  for (let p = 3; rest > 1; p += 2) {
    if (p > MOST_PRIME) return null;
    while (rest % p === 0) divide(p);
  }
  return factors;
}

export function planOf(n: number): TransformPlan {
  const factors = factorsOf(n);
  return factors === null
    ? { kind: "convolution", n, inner: smooth(convolutionLength(n)) }
    : inPasses(n, factors);
}

function inPasses(n: number, factors: readonly number[]): Passes | FourSteps {
  if (n <= LONG) return { kind: "passes", n, factors };
  const first = nearRoot(n);
  const [a, b] = [first, n / first].map((m): Passes => ({ kind: "passes", n: m, factors: factorsOf(m)! }));
  return { kind: "fourSteps", n, first: a!, second: b! };
}

const smooth = (n: number): Passes | FourSteps => inPasses(n, factorsOf(n)!);

/** The divisor next to the root, from below. */
function nearRoot(n: number): number {
  let divisor = Math.floor(Math.sqrt(n));
  while (n % divisor !== 0) divisor--;
  return divisor;
}

/** The least of 2ᵏ times 1, 3, 5, 9 or 15 that has room. */
function convolutionLength(n: number): number {
  const least = 2 * n - 1;
  return Math.min(...[1, 3, 5, 9, 15].map((odd) => odd * 2 ** Math.ceil(Math.log2(least / odd))));
}

/** So many complex numbers a transform keeps, and works with: plan/compile/scratch.ts. */
export function workLength(n: number): number {
  if (n <= 1) return 0;
  const plan = planOf(n);
  return plan.kind === "convolution"
    ? 3 * n + CONVOLVED_AT_ONCE * plan.inner.n + smoothWork(plan.inner)
    : smoothWork(plan);
}

/** Short lines are convolved together. */
export const CONVOLVED_AT_ONCE = 4;

/** Roots and tables, a line beside the one that is there, and what goes on in the next pass. */
const smoothWork = (plan: Passes | FourSteps): number => 4 * plan.n + 8 * MOST_PRIME + 4 * LONG;
