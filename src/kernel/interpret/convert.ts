// Casts between register types (docs/semantics.md, "Casts"): float → integer truncates and saturates with
// NaN to 0, integer → integer wraps, → bool is "not zero". In and out: lanes as their typed arrays hold them.

import { isFloat, isWide, type RealDType } from "../../core/dtype.ts";
import { integerRange } from "../../core/numbers.ts";
import type { Lane } from "./lanes.ts";

export function conversion(from: RealDType, to: RealDType): (x: Lane) => Lane {
  if (to === "bool") return isWide(from) ? (x) => (x === 0n ? 0 : 1) : (x) => (x === 0 ? 0 : 1);
  if (isFloat(from)) return isFloat(to) ? (x) => x : saturate(to);
  if (isWide(from)) return fromWide(to);
  return isWide(to) ? (x) => BigInt(x) : (x) => x;
}

function fromWide(to: RealDType): (x: Lane) => Lane {
  if (to === "float32") return (x) => singleOfBigInt(x as bigint);
  if (to === "float64") return (x) => Number(x);
  if (isWide(to)) return (x) => x;
  // The low 32 bits are all that a narrower typed array keeps.
  return (x) => Number(BigInt.asIntN(32, x as bigint));
}

function saturate(to: RealDType): (x: Lane) => Lane {
  const [low, high] = integerRange(to);
  if (isWide(to)) {
    return (x) =>
      Number.isNaN(x)
        ? 0n
        : x <= Number(low)
          ? low
          : x >= Number(high)
            ? high
            : BigInt(Math.trunc(x as number));
  }
  return (x) =>
    Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x as number), Number(low)), Number(high));
}

/** A bigint to the nearest float32 with one rounding: beyond 2⁵³ the bits that a double drops are kept as a sticky one. */
function singleOfBigInt(x: bigint): number {
  const size = x < 0n ? -x : x;
  if (size < 1n << 53n) return Math.fround(Number(x));
  const sticky = (size & 0xfffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number((size >> 12n) | sticky) * 4096);
  return x < 0n ? -rounded : rounded;
}
