// Weights of normal distributions and their derivatives, as scipy.ndimage has them. In: a standard deviation, the order of the derivative,
// how far weights go. Out: weights, from the first place of a window to the last; [1] for a standard deviation of 0.

import { describe, isLength } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";

/** Less is no blur at all, as in SciPy. */
const LEAST_SIGMA = 1e-15;
const MOST_ORDER = 20;

function checkNumber(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a number, 0 or more" });
}

export function gaussianWeights(
  sigma: number,
  order: number,
  radius: number | undefined,
  truncate: number,
): Float64Array {
  if (!isLength(order) || order > MOST_ORDER)
    throw new ValueError({
      what: `order is ${describe(order)}`,
      cure: `Use a whole number up to ${MOST_ORDER}`,
    });
  if (checkNumber(sigma, "sigma") <= LEAST_SIGMA) return Float64Array.of(1);
  if (radius !== undefined && !isLength(radius))
    throw new ValueError({ what: `radius is ${describe(radius)}`, cure: "Use a whole number, 0 or more" });
  const reach = radius ?? Math.floor(checkNumber(truncate, "truncate") * sigma + 0.5);
  const places = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const bell = places.map((x) => Math.exp((-0.5 / (sigma * sigma)) * x * x));
  const whole = bell.reduce((sum, each) => sum + each, 0);
  const factors = derivative(order, sigma);
  // Windows are correlated with weights: the derivative's polynomial is of the place turned round.
  return bell.map((each, i) => (each / whole) * factors.reduceRight((sum, q) => sum * -places[i]! + q, 0));
}

/** f = q·p with p = e^(−x²/2σ²) and p′ = −x/σ²·p, so f′ = (q′ − x/σ²·q)·p: the polynomial q of a derivative, by powers. */
function derivative(order: number, sigma: number): number[] {
  let q = [1];
  for (let times = 0; times < order; times++) {
    const next = new Array<number>(q.length + 1).fill(0);
    q.forEach((each, power) => {
      if (power > 0) next[power - 1]! += power * each;
      next[power + 1]! -= each / (sigma * sigma);
    });
    q = next;
  }
  return q;
}
