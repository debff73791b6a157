// Functions on lists and nulls: how long, flatter, deeper, sorted, filled, dropped. Names and habits are Awkward's.

import type { DType } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { userCall } from "../../lazy/call.ts";
import type { NestedReduceOptions } from "../../lazy/functionTypes.ts";
import type { Called } from "../../lazy/lazyArray.ts";
import type { RaggedOp } from "../../ragged/index.ts";
import * as ops from "../../ragged/index.ts";
import { apply } from "./apply.ts";
import { checkConstant, checkCount } from "./argumentChecks.ts";
import {
  asRagged,
  constantBeside,
  isConstant,
  type RaggedInput,
  type RaggedOperand,
  splitOperands,
} from "./raggedArrays.ts";
import type { Joint } from "./types.ts";

/** The option `axis` of functions of lists. */
export interface AxisOptions {
  /**
   * Along which axis: 0 are the rows, 1 their lists, -1 the innermost ones. Each function has its own unless given.
   */
  readonly axis?: number | undefined;
}
/** The option `axis` of functions of lists that can also take all of them. */
export interface AnyAxisOptions {
  /** Along which axis: 0 are the rows, 1 their lists, -1 the innermost ones; null: all of them. */
  readonly axis?: number | null | undefined;
}
/** Options of `rg.sort` and `rg.argsort`. */
export interface SortOptions extends AxisOptions {
  /** false: the largest first. */
  readonly ascending?: boolean | undefined;
}
/** Options of `rg.padNone`. */
export interface PadOptions extends AxisOptions {
  /** Longer lists are cut off. */
  readonly clip?: boolean | undefined;
}
/** Options of `rg.isclose`. */
export interface CloseOptions {
  /** How far apart, as a part of the second: 1e-5 unless given. */
  readonly rtol?: number | undefined;
  /** And besides, whatever it is: 1e-8 unless given. */
  readonly atol?: number | undefined;
  /** true: NaN is close to NaN. */
  readonly equalNan?: boolean | undefined;
}

/** What can take the place of a null: a number, a text, bytes, a list, a record, null alone excepted. */
export type FillValue = Scalar | string | object;

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

/** How many elements there are, nulls left out: `rg.count([[1, null], [3]], {axis: 1})` is [1, 1]. */
export const count: CountFunction = ofOne(
  ops.REDUCTIONS["count"]!,
  "axis",
  "keepdims",
  "maskIdentity",
) as CountFunction;
/** How long lists are; along axis 0 how many rows there are: `rg.num([[1, 2], []])` is [2, 0]. */
export const num: OfOne<AxisOptions> = ofOne(ops.num, "axis");
/**
 * 0, 1, 2, … along an axis: rows are numbered through all partitions. `rg.localIndex([[7, 8], [9]])` is [[0, 1], [0]].
 */
export const localIndex: OfOne<AxisOptions> = ofOne(ops.localIndex, "axis");
/** One level of lists less; axis: null leaves none: `rg.flatten([[1, 2], [], [3]])` is [1, 2, 3]. */
export const flatten: OfOne<AnyAxisOptions> = ofOne(ops.flatten, "axis");
/** All values in a row, nulls among them: `rg.ravel([[1, null], [3]])` is [1, null, 3]. */
export const ravel: OfOne<object> = ofOne(ops.ravel);
/** Sorted lists: `rg.sort([[3, 1], [2]])` is [[1, 3], [2]]. */
export const sort: OfOne<SortOptions> = ofOne(ops.sort, "axis", "ascending");
/** Places in the order of sorting: `rg.argsort([[3, 1], [2]])` is [[1, 0], [0]]. */
export const argsort: OfOne<SortOptions> = ofOne(ops.argsort, "axis", "ascending");
/** The first element of each list, null where there is none: `rg.firsts([[1, 2], []])` is [1, null]. */
export const firsts: OfOne<AxisOptions> = ofOne(ops.firsts, "axis");
/** Lists of one element, of none for nulls: `rg.singletons([1, null])` is [[1], []]. */
export const singletons: OfOne<AxisOptions> = ofOne(ops.singletons, "axis");
/** Without nulls: `rg.dropNone([[1, null], [3]])` is [[1], [3]]. */
export const dropNone: OfOne<AnyAxisOptions> = ofOne(ops.dropNone, "axis");
/** Where nulls are, among rows unless an axis is given: `rg.isNone([1, null])` is [false, true]. */
export const isNone: OfOne<AxisOptions> = ofOne(ops.isNone, "axis");
/** Null in the place of NaN: `rg.nanToNone([1, NaN])` is [1, null]. */
export const nanToNone: OfOne<object> = ofOne(ops.nanToNone);
/** The same values in as little memory as they need: `rg.toPacked(rg.get(x, "0:10"))`. */
export const toPacked: OfOne<object> = ofOne(ops.toPacked);
/** How often values come one after another: `rg.runLengths([1, 1, 2])` is [2, 1]. */
export const runLengths: OfOne<object> = ofOne(ops.runLengths);
/**
 * Lists that are all equally long become so by type, those of all axes where axis is null: `rg.toRegular([[1, 2], [3,
 * 4]]).type` is "2 * 2 * int64". A lazy array has no lists to look at, and needs their `size`.
 */
