// All routines by name. A call's inputs and outputs share no memory.

import type { Routine } from "../routine.ts";
import { binEdges, binPlaces } from "./bins.ts";
import { contract } from "./contract.ts";
import { foundPlaces } from "./foundPlaces.ts";
import { gather, pick, scatter, spread } from "./gather.ts";
import { groupby } from "./groupby.ts";
import { callAll, unpack } from "./packed.ts";
import { searchsorted } from "./searchsorted.ts";
import { argsort, segmentArgsort, segmentSort, sort } from "./sort.ts";
import { takeAlongAxis } from "./take-along-axis.ts";
import { call } from "./userCall.ts";

export const ROUTINES: ReadonlyMap<string, Routine> = new Map(
  Object.entries({
    ...{ argsort, binEdges, binPlaces, call, callAll, contract, foundPlaces, gather, groupby, scatter },
    ...{ pick, searchsorted, segmentArgsort, segmentSort, sort, spread, takeAlongAxis, unpack },
  }),
);
