// Makers of reductions that leave NaN out. Elements are small whole numbers, where that matters, or NaN.

import { type DType, isFloat, isInteger } from "../../../src/core/dtype.ts";
import type { Choices } from "../choices.ts";
import type { Ref } from "../program.ts";
import { type Maker, NUMERIC, type ProgramWriter, REAL, REAL_OR_BOOL } from "../writer.ts";
import { axesOf, over } from "./reductions.ts";

/** A value that adds up exactly, with the NaNs it has. */
function summableWithNaN(writer: ProgramWriter, x: Ref, limit: number): Ref {
  const { dtype } = writer.of(x);
  if (isFloat(dtype)) return writer.call("where", writer.call("isnan", x), x, writer.summable(x, limit));
  return isInteger(dtype) ? writer.call("remainder", x, 3) : writer.summable(x, limit);
}

const adding =
  (name: string, accepted: readonly DType[], limit: number): Maker =>
  (writer, choices) => {
    const x = writer.coerced(writer.any(choices)!, accepted, choices);
    const small = writer.options.exact ? summableWithNaN(writer, x, limit) : x;
    return writer.call(name, small, over(axesOf(writer.of(x).ndim, choices), choices));
  };

const extreme =
  (name: string): Maker =>
  (writer, choices: Choices) => {
    const found = writer.any(choices, ({ size }) => size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, REAL_OR_BOOL, choices);
    return writer.call(name, x, over(axesOf(writer.of(x).ndim, choices), choices));
  };

export const NAN_REDUCTIONS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    nansum: adding("nansum", NUMERIC, 3),
    nanprod: adding("nanprod", REAL, 1),
    nanmean: adding("nanmean", NUMERIC, 3),
    nanmax: extreme("nanmax"),
    nanmin: extreme("nanmin"),
  }),
);
