// Routines: block computations that are not loops of scalar programs (gather, sort, contraction…).
// In: blocks and where they lie in their arrays. Out: the output blocks, filled.

import type { Attrs, Block } from "../core/block.ts";
import type { Backend } from "./backend.ts";
import type { MatrixProduct } from "./routines/outsideProduct.ts";
import type { Room } from "./routines/room.ts";

/** What a backend lends to a routine. */
export interface RoutineMeans {
  /** Ordinary memory where there is none. */
  readonly room?: Room | undefined;
  readonly product?: MatrixProduct | null | undefined;
  /** For a routine that runs programs of its own: what runs it. The interpreter where none is lent. */
  readonly backend?: Backend | undefined;
}

export interface RoutineCall extends RoutineMeans {
  readonly inputs: readonly Block[];
  readonly outputs: readonly Block[];
  readonly attrs: Attrs;
  /** Where each input block, then each output block, starts in its whole array. */
  readonly starts: readonly (readonly number[])[];
}

export type Routine = (call: RoutineCall) => void;

/** A failure that depends on the data: becomes a RunError that names the user's line. */
export class Trap extends Error {
  readonly cure: string | undefined;

  constructor(message: string, cure?: string) {
    super(message);
    this.name = "Trap";
    this.cure = cure;
  }
}
