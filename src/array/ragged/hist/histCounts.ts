// What pictures and tables take of a histogram: its axes and what is counted, without the flow.

import type { NDArray } from "../../../lazy/ndarray.ts";
import type { HistAxis } from "./histAxis.ts";

export interface HistCounts {
  readonly axes: readonly HistAxis[];
  readonly ndim: number;
  readonly isWeighted: boolean;
  values(): NDArray<"float64">;
  variances(): NDArray<"float64">;
}
