// Differences, searching, sorting and membership.

import { checkIntegers } from "../../core/check.ts";
import { type AxisName, checkAxis, checkInteger, describe } from "../../core/chunks.ts";
import { checkKind, type DType, INDEX_DTYPE, infoOf, isComplex, type ResultRule } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { hasUnknown } from "../../core/unknown.ts";
import { type Built, built, castTo, node, promoteOperands } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction, GuidedFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { equal, logicalNot, minimum, notEqual, subtract } from "../../ops/elementwise/index.ts";
import { longArgsort, longSort } from "../../ops/longSort.ts";
import { LINE_BYTES, searchsortedIn, topk as topkOp, topkPlaces } from "../../ops/order.ts";
import { any, sum } from "../../ops/reductions.ts";
import { argsort as argsortOp, searchsorted as searchsortedOp, sort as sortOp } from "../../ops/routines.ts";
import { partAlong } from "../chunked.ts";
import { full } from "./creation.ts";
import { concat, stack } from "./joining.ts";
import { expandDims, moveaxis, reshape } from "./manipulation.ts";
import { take } from "./taking.ts";

/** Options of `cw.diff`. */
export interface DiffOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
  /** How many times. */
  readonly n?: number | undefined;
  /** What stands before the array: `cw.diff([1, 2, 4], {prepend: [0]})` is [1, 1, 2]. */
  readonly prepend?: Operand | null | undefined;
  /** What stands after it. */
  readonly append?: Operand | null | undefined;
}

const MOST_DIFFERENCES = 1000;

type PlainDiffOptions = Omit<DiffOptions, "prepend" | "append"> & {
  readonly prepend?: null | undefined;
  readonly append?: null | undefined;
};

/** What stands before or after may be of a higher dtype. */
interface DiffFunction {
  <const A extends Operand>(x: A, options?: PlainDiffOptions): LazyArray<ArrayDType<A>, OutputsOf<A>>;
  <const A extends Operand>(x: A, options: DiffOptions): LazyArray<DType, OutputsOf<A>>;
  readonly "~method"?: {
    <D extends DType, O>(this: LazyArray<D, O>, options?: PlainDiffOptions): LazyArray<D, O>;
    <O>(this: LazyArray<DType, O>, options: DiffOptions): LazyArray<DType, O>;
  };
}

/** x[i + 1] − x[i] along an axis, n times: `cw.diff([1, 4, 9])` is [3, 5]. */
export const diff: DiffFunction = userCall(
  "diff",
  (x: Operand, options: DiffOptions = {}): Built => {
    const { n = 1 } = options;
    const axis = checkAxis(options.axis ?? -1, asLazy(x).ndim);
    if (checkInteger(n, "n") < 0) throw new ValueError({ what: `n is ${n}`, cure: "It must be 0 or more" });
    if (n > MOST_DIFFERENCES) {
      throw new ValueError({
        what: `n is ${n}`,
        cure: `Differences are taken at most ${MOST_DIFFERENCES} times`,
      });
    }
    const parts = [options.prepend, x, options.append].filter(
      (part): part is Operand => part !== undefined && part !== null,
    );
    let result = parts.length === 1 ? asLazy(x) : concat(parts, { axis });
    for (let i = 0; i < n && result.shape[axis]! > 0; i++) result = differences(result, axis);
    return result as Built;
  },
  [1, "axis", "n", "prepend", "append"],
);

function differences(x: LazyArray, axis: number): LazyArray {
  const part = (from: number): LazyArray => partAlong(x, axis, from, x.shape[axis]! - 1);
  return x.dtype === "bool" ? notEqual(part(1), part(0)) : subtract(part(1), part(0));
}

/** Options of `cw.searchsorted`. */
export interface SearchsortedOptions {
  /** Among equal ones the first place ("left", unless given) or behind the last ("right"). */
  readonly side?: "left" | "right" | undefined;
  /** Places that sort the first array, as argsort gives them. */
  readonly sorter?: Operand | null | undefined;
}

/** Where each element of x2 would go into the sorted 1-d array x1: `cw.searchsorted([1, 3], [2])` is [1]. */
export const searchsorted: GuidedFunction<"index", [options?: SearchsortedOptions]> = userCall(
  "searchsorted",
  (x1: Operand, x2: Operand, { side = "left", sorter }: SearchsortedOptions = {}): Built => {
    if (side !== "left" && side !== "right")
      throw new ValueError({ what: `side is ${describe(side)}`, cure: 'Use "left" or "right"' });
    const sorted = sorter === undefined || sorter === null ? x1 : take(x1, sorter, { axis: 0 });
    const { exprs, parents } = promoteOperands([sorted, x2], (dtype) => checkKind("realOrBool", dtype));
    const [list, values] = [built(exprs[0]!, parents), built(exprs[1]!, parents)];
    return searchedIn(list, values, side) as Built;
  },
  [2, "side", "sorter"],
);

