// Makers of sums of exponentials. Never exact: only where the order of adding up is the same on both sides.

import { type Maker, REAL } from "../writer.ts";
import { axesOf, over } from "./reductions.ts";

const logsumexp: Maker = (writer, choices) => {
  const x = writer.coerced(writer.any(choices)!, REAL, choices);
  return writer.call("logsumexp", x, over(axesOf(writer.of(x).ndim, choices), choices));
};

const along =
  (name: string): Maker =>
  (writer, choices) => {
    const x = writer.coerced(writer.any(choices)!, REAL, choices);
    return writer.call(name, x, { axis: axesOf(writer.of(x).ndim, choices) });
  };

export const EXPONENTIAL_SUMS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ logsumexp, softmax: along("softmax"), logSoftmax: along("logSoftmax") }),
);
