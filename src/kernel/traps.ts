// Failures that depend on the data, by kind: what went wrong and what to do about it. The interpreter throws
// them; compiled code passes the number of a kind to `trap`.

import { Trap } from "./routine.ts";
import type { Prim } from "./scalar.ts";

export type TrapKind = "division" | "shift" | "exponent";

const REASONS: { readonly [K in TrapKind]: readonly [what: string, cure: string] } = {
  division: ["integer division by zero", "Mask the zeros first: x // where(y == 0, 1, y)"],
  shift: ["a negative shift count", "Shift the other way"],
  exponent: ["an integer to a negative integer power", "Cast the base to a float first"],
};

/** A kind's number is its place here. */
export const TRAP_KINDS: readonly TrapKind[] = Object.keys(REASONS) as TrapKind[];

export const trapOf = (kind: TrapKind): Trap => new Trap(...REASONS[kind]);

/** Instructions that can fail. */
export const TRAPPING: ReadonlySet<Prim | "load"> = new Set<Prim>(["quot", "rem", "shl", "shr", "ipow"]);
