// All routines by name. A call's inputs and outputs share no memory.

import type { Routine } from "../routine.ts";
import { addAlongAxis } from "./addAlongAxis.ts";
import { binCounts, binEdges, binPlaces, labelCounts } from "./bins.ts";
import { select } from "./byRank.ts";
import { compact, compactRows, countTrue, placeRows, repeatRows } from "./compact.ts";
import { contract } from "./contract.ts";
import { digitCounts, digitStep, keyElements } from "./digits.ts";
import { drawn } from "./draws.ts";
import { foundPlaces } from "./foundPlaces.ts";
import { fourier } from "./fourier.ts";
import { gather, gatherIn, movePlaces, pick, scatter, spread } from "./gather.ts";
import { groupby } from "./groupby.ts";
import { matrixRows } from "./matrixRows.ts";
import { windowed } from "./overWindows.ts";
import { callAll, unpack } from "./packed.ts";
import { permuted } from "./permuted.ts";
import { quantilePlaces } from "./quantilePlaces.ts";
import { blockSample, sampledElements } from "./rankSamples.ts";
import { searchsorted, searchsortedIn } from "./searchsorted.ts";
import { argsort, segmentArgsort, segmentSort, sort } from "./sort.ts";
import { argsortRuns, mergePlaces, mergeRuns, sortRuns } from "./sortedRuns.ts";
import { takeAlongAxis } from "./take-along-axis.ts";
import { topk, topkPlaces } from "./topk.ts";
import { call } from "./userCall.ts";

export const ROUTINES: ReadonlyMap<string, Routine> = new Map(
  Object.entries({
    ...{ addAlongAxis, argsort, call, callAll, compact, compactRows, contract, countTrue },
    ...{
      placeRows,
      repeatRows,
      binCounts,
      labelCounts,
      binEdges,
      binPlaces,
      foundPlaces,
      gather,
      gatherIn,
      groupby,
      movePlaces,
      scatter,
    },
    ...{ drawn, fourier, matrixRows, permuted },
    ...{ blockSample, sampledElements },
    ...{ argsortRuns, mergePlaces, mergeRuns, sortRuns },
    ...{ digitCounts, digitStep, keyElements, quantilePlaces, select, topk, topkPlaces },
    ...{
      pick,
      searchsorted,
      searchsortedIn,
      segmentArgsort,
      segmentSort,
      sort,
      spread,
      takeAlongAxis,
      unpack,
      windowed,
    },
  }),
);