/** A list that a task can hold is searched as a whole; of others each block, and what is before in all of them is added up. */
function searchedIn(list: LazyArray, values: LazyArray, side: string): LazyArray {
  const { bytes } = infoOf(list.dtype);
  const length = list.expr.shape[0];
  const isLong = list.ndim === 1 && !hasUnknown(list.expr.shape) && length! * bytes > LINE_BYTES;
  if (!isLong) return node(searchsortedOp, [list, values], { side });
  const [chunk] = list.chunks as [number];
  const block = Math.min(length!, chunk * Math.max(1, Math.floor(LINE_BYTES / (chunk * bytes))));
  return sum(node(searchsortedIn, [list, values], { side, block }), { axis: 0 });
}

/** Options of `cw.sort` and `cw.argsort`. */
export interface SortOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
  /** true: the largest first. */
  readonly descending?: boolean | undefined;
  /** Sorting is always stable. */
  readonly stable?: boolean | undefined;
}

const sorting = <R extends ResultRule>(op: typeof sortOp): ArrayFunction<R, [options?: SortOptions]> =>
  userCall(
    op.name,
    (x: Operand, { axis = -1, descending = false }: SortOptions = {}): Built => {
      const array = asLazy(x);
      if (array.ndim === 0)
        throw new ShapeError({
          what: "a 0-d array cannot be sorted",
          cure: "Sort arrays that have axes",
        });
      return sorted(op, array, checkAxis(axis, array.ndim), descending === true);
    },
    [1, "axis", "descending", "stable"],
  );
/** Longer lines of arrays with several are sorted one by one, as 1-d arrays are. */
const LONG_LINE_BYTES = 64 << 20;

/** A line that a task can hold is sorted by one; others in blocks that are merged. */
function sorted(op: typeof sortOp, x: LazyArray, axis: number, descending: boolean): Built {
  const length = x.expr.shape[axis]!;
  const bytes = length * infoOf(x.dtype).bytes;
  if (bytes <= (x.ndim === 1 ? LINE_BYTES : LONG_LINE_BYTES)) return node(op, [x], { axis, descending });
  if (x.ndim > 1) {
    if (hasUnknown(x.expr.shape)) return node(op, [x], { axis, descending });
    const moved = moveaxis(x, axis, -1);
    const lines = reshape(moved, [-1, length]);
    const each = Array.from({ length: lines.shape[0]! }, (_, at) =>
      sorted(op, reshape(partAlong(lines, 0, at, 1), [length]), 0, descending),
    );
    return moveaxis(reshape(stack(each), moved.shape), -1, axis) as Built;
  }
  const long = op === sortOp ? longSort : longArgsort;
  const result = node(long, [castTo(x, infoOf(x.dtype).computesIn)], { descending, most: LINE_BYTES });
  return castTo(result, op === sortOp ? x.dtype : INDEX_DTYPE) as Built;
}

/** In order along an axis: `cw.sort(x, {axis: 0, descending: true})`. */
export const sort: ArrayFunction<"same", [options?: SortOptions]> = sorting(sortOp);
/** The places that sort an axis, as takeAlongAxis takes them: `cw.argsort(x, {axis: 1})`. */
export const argsort: ArrayFunction<"index", [options?: SortOptions]> = sorting(argsortOp);

/** Options of `cw.topk` and `cw.argtopk`. */
export interface TopkOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
  /** false: the smallest. */
  readonly largest?: boolean | undefined;
}

const topkCall = <R extends ResultRule>(
  name: string,
  places: boolean,
): ArrayFunction<R, [k: number, options?: TopkOptions]> =>
  userCall(
    name,
    (x: Operand, k: number, { axis = -1, largest = true }: TopkOptions = {}): Built => {
      const array = asLazy(x);
      if (array.ndim === 0)
        throw new ShapeError({ what: "a 0-d array has no axis", cure: "Choose from arrays that have axes" });
      const at = checkAxis(axis, array.ndim);
      const length = array.shape[at]!;
      if (checkInteger(k, "k") < 0 || k > length)
        throw new ValueError({
          what: `k is ${k} and axis ${at} has ${length} places`,
          cure: `Use 0 to ${length}`,
        });
      return chosen(array, { axis: at, k, largest: largest === true }, places) as Built;
    },
    [2, "axis", "largest"],
  );

interface Choice {
  readonly axis: number;
  readonly k: number;
  readonly largest: boolean;
}

