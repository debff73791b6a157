// Functions on lists and nulls: how long, flatter, deeper, sorted, filled, dropped. Names and habits are Awkward's.

import type { DType } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { NestedReduceOptions } from "../../lazy/functionTypes.ts";
import type { Called } from "../../lazy/otherArrays.ts";
import type { RaggedOp } from "../../ragged/index.ts";
import * as ops from "../../ragged/index.ts";
import { apply } from "./apply.ts";
import { checkConstant, checkCount, checkScalar } from "./check.ts";
import { asRagged, type RaggedInput, type RaggedOperand, splitOperands } from "./operands.ts";
import type { Joint } from "./types.ts";

export interface AxisOptions {
  readonly axis?: number | undefined;
}
export interface AnyAxisOptions {
  readonly axis?: number | null | undefined;
}
export interface SortOptions extends AxisOptions {
  readonly ascending?: boolean | undefined;
}
export interface PadOptions extends AxisOptions {
  /** Longer lists are cut off. */
  readonly clip?: boolean | undefined;
}
export interface CloseOptions {
  readonly rtol?: number | undefined;
  readonly atol?: number | undefined;
  readonly equalNan?: boolean | undefined;
}

/** A function of one array and options that are the record's attributes. */
type OfOne<Options> = <const X extends RaggedInput>(x: X, options?: Options) => Joint<X>;

function ofOne<Options extends object>(record: object, ...names: readonly string[]): OfOne<Options> {
  const op = record as RaggedOp<never>;
  return userCall(op.name, (x: RaggedInput, options: object = {}) => apply(op, [asRagged(x)], options), [
    1,
    ...names,
  ]) as unknown as OfOne<Options>;
}

type CountFunction = <
  const X extends RaggedInput,
  const O extends NestedReduceOptions | undefined = undefined,
>(
  x: X,
  options?: O,
) => O extends { readonly axis: number } | { readonly keepdims: true } ? Joint<X> : Called<Joint<X>, "value">;

/** How many elements there are, nulls left out. */
export const count: CountFunction = ofOne(
  ops.REDUCTIONS["count"]!,
  "axis",
  "keepdims",
  "maskIdentity",
) as CountFunction;
/** How long lists are; along axis 0 how many rows there are. */
export const num: OfOne<AxisOptions> = ofOne(ops.num, "axis");
/** 0, 1, 2, … along an axis: rows are numbered through all partitions. */
export const localIndex: OfOne<AxisOptions> = ofOne(ops.localIndex, "axis");
/** One level of lists less; axis: null leaves none. */
export const flatten: OfOne<AnyAxisOptions> = ofOne(ops.flatten, "axis");
/** All values in a row, nulls among them. */
export const ravel: OfOne<object> = ofOne(ops.ravel);
export const sort: OfOne<SortOptions> = ofOne(ops.sort, "axis", "ascending");
export const argsort: OfOne<SortOptions> = ofOne(ops.argsort, "axis", "ascending");
/** The first element of each list, null where there is none. */
export const firsts: OfOne<AxisOptions> = ofOne(ops.firsts, "axis");
/** Lists of one element, of none for nulls. */
export const singletons: OfOne<AxisOptions> = ofOne(ops.singletons, "axis");
export const dropNone: OfOne<AnyAxisOptions> = ofOne(ops.dropNone, "axis");
export const isNone: OfOne<AxisOptions> = ofOne(ops.isNone, "axis");
export const nanToNone: OfOne<object> = ofOne(ops.nanToNone);
export const toPacked: OfOne<object> = ofOne(ops.toPacked);
/** How often values come one after another. */
export const runLengths: OfOne<object> = ofOne(ops.runLengths);
/** Lists that are all equally long become so by type. A lazy array has to be told `size`. */
export const toRegular: OfOne<AxisOptions & { readonly size?: number | undefined }> = ofOne(
  ops.toRegular,
  "axis",
  "size",
);
export const fromRegular: OfOne<AnyAxisOptions> = ofOne(ops.fromRegular, "axis");
export const zerosLike: OfOne<{ readonly dtype?: DType | undefined }> = ofOne(ops.zerosLike, "dtype");
export const onesLike: OfOne<{ readonly dtype?: DType | undefined }> = ofOne(ops.onesLike, "dtype");

