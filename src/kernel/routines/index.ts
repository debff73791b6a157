// All routines by name. A call's inputs and outputs share no memory.

import type { Routine } from "../routine.ts";
import { call } from "./call.ts";
import { contract } from "./contract.ts";
import { gather, scatter } from "./gather.ts";
import { searchsorted } from "./searchsorted.ts";
import { argsort, sort } from "./sort.ts";
import { takeAlongAxis } from "./take-along-axis.ts";

export const ROUTINES: ReadonlyMap<string, Routine> = new Map(
  Object.entries({ argsort, call, contract, gather, scatter, searchsorted, sort, takeAlongAxis }),
);
