// Joining and taking apart: arrays beside arrays.

import {
  type AxisName,
  broadcastShapes,
  checkAxis,
  describe,
  sameShape,
  shapeText,
} from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { promote } from "../../core/numbers.ts";
import type { Expr } from "../../expr/expr.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, Joined, JoinedDType, OutputsOf } from "../../lazy/operandTypes.ts";
import * as layout from "../../ops/moves/axisMoves.ts";
import * as moves from "../../ops/moves/select.ts";
import { broadcastLazy, partAlong } from "../chunked.ts";
import { expandDims, reshape } from "./manipulation.ts";

const lazies = (arrays: readonly Operand[]): LazyArray[] => {
  if (!Array.isArray(arrays))
    throw new ValueError({ what: `takes a list of arrays, not ${describe(arrays)}`, cure: "Write [x, y]" });
  return Array.from(arrays, asLazy);
};

/** As many lazy arrays as there are operands. */
type EachOf<Operands extends readonly Operand[]> = {
  -readonly [K in keyof Operands]: LazyArray<ArrayDType<Operands[K]>, OutputsOf<Operands[K]>>;
};

/** All of them stretched to their common shape: `cw.broadcastArrays([1, 2], 3)`. */
export const broadcastArrays: <const Arrays extends readonly Operand[]>(...arrays: Arrays) => EachOf<Arrays> =
  userCall("broadcastArrays", (...arrays: readonly Operand[]) => {
    const list = arrays.map(asLazy);
    const shape = broadcastShapes(list.map((x) => x.shape));
    return list.map((x) => broadcastLazy(x, shape)) as never;
  });

/** Options of `cw.concat`. */
export interface AxisOption {
  /** Along which axis; 0 unless given, null: of all arrays flattened. */
  readonly axis?: AxisName | null | undefined;
}

type JoinFunction<Options> = <const Arrays extends readonly Operand[]>(
  arrays: Arrays,
  options?: Options,
) => LazyArray<JoinedDType<Arrays>, Joined<Arrays>>;

/** One after another along an axis; null flattens them first: `cw.concat([x, y], {axis: 0})`. */
export const concat: JoinFunction<AxisOption> = userCall(
  "concat",
  (arrays: readonly Operand[], { axis = 0 }: AxisOption = {}): Built => {
    const list = lazies(arrays);
    if (list.length === 0)
      throw new ValueError({ what: "there are no arrays to concatenate", cure: "Pass at least one" });
    const dtype = list.map((x) => x.dtype).reduce(promote);
    const parts = list.map((x) => castTo(axis === null ? reshape(x, [-1]) : x, dtype));
    const scalar = parts.find((x) => x.ndim === 0);
    if (scalar !== undefined)
      throw new ShapeError({
        what: "a 0-d array cannot be concatenated",
        cure: "Use stack, or expandDims first",
      });
    return node(moves.concat, parts, { axis: checkAxis(axis ?? 0, parts[0]!.ndim) });
  },
  [1, "axis"],
);

/** Side by side along a new axis: `cw.stack([x, y], {axis: 0})`. */
export const stack: JoinFunction<{ readonly axis?: number | undefined }> = userCall(
  "stack",
  (arrays: readonly Operand[], { axis = 0 }: { readonly axis?: number | undefined } = {}): Built => {
    const list = lazies(arrays);
    if (list.length === 0)
      throw new ValueError({ what: "there are no arrays to stack", cure: "Pass at least one" });
    const [{ shape }, ...others] = list.map(({ expr }) => expr) as [Expr, ...Expr[]];
    const odd = others.find((x) => !sameShape(x.shape, shape));
    if (odd !== undefined) {
      throw new ShapeError({
        what: `shapes ${shapeText(shape)} and ${shapeText(odd.shape)} differ`,
        cure: "Stacked arrays have one shape",
      });
    }
    const at = checkAxis(axis, list[0]!.ndim + 1);
    return concat(
      list.map((x) => expandDims(x, { axis: at })),
      { axis: at },
    ) as Built;
  },
  [1, "axis"],
);

/** A list of more arrays than this is a mistake. */
const MOST_PARTS = 10_000_000;

interface UnstackFunction {
  <const A extends Operand>(
    x: A,
    options?: { readonly axis?: AxisName | undefined },
  ): LazyArray<ArrayDType<A>, OutputsOf<A>>[];
  readonly "~method"?: <D extends DType, O>(
    this: LazyArray<D, O>,
    options?: { readonly axis?: AxisName | undefined },
  ) => LazyArray<D, O>[];
}

/** The parts along an axis, without that axis: `const [a, b] = cw.unstack(x, {axis: 1})`. */
export const unstack: UnstackFunction = userCall(
  "unstack",
  (x: Operand, { axis = 0 }: { readonly axis?: AxisName | undefined } = {}): Built[] => {
    const array = asLazy(x);
    const at = checkAxis(axis, array.ndim);
    if (array.shape[at]! > MOST_PARTS) {
      throw new ShapeError({
        what: `axis ${at} is ${array.shape[at]} long: too many arrays to list`,
        cure: "Select the parts that are needed with get",
      });
    }
    return Array.from({ length: array.shape[at]! }, (_, i) =>
      node(layout.squeeze, [partAlong(array, at, i, 1)], { axes: [at] }),
    );
  },
  [1, "axis"],
);

/** Options of `cw.meshgrid`. */
export interface MeshgridOptions {
  /** "xy", where the first array goes along axis 1, or "ij", where it goes along axis 0. "xy" unless given. */
  readonly indexing?: "xy" | "ij" | undefined;
}

type MeshgridFunction = (...args: readonly (Operand | MeshgridOptions)[]) => LazyArray[];

/**
 * Coordinate arrays from 1-d arrays: `const [x, y] = cw.meshgrid([1, 2], [3, 4, 5], {indexing: "ij"})`. "xy" (the
 * default) swaps the first two axes, as NumPy does.
 */
export const meshgrid: MeshgridFunction = userCall(
  "meshgrid",
  (...args: readonly (Operand | MeshgridOptions)[]): Built[] => {
    const last = args.at(-1);
    const { indexing = "xy" } = isOptions(last) ? last : {};
    const list = (isOptions(last) ? args.slice(0, -1) : args).map((x) => vectorOf(x as Operand));
    if (indexing !== "xy" && indexing !== "ij") {
      throw new ValueError({ what: `indexing is ${describe(indexing)}`, cure: 'Use "xy" or "ij"' });
    }
    const dtype = list.length === 0 ? undefined : list.map((x) => x.dtype).reduce(promote);
    const axisOf = (i: number): number => (indexing === "xy" && list.length > 1 && i < 2 ? 1 - i : i);
    const shape = list.map((_, axis) => list[axisOf(axis)]!.size);
    return list.map((x, i) => {
      const line = reshape(
        castTo(x, dtype!),
        shape.map((_, axis) => (axis === axisOf(i) ? x.size : 1)),
      );
      return broadcastLazy(line, shape) as Built;
    });
  },
  [null, "indexing"],
);

const isOptions = (value: unknown): value is MeshgridOptions =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function vectorOf(x: Operand): LazyArray {
  const array = asLazy(x);
  if (array.ndim === 1) return array;
  if (array.ndim === 0) return reshape(array, [1]);
  throw new ShapeError({ what: `an array has ${array.ndim} dimensions`, cure: "meshgrid takes 1-d arrays" });
}