/** Cuts an axis into lists, by one count for all or by counts. */
export const unflatten: <const X extends RaggedInput, const C extends RaggedInput | number>(
  x: X,
  counts: C,
  options?: AxisOptions,
) => Joint<X | C> = userCall(
  "unflatten",
  (x: RaggedInput, counts: RaggedInput | number, { axis }: AxisOptions = {}) =>
    (typeof counts === "number"
      ? apply(ops.unflatten as never, [asRagged(x)], { counts, axis })
      : apply(ops.unflatten as never, [asRagged(x), asRagged(counts)], { axis })) as never,
  [2, "axis"],
);

/** Lists with nulls at their ends, so that each has `target` elements at least. */
export const padNone: <const X extends RaggedInput>(x: X, target: number, options?: PadOptions) => Joint<X> =
  userCall(
    "padNone",
    (x: RaggedInput, target: number, options: PadOptions = {}) =>
      apply(ops.padNone as never, [asRagged(x)], {
        target: checkCount("target", target, 0),
        ...options,
      }) as never,
    [2, "axis", "clip"],
  );

export const fillNone: <const X extends RaggedInput>(
  x: X,
  value: Scalar | string,
  options?: AnyAxisOptions,
) => Joint<X> = userCall(
  "fillNone",
  (x: RaggedInput, value: Scalar | string, options: AnyAxisOptions = {}) =>
    apply(ops.fillNone as never, [asRagged(x)], { value: checkConstant(value), ...options }) as never,
  [2, "axis"],
);

/** Null where the mask is not as it should be. */
export const mask: <const X extends RaggedInput, const M extends RaggedInput>(
  x: X,
  mask: M,
  options?: { readonly validWhen?: boolean | undefined },
) => Joint<X | M> = userCall(
  "mask",
  (x: RaggedInput, test: RaggedInput, options: object = {}) =>
    apply(ops.mask as never, [asRagged(x), asRagged(test)], options) as never,
  [2, "validWhen"],
);

export const valuesAstype: <const X extends RaggedInput>(x: X, dtype: DType) => Joint<X> = userCall(
  "valuesAstype",
  (x: RaggedInput, dtype: DType) =>
    apply(ops.valuesAstype as never, [asRagged(x)], { dtype: checkDType(dtype) }) as never,
);

export const fullLike: <const X extends RaggedInput>(
  x: X,
  value: Scalar,
  options?: { readonly dtype?: DType | undefined },
) => Joint<X> = userCall(
  "fullLike",
  (x: RaggedInput, value: Scalar, options: object = {}) =>
    apply(ops.fullLike as never, [asRagged(x)], { value: checkScalar(value), ...options }) as never,
  [2, "dtype"],
);

/** x where the condition holds, else y. */
export const where: <
  const C extends RaggedInput,
  const X extends RaggedOperand,
  const Y extends RaggedOperand,
>(
  condition: C,
  x: X,
  y: Y,
) => Joint<C | X | Y> = userCall("where", (condition: RaggedInput, x: RaggedOperand, y: RaggedOperand) => {
  const { arrays, operands } = splitOperands([condition, x, y]);
  return apply(ops.where as never, arrays, { operands: operands.slice(1) }) as never;
});

export const isclose: <const X extends RaggedOperand, const Y extends RaggedOperand>(
  x: X,
  y: Y,
  options?: CloseOptions,
) => Joint<X | Y> = userCall(
  "isclose",
  (x: RaggedOperand, y: RaggedOperand, options: CloseOptions = {}) => {
    const { arrays, operands } = splitOperands([x, y]);
    return apply(ops.isclose as never, arrays, { operands, ...options }) as never;
  },
  [2, "rtol", "atol", "equalNan"],
);