export const toRegular: OfOne<AnyAxisOptions & { readonly size?: number | undefined }> = ofOne(
  ops.toRegular,
  "axis",
  "size",
);
/**
 * Lists of any length by type: `rg.fromRegular(rg.fromNumpy(dense)).type` is "2 * var * int64", and not "2 * 3 *
 * int64".
 */
export const fromRegular: OfOne<AnyAxisOptions> = ofOne(ops.fromRegular, "axis");
/** Zeros in the same lists: `rg.zerosLike([[1, 2], [3]])` is [[0, 0], [0]]. */
export const zerosLike: OfOne<{ readonly dtype?: DType | undefined }> = ofOne(ops.zerosLike, "dtype");
/** Ones in the same lists: `rg.onesLike([[1, 2], [3]])` is [[1, 1], [1]]. */
export const onesLike: OfOne<{ readonly dtype?: DType | undefined }> = ofOne(ops.onesLike, "dtype");

/** Cuts an axis into lists, by one count for all or by counts: `rg.unflatten([1, 2, 3], [2, 1])` is [[1, 2], [3]]. */
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

/**
 * Lists with nulls at their ends, so that each has `target` elements at least: `rg.padNone([[1], [2, 3]], 2)` is [[1,
 * null], [2, 3]].
 */
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

/**
 * A value in the place of nulls, of any type: `rg.fillNone([1, null], 0)` is [1, 0], and `rg.fillNone([[1], null], [], {axis:
 * 0})` is [[1], []].
 */
export const fillNone: <const X extends RaggedInput>(
  x: X,
  value: FillValue,
  options?: AnyAxisOptions,
) => Joint<X> = userCall(
  "fillNone",
  (x: RaggedInput, value: FillValue, options: AnyAxisOptions = {}) => {
    const array = asRagged(x);
    return (
      isConstant(value)
        ? apply(ops.fillNone as never, [array], { value, ...options })
        : apply(ops.fillNone as never, [array, constantBeside(array, value)], options)
    ) as never;
  },
  [2, "axis"],
);

/**
 * Null where the mask is false, or true with validWhen: false: `rg.mask([1, 2, 3], [true, false, true])` is [1, null,
 * 3].
 */
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

/**
 * A dtype, "string", or a logical type: "decimal(10, 2)", "date", "time[us]", "timestamp[ms]", "timestamp[us, UTC]",
 * "duration[s]", "uuid", "json", "enum", "categorical".
 */
export type ValueType = DType | (string & {});

/**
 * Values of another dtype or logical type: `rg.valuesAstype([[1, 2], [3]], "float32").type` is "2 * var * float32", and
 * `rg.valuesAstype(["2024-02-29"], "date")` are dates. Times and whole numbers are counts of the type's units.
 */
export const valuesAstype: <const X extends RaggedInput>(x: X, dtype: ValueType) => Joint<X> = userCall(
  "valuesAstype",
  (x: RaggedInput, dtype: ValueType) => {
    ops.targetOf(dtype);
    return apply(ops.valuesAstype as never, [asRagged(x)], { dtype }) as never;
  },
);

/** A value in the same lists: `rg.fullLike([[1, 2], [3]], 7)` is [[7, 7], [7]]. */
export const fullLike: <const X extends RaggedInput>(
  x: X,
  value: Scalar | string,
  options?: { readonly dtype?: DType | undefined },
) => Joint<X> = userCall(
  "fullLike",
  (x: RaggedInput, value: Scalar | string, options: object = {}) =>
    apply(ops.fullLike as never, [asRagged(x)], { value: checkConstant(value), ...options }) as never,
  [2, "dtype"],
);

/** x where the condition holds, else y: `rg.where([[true, false], [true]], [[1, 2], [3]], 0)` is [[1, 0], [3]]. */
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

/** Equal but for rounding: `rg.isclose([[1, 2]], [[1, 2.5]])` is [[true, false]]. */
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
