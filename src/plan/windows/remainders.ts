// Remainders: how many numbers of a line leave a remainder of some size. In: numbers start, start + slope, … and a
// divisor. Out: how many have a remainder of `least` or more. As fast for 10⁹ numbers as for ten.

import { gcd } from "./taskRuns.ts";

export interface Line {
  readonly start: number;
  readonly slope: number;
  readonly count: number;
}

const modulo = (x: number, divisor: number): number => ((x % divisor) + divisor) % divisor;

/** For 0 ≤ least ≤ divisor. Remainders come again after a period: whole periods have all that they can have. */
export function countRemainders({ start, slope, count }: Line, divisor: number, least: number): number {
  const [first, step] = [modulo(start, divisor), modulo(slope, divisor)];
  if (step === 0) return first >= least ? count : 0;
  const apart = gcd(step, divisor);
  const period = divisor / apart;
  const smaller = Math.min(period, Math.max(0, Math.ceil((least - (first % apart)) / apart)));
  const periods = Math.floor(count / period);
  const rest = count - periods * period;
  // A remainder is `least` or more where adding what is missing leads to the next multiple.
  const missing = divisor - least;
  const above = floorSum(rest, divisor, step, first + missing) - floorSum(rest, divisor, step, first);
  return periods * (period - smaller) + above;
}

/** Σ ⌊(start + slope · i) / divisor⌋ for all i below count, none of them negative. */
function floorSum(count: number, divisor: number, slope: number, start: number): number {
  let sum = 0;
  let [n, m, a, b] = [count, divisor, slope, start];
  while (n > 0) {
    sum += ((n * (n - 1)) / 2) * Math.floor(a / m) + n * Math.floor(b / m);
    [a, b] = [a % m, b % m];
    const end = a * n + b;
    if (end < m) break;
    [n, m, a, b] = [Math.floor(end / m), a, m, end % m];
  }
  return sum;
}
