// Circular functions of complex numbers and their inverses as scalar bodies.
// In: complex terms. Out: complex terms; specials are those of the hyperbolic functions at i·z, as the
// array API standard defines them.

import { type ComplexUnary, inDouble, timesI, turned } from "./double.ts";
import { acosParts, asinParts, atanh, cosh, sinh, tanh } from "./hyperbolic.ts";

/** sin z = −i sinh(iz). */
export const sin: ComplexUnary = turned(sinh);

/** cos z = cosh(iz). */
export const cos: ComplexUnary = (z) => cosh(timesI(z));

/** tan z = −i tanh(iz). */
export const tan: ComplexUnary = turned(tanh);

export const asin: ComplexUnary = inDouble(asinParts);

export const acos: ComplexUnary = inDouble(acosParts);

/** atan z = −i atanh(iz). */
export const atan: ComplexUnary = turned(atanh);
