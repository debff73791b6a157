// Results of a compiled function: where they are computed to, and how they are handed out. In: what the user brought for them
// with `out`, and blocks that a run has filled. Out: arrays that no later call writes to, and the states' next values.
// Must hold: a block is handed out once; what is a state's from now on is handed out to nobody.

import { type Block, blockBytes, copyOfRow, isContiguous, isRow, newBlock } from "../../core/block.ts";
import { describe, type Shape, sameShape, shapeText } from "../../core/chunks.ts";
import { countText } from "../../core/counts.ts";
import { type DType, infoOf } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { arrayTypeText } from "../../expr/op.ts";
import type { Backend } from "../../kernel/backend.ts";
import { resultBlock } from "../../kernel/blockProgram.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import type { SharedResource } from "../../lazy/placeholders.ts";
import { ownedBlock, SMALL_BYTES } from "../../runtime/standingRun.ts";
import { copied } from "./state.ts";
import { flattened, type Traced } from "./traced.ts";

export const WHERE = "compiled function";

/** Arrays that the user brought for all outputs, of their dtypes and shapes. */
export function outArrays({ structure, outputs, roots }: Traced, out: unknown): readonly NDArray[] | null {
  if (out === undefined) return null;
  const arrays = flattened(structure, out);
  if (arrays?.length !== outputs.length)
    throw new ShapeError({
      where: WHERE,
      what: `out is ${describe(out)} where there are ${countText(outputs.length, "output")}`,
      cure: "Give an NDArray for each output, as the function gives them",
    });
  outputs.forEach((root, i) => {
    const { dtype, shape, type } = roots[root]!;
    const array = arrays[i];
    if (array instanceof NDArray && array.dtype === dtype && sameShape(array.shape, shape)) return;
    throw new ShapeError({
      where: WHERE,
      what: `out has ${array instanceof NDArray ? `${array.dtype} ${shapeText(array.shape)}` : describe(array)} where ${arrayTypeText(type)} belongs`,
      cure: "Give an NDArray for each output, as the function gives them",
    });
  });
  checkApart(arrays as NDArray[]);
  return arrays as NDArray[];
}

/** Each element of each has a place of its own. */
function checkApart(arrays: readonly NDArray[]): void {
  const isRepeated = ({ shape, strides }: NDArray): boolean =>
    shape.some((length, axis) => length > 1 && strides[axis] === 0);
  arrays.forEach((array, i) => {
    const isShared = arrays.slice(0, i).some((other) => sharePlaces(other, array));
    if (!isShared && !isRepeated(array)) return;
    throw new ValueError({
      where: WHERE,
      what: `out ${i} has elements in the places of others`,
      cure: "Give arrays with a place for each element: cw.empty([…]).computeSync()",
    });
  });
}

/** Of arrays whose elements follow each other; what lies between the elements of others is not looked into. */
function sharePlaces(a: NDArray, b: NDArray): boolean {
  if (a === b) return a.size > 0;
  if (a.data.buffer !== b.data.buffer || !isContiguous(a) || !isContiguous(b)) return false;
  const [startA, startB] = [a, b].map(
    ({ data, offset, dtype }) => data.byteOffset + offset * infoOf(dtype).bytes,
  );
  return startA! < startB! + b.nbytes && startB! < startA! + a.nbytes;
}

/** A block that a large output is computed to: the user's where it can be, else a new one. Small ones are copied out. */
export function outputBlock(
  { dtype, shape }: Pick<Block, "dtype" | "shape">,
  out: NDArray | undefined,
  inputs: readonly Block[],
  backend: Backend,
): Block | undefined {
  if (blockBytes(dtype, shape) < SMALL_BYTES) return undefined;
  if (out === undefined) return resultBlock(backend, dtype, shape);
  const { data, strides, offset } = out;
  const isRead = inputs.some((input) => input.data.buffer === data.buffer);
  const isPlain = isContiguous(out) && !isRead;
  return (
    (isPlain ? backend.find({ dtype, shape, strides, offset, data }) : null) ??
    resultBlock(backend, dtype, shape)
  );
}

/** Filled blocks as arrays for the user: `isOwn` says of which nobody else has. */
export function handOut(
  { outputs, roots }: Traced,
  blocks: readonly Block[],
  out: readonly NDArray[] | null,
  isOwn: (block: Block) => boolean,
  backend: Backend,
): NDArray[] {
  const taken = new Set<Block>();
  const arrays: NDArray[] = [];
  for (let i = 0; i < outputs.length; i++) {
    const block = blocks[outputs[i]!]!;
    if (out !== null) {
      arrays.push(filled(out[i]!, block));
      continue;
    }
    const isFree = isOwn(block) && !taken.has(block);
    taken.add(block);
    const { dtype, shape } = roots[outputs[i]!]!;
    arrays.push(
      isFree ? NDArray.fromBlock(block, backend) : NDArray.fromBlock(plainCopy(block, dtype, shape)),
    );
  }
  return arrays;
}

function filled(out: NDArray, block: Block): NDArray {
  if (block.data !== out.data) copyElements(block, out);
  return out;
}

function plainCopy(block: Block, dtype: DType, shape: Shape): Block {
  if (isRow(block)) return copyOfRow(block);
  const copy = newBlock(dtype, shape);
  copyElements(block, copy);
  return copy;
}

/** A block of a run with its place: arrays that were made for the user too. */
export function placedBlock({ dtype, shape, strides, offset, data, place }: Block, backend: Backend): Block {
  const block = { dtype, shape, strides, offset, data, place };
  return backend.find(block) ?? block;
}

/** For a state's next value to be computed to. */
export const blockFor = (state: SharedResource, backend: Backend): Block =>
  state.takeSpare() ?? ownedBlock(backend, state.current.dtype, state.current.shape);

/** All states at once: whatever could fail has been done before. */
export function replaceStates(
  { updates }: Traced,
  blocks: readonly Block[],
  isOwn: (block: Block) => boolean,
  backend: Backend,
): void {
  if (updates.length === 0) return;
  const taken = new Set<Block>();
  const next = updates.map(({ state, root }) => {
    const block = blocks[root]!;
    const isFree = isOwn(block) && !taken.has(block);
    taken.add(block);
    return isFree ? block : copied(block, state, backend);
  });
  updates.forEach(({ state }, i) => {
    state.replace(next[i]!);
  });
}
