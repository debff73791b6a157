// Makers of reductions that leave NaN out. Elements are small whole numbers, where that matters, or NaN.

import { type DType, isFloat, isInteger } from "../../../src/core/dtype.ts";
import type { Choices } from "../choices.ts";
import type { Ref } from "../program.ts";
import { type Maker, NUMERIC, type ProgramWriter, REAL, REAL_OR_BOOL } from "../writer.ts";
import { axesOf, axisOf, over } from "./reductions.ts";

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

/** Of what has no NaN: a slice of nothing else is an error. */
const place =
  (name: string): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ size }) => size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, REAL_OR_BOOL, choices);
    const isNaN_ = isFloat(writer.of(x).dtype) ? writer.call("isnan", x) : null;
    const axis = choices.flip() && writer.of(x).ndim > 0 ? axisOf(writer.of(x).ndim, choices) : null;
    const keepdims = choices.flip();
    return writer.call(name, isNaN_ === null ? x : writer.call("where", isNaN_, 0, x), { axis, keepdims });
  };

const running =
  (name: string, accepted: readonly DType[], limit: number): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ ndim }) => ndim > 0);
    if (found === null) return null;
    const x = writer.coerced(found, accepted, choices);
    const small = writer.options.exact ? summableWithNaN(writer, x, limit) : x;
    return writer.call(name, small, { axis: axisOf(writer.of(x).ndim, choices) });
  };

export const NAN_REDUCTIONS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    nansum: adding("nansum", NUMERIC, 3),
    nanprod: adding("nanprod", REAL, 1),
    nanmean: adding("nanmean", NUMERIC, 3),
    nancumsum: running("nancumsum", NUMERIC, 3),
    nancumprod: running("nancumprod", REAL, 1),
    nanargmax: place("nanargmax"),
    nanargmin: place("nanargmin"),
    nanmax: extreme("nanmax"),
    nanmin: extreme("nanmin"),
  }),
);

/** Never exact: only where the order of adding up is the same on both sides. */
export const NAN_VARIANCES: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ nanvar: adding("nanvar", REAL, 3), nanstd: adding("nanstd", REAL, 3) }),
);
