// Shared state: an array that compiled functions read and replace, as the weights that are trained. In: a first value. Out: a
// lazy array that stands for whatever the value is when something is computed.
// Must hold: a value is replaced as a whole and by one of its dtype and shape; nobody's data are written to.

import { type Block, newBlock, storeElement } from "../../core/block.ts";
import {
  type ChunksArgument,
  checkChunks,
  describe,
  sameShape,
  shapeText,
  singleChunk,
} from "../../core/chunks.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { isScalar, resultDType, type Scalar } from "../../core/numbers.ts";
import type { Backend } from "../../kernel/backend.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { type ArrayInput, dataOf, exprOfData, LazyArray } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { SharedResource, sharedExpr } from "../../lazy/placeholders.ts";
import { ownedBlock } from "../../runtime/standingRun.ts";
import { engine } from "../defaultEngine.ts";

/** Options of `cw.shared`. */
export interface SharedOptions {
  /** The value's own unless given. */
  readonly dtype?: DType | undefined;
  /** Its name in prints and messages. */
  readonly name?: string | undefined;
  /** How it is cut where it is large; one chunk unless given. */
  readonly chunks?: ChunksArgument | undefined;
}

/**
 * An array whose value compiled functions replace, made by `cw.shared`: a lazy array like any other, that stands for the value
 * it has when something is computed. An instance of `SharedArray` has `getValue` and `setValue`.
 */
export class SharedArray<D extends DType = DType> extends LazyArray<D> {
  /** What holds the value. */
  readonly resource: SharedResource;

  /** Use `cw.shared`. */
  constructor(resource: SharedResource, chunks: readonly number[]) {
    const { dtype, shape } = resource.current;
    super(sharedExpr({ dtype, shape, chunks }, resource));
    this.resource = resource;
  }

  /** The value as it is now: a copy, which later updates leave alone. */
  getValue(): NDArray<D> {
    const { current } = this.resource;
    const copy = newBlock(current.dtype, current.shape);
    copyElements(current, copy);
    return NDArray.fromBlock(copy) as NDArray as NDArray<D>;
  }

  /** Another value of its dtype and shape, which is copied: `w.setValue(new Float64Array(3))`. */
  setValue(value: ArrayInput | Scalar): void {
    checkIdle(this.resource, "setValue");
    const given = valueBlock(value, this.dtype, "setValue");
    checkType(given, this.resource, "setValue");
    this.resource.replace(copied(given, this.resource, engine.backend));
  }
}

/**
 * State that compiled functions read and replace: `const w = cw.shared(new Float64Array(3), {name: "w"})`, and then
 * `cw.compile(f, specs, {updates: [[w, w.subtract(step)]]})`.
 */
export const shared: SharedFunction = userCall(
  "shared",
  (value: ArrayInput | Scalar, options: SharedOptions = {}) => {
    const dtype = options.dtype === undefined ? undefined : checkDType(options.dtype);
    const block = valueBlock(value, dtype, "shared");
    const chunks =
      options.chunks === undefined
        ? singleChunk(block.shape)
        : checkChunks(options.chunks, block.shape, infoOf(block.dtype).bytes);
    const own = ownedBlock(engine.backend, block.dtype, block.shape);
    copyElements(block, own);
    return new SharedArray(new SharedResource(own, nameOf(options.name)), chunks) as never;
  },
  [1, "dtype", "name", "chunks"],
);

interface SharedFunction {
  <const X extends ArrayInput | Scalar>(
    value: X,
    options?: SharedOptions & { readonly dtype?: undefined },
  ): SharedArray<ArrayDType<X>>;
  <const D extends DType>(
    value: ArrayInput | Scalar,
    options: SharedOptions & { readonly dtype: D },
  ): SharedArray<D>;
}

function nameOf(name: unknown): string {
  if (name === undefined) return "shared";
  if (typeof name === "string" && name !== "") return name;
  throw new ValueError({ what: `name is ${describe(name)}`, cure: "Give a text" });
}

/** Data from a user, in a dtype where one is wanted: numbers and lists take it on, arrays have to have it. */
export function valueBlock(value: unknown, dtype: DType | undefined, where: string): Block {
  if (value instanceof LazyArray)
    throw new ValueError({ where, what: "the value is lazy", cure: "Compute it first: await x.compute()" });
  if (isScalar(value)) {
    const block = newBlock(dtype ?? resultDType([], [value]), []);
    storeElement(block.data, block.dtype, 0, value);
    return block;
  }
  return dataOf(exprOfData(value as ArrayInput, Array.isArray(value) ? dtype : undefined).attrs).block;
}

/** What is to be a state's next value has its dtype and shape. */
export function checkType(
  { dtype, shape }: Pick<Block, "dtype" | "shape">,
  { current, name }: SharedResource,
  where: string,
): void {
  if (dtype !== current.dtype)
    throw new DTypeError({
      where,
      what: `${name} is ${current.dtype} and its next value ${dtype}`,
      cure: `Use astype("${current.dtype}")`,
    });
  if (sameShape(shape, current.shape)) return;
  throw new ShapeError({
    where,
    what: `${name} has shape ${shapeText(current.shape)} and its next value ${shapeText(shape)}`,
    cure: "A state keeps its shape",
  });
}

/** Nobody else is about to replace it. */
export function checkIdle({ turn, name }: SharedResource, where: string): void {
  if (turn === null) return;
  throw new ValueError({
    where,
    what: `${name} is being updated by a call that is under way`,
    cure: "Await that call first",
  });
}

/** A value in a block that the state has to itself. */
export function copied(value: Block, resource: SharedResource, backend: Backend): Block {
  const { dtype, shape } = resource.current;
  const next = resource.takeSpare() ?? ownedBlock(backend, dtype, shape);
  copyElements(value, next);
  return next;
}
