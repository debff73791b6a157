// Scans: running totals along attrs.axis.

import type { ScanOp } from "../expr/op.ts";
import * as s from "../kernel/scalar.ts";
import { add, multiply } from "./complex/arithmetic.ts";
import { checkKind } from "./kinds.ts";

function scan(name: string, identity: number, combine: ScanOp["combine"]): ScanOp {
  return {
    name,
    class: "scan",
    identity,
    combine,
    infer([input]) {
      checkKind("numeric", input!.dtype);
      return input!;
    },
  };
}

export const cumulativeSum: ScanOp = scan("cumulativeSum", 0, (a, b) =>
  s.isComplexTerm(a) ? add(a, b as s.ComplexTerm) : s.add(a, b as s.Term),
);
export const cumulativeProd: ScanOp = scan("cumulativeProd", 1, (a, b) =>
  s.isComplexTerm(a) ? multiply(a, b as s.ComplexTerm) : s.mul(a, b as s.Term),
);

export const SCANS: readonly ScanOp[] = [cumulativeSum, cumulativeProd];
