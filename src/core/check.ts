// Checks of what comes from outside: a value of any type in, the value with its type out, or a typed error
// that says what was found. TypeScript checks most of this already; JavaScript and JSON do not.

import { describe, isLength } from "./chunks.ts";
import { ValueError } from "./errors.ts";
import { Complex, isScalar, type RealScalar, type Scalar } from "./numbers.ts";

/** One number or a list of them, as a list of whole numbers. Holes in a list are found too. */
export function checkIntegers(value: unknown, name: string): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? Array.from(value) : [value];
  const wrong = list.find((item) => !Number.isSafeInteger(item));
  if (list.every((item) => Number.isSafeInteger(item))) return list as number[];
  if (Array.isArray(value))
    throw new ValueError({ what: `${name} has ${describe(wrong)}`, cure: "Use whole numbers" });
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "It must be a whole number" });
}

/** The same, none negative. */
export function checkLengths(value: unknown, name: string): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? Array.from(value) : [value];
  if (list.every(isLength)) return list as number[];
  const wrong = list.find((item) => !isLength(item));
  const verb = Array.isArray(value) ? "have" : "are";
  throw new ValueError({ what: `${name} ${verb} ${describe(wrong)}`, cure: "Use whole numbers, 0 or more" });
}

export function checkScalar(value: unknown, name: string): Scalar {
  if (isScalar(value)) return checkParts(value, name);
  throw new ValueError({
    what: `${name} is ${describe(value)}`,
    cure: "Use a number, bigint, boolean or complex",
  });
}

function checkParts(value: Scalar, name: string): Scalar {
  if (!(value instanceof Complex) || (typeof value.re === "number" && typeof value.im === "number"))
    return value;
  throw new ValueError({
    what: `${name} has the parts ${describe(value.re)} and ${describe(value.im)}`,
    cure: "Both must be numbers",
  });
}

export function checkReal(value: unknown, name: string): RealScalar {
  if (isScalar(value) && !(value instanceof Complex)) return value;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a number, bigint or boolean" });
}

export function checkFlag(value: unknown, name: string): void {
  if (value === undefined || typeof value === "boolean") return;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use true or false" });
}
