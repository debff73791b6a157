// Meetings: where two boxes that move in different ways are the same box. In: equations between steps along the axes of a
// cell. Out: the steps that solve them, as a lattice: one of them, and vectors by which the others are reached.

import { gcd } from "./taskRuns.ts";

/** Σ slope · step = sum, with a slope for each axis. */
export interface Equation {
  readonly slopes: readonly number[];
  readonly sum: number;
}

/** Steps at + Σ tₙ · vectorₙ, for all tₙ below countₙ. */
export interface Lattice {
  readonly at: readonly number[];
  readonly lines: readonly { readonly vector: readonly number[]; readonly count: number }[];
}

export const pointsIn = ({ lines }: Lattice): number => lines.reduce((size, { count }) => size * count, 1);

/** All steps of a cell with so many along each axis. */
const wholeLattice = (counts: readonly number[]): Lattice => ({
  at: counts.map(() => 0),
  lines: counts.map((count, axis) => ({ vector: counts.map((_, other) => (other === axis ? 1 : 0)), count })),
});

/** Null: no steps do. Undefined: an equation has more than two axes in it, and is not solved here. */
export function solve(equations: readonly Equation[], counts: readonly number[]): Lattice | null | undefined {
  let lattice: Lattice | null | undefined = wholeLattice(counts);
  // Those with fewer axes first: they leave less of the others.
  const ordered = equations.toSorted((a, b) => axesIn(a) - axesIn(b));
  for (const equation of ordered) {
    if (lattice == null) return lattice;
    lattice = solveOne(equation, lattice);
  }
  return lattice;
}

const axesIn = ({ slopes }: Equation): number => slopes.filter((slope) => slope !== 0).length;

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, axis) => sum + x * b[axis]!, 0);

function solveOne({ slopes, sum }: Equation, lattice: Lattice): Lattice | null | undefined {
  const rest = sum - dot(slopes, lattice.at);
  const factors = lattice.lines.map(({ vector }) => dot(slopes, vector));
  const used = factors.flatMap((factor, n) => (factor !== 0 && lattice.lines[n]!.count > 1 ? [n] : []));
  if (used.length === 0) return rest === 0 ? lattice : null;
  if (used.length > 2) return undefined;
  const [n, m] = used;
  return m === undefined ? fixed(lattice, n!, rest / factors[n!]!) : joined(lattice, [n!, m], factors, rest);
}

const without = ({ lines }: Lattice, gone: readonly number[]): Lattice["lines"] =>
  lines.filter((_, n) => !gone.includes(n));

const moved = (at: readonly number[], vector: readonly number[], t: number): number[] =>
  at.map((x, axis) => x + t * vector[axis]!);

/** One place of a line. */
function fixed(lattice: Lattice, n: number, t: number): Lattice | null {
  const { vector, count } = lattice.lines[n]!;
  if (!Number.isInteger(t) || t < 0 || t >= count) return null;
  return { at: moved(lattice.at, vector, t), lines: without(lattice, [n]) };
}

/** Two lines become one: a·x + b·y = rest has the solutions x₀ + b/g·t, y₀ − a/g·t. */
function joined(
  lattice: Lattice,
  [n, m]: readonly [number, number],
  factors: readonly number[],
  rest: number,
): Lattice | null {
  const [a, b] = [factors[n]!, factors[m]!];
  const divisor = gcd(Math.abs(a), Math.abs(b));
  if (rest % divisor !== 0) return null;
  const [stepX, stepY] = [b / divisor, -a / divisor];
  const [one, other] = [lattice.lines[n]!, lattice.lines[m]!];
  const x = Number(smallest(BigInt(a / divisor), BigInt(rest / divisor), BigInt(Math.abs(stepX))));
  const y = (rest - a * x) / b;
  const low = Math.max(least(x, stepX, one.count), least(y, stepY, other.count));
  const high = Math.min(most(x, stepX, one.count), most(y, stepY, other.count));
  if (high < low) return null;
  const at = moved(moved(lattice.at, one.vector, x + low * stepX), other.vector, y + low * stepY);
  const vector = one.vector.map((v, axis) => v * stepX + other.vector[axis]! * stepY);
  return { at, lines: [...without(lattice, [n, m]), { vector, count: high - low + 1 }] };
}

/** The t from which on, or until which, x + t·step is one of 0 … count − 1. */
const least = (x: number, step: number, count: number): number =>
  Math.ceil((step > 0 ? -x : count - 1 - x) / step);
const most = (x: number, step: number, count: number): number =>
  Math.floor((step > 0 ? count - 1 - x : -x) / step);

/** The smallest x ≥ 0 with a·x ≡ c, modulo a number that has no divisor in common with a. */
function smallest(a: bigint, c: bigint, modulo: bigint): bigint {
  const positive = (x: bigint): bigint => ((x % modulo) + modulo) % modulo;
  let [r, next, x, nextX] = [positive(a), modulo, 1n, 0n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return positive(x * positive(c));
}
