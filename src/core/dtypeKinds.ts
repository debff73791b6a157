// Which kinds of dtypes a function takes, and what it makes of them before it computes.
// In: the promoted dtype of the operands. Out: the dtype to compute in, or an error with the cure.

import { type DType, type Kind, kindOf } from "./dtype.ts";
import { DTypeError } from "./errors.ts";
import { resultOf } from "./results.ts";

export type KindSet = "any" | "numeric" | "real" | "realOrBool" | "integer" | "integerOrBool" | "bool";

const KINDS: { readonly [S in KindSet]: readonly Kind[] } = {
  any: ["bool", "int", "uint", "float", "complex"],
  numeric: ["int", "uint", "float", "complex"],
  real: ["int", "uint", "float"],
  realOrBool: ["bool", "int", "uint", "float"],
  integer: ["int", "uint"],
  integerOrBool: ["bool", "int", "uint"],
  bool: ["bool"],
};

const SAYS: { readonly [S in KindSet]: string } = {
  any: "any dtype",
  numeric: "numbers",
  real: "real numbers",
  realOrBool: "real numbers and bool",
  integer: "integers",
  integerOrBool: "integers and bool",
  bool: "bool",
};

export const takesBool = (accepts: KindSet): boolean => KINDS[accepts].includes("bool");

export function checkKind(accepts: KindSet, dtype: DType): DType {
  const kind = kindOf(dtype);
  if (KINDS[accepts].includes(kind)) return dtype;
  throw new DTypeError({ what: `takes ${SAYS[accepts]}, not ${dtype}`, cure: cureFor(accepts, kind) });
}

function cureFor(accepts: KindSet, kind: Kind): string {
  if (accepts === "bool") return 'Compare first, or use astype("bool")';
  if (kind === "bool") return "Use astype first, or a logical function";
  if (kind === "complex") return "Take real, imag or abs first";
  return "Use astype to an integer dtype first";
}

/** What the standard calls floating functions: integers are computed as the default float. */
export const toFloating = (dtype: DType): DType => resultOf(dtype, "floating");