/** So many times as many places as are chosen of them are looked at together: each level of the tree has so many fewer. */
const PER_CHOSEN = 8;

/** Of each block the first k, of those of several blocks together the first k, until one block is left. */
function chosen(x: LazyArray, choice: Choice, places: boolean): LazyArray {
  const { axis, k, largest } = choice;
  const length = x.shape[axis]!;
  const { bytes } = infoOf(x.dtype);
  const least = Math.max(1, PER_CHOSEN * k);
  // Of so many the most part has to be put in order.
  if (k > 1 && (PER_CHOSEN * k > length || least * bytes > LINE_BYTES))
    return partAlong((places ? argsort : sort)(x, { axis, descending: largest }), axis, 0, k);
  let [values, at]: [LazyArray, LazyArray | null] = [x, null];
  for (;;) {
    const [now, chunk] = [values.shape[axis]!, values.chunks[axis]!];
    const block = Math.min(Math.max(1, now), chunk * Math.max(1, Math.ceil(least / chunk)));
    const attrs = { axis, k, block, largest };
    if (places) at = node(topkPlaces, at === null ? [values] : [values, at], attrs);
    if (block >= now) return at ?? node(topkOp, [values], attrs);
    values = node(topkOp, [values], attrs);
  }
}

/** The k largest along an axis, the largest first; NaN comes last: `cw.topk([3, 1, 2], 2)` is [3, 2]. */
export const topk: ArrayFunction<"same", [k: number, options?: TopkOptions]> = topkCall("topk", false);
/** Where these are: `cw.argtopk([3, 1, 2], 2)` is [0, 2]. */
export const argtopk: ArrayFunction<"index", [k: number, options?: TopkOptions]> = topkCall("argtopk", true);

/** Options of `cw.partition` and `cw.argpartition`. */
export interface PartitionOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
}

const partitionCall = <R extends ResultRule>(
  name: string,
  op: typeof sortOp,
): ArrayFunction<R, [kth: number | readonly number[], options?: PartitionOptions]> =>
  userCall(
    name,
    (x: Operand, kth: number | readonly number[], { axis = -1 }: PartitionOptions = {}): Built => {
      const array = asLazy(x);
      const at = checkAxis(axis, array.ndim);
      const length = array.shape[at]!;
      for (const k of checkIntegers(kth, "kth"))
        if (k < -length || k >= length)
          throw new ValueError({
            what: `kth is ${k} and axis ${at} has ${length} places`,
            cure: `Use ${-length} to ${length - 1}`,
          });
      return sorted(op, array, at, false);
    },
    [2, "axis"],
  );

/** No element before the kth is larger, and none behind it is smaller; the others are in order, too: `cw.partition([3, 1, 2], 1)`. */
export const partition: ArrayFunction<"same", [kth: number | readonly number[], options?: PartitionOptions]> =
  partitionCall("partition", sortOp);
/** The places that do so: `cw.argpartition([3, 1, 2], 1)` is [1, 2, 0]. */
export const argpartition: ArrayFunction<
  "index",
  [kth: number | readonly number[], options?: PartitionOptions]
> = partitionCall("argpartition", argsortOp);

/** Options of `cw.isin`. */
export interface IsinOptions {
  /** Tells which are not in x2. */
  readonly invert?: boolean | undefined;
}

/** Is each element of x1 among those of x2? NaN is in nothing: `cw.isin([1, 2], [2, 3])` is [false, true]. */
export const isin: GuidedFunction<"bool", [options?: IsinOptions]> = userCall(
  "isin",
  (x1: Operand, x2: Operand, { invert = false }: IsinOptions = {}): Built => {
    const { exprs, parents, dtype } = promoteOperands([asLazy(x1), asLazy(x2)], (promoted) => promoted);
    const x = built(exprs[0]!, parents);
    const among = reshape(built(exprs[1]!, parents), [-1]);
    if (among.size === 0) return full(x.shape, invert, { chunks: x.chunks }) as Built;
    const found = isComplex(dtype) ? isinUnordered(x, among) : isinOrdered(x, among);
    return (invert ? logicalNot(found) : found) as Built;
  },
  [2, "invert"],
);

/** By bisection. The last place is as good as one beyond it: what would go there is larger than all. */
function isinOrdered(x: LazyArray, among: LazyArray): LazyArray {
  const sorted = sort(among);
  return equal(take(sorted, minimum(searchsorted(sorted, x), sorted.size - 1)), x);
}

/** Complex numbers have no order: each is compared with all. */
const isinUnordered = (x: LazyArray, among: LazyArray): LazyArray =>
  any(equal(expandDims(x, { axis: -1 }), among), { axis: -1 });
