// stopGradient: the array itself, which gradients take for a constant. Rewriting drops it: it says something to gradients alone.

import { unary } from "../define.ts";

/** x itself, through which no gradient goes: `cw.stopGradient([1, 2])` is [1, 2]. */
export const stopGradient = unary("stopGradient", {
  accepts: "any",
  result: "same",
  real: (x) => x,
  complex: (z) => z,
  pull: () => [null],
});
