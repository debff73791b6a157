// Moves that only turn or stretch axes: permute, broadcast, expandDims, squeeze, rechunk.

import { type ChunkShape, checkChunks, type Shape, shapeText } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { ShapeError } from "../../core/errors.ts";
import { denseType, type MoveOp } from "../../expr/op.ts";
import { run, seamless, separable } from "./fragments.ts";

const axesOf = (attrs: { readonly [name: string]: unknown }): readonly number[] =>
  attrs["axes"] as readonly number[];

/** The permutation that undoes another. */
export const inverseOf = (axes: readonly number[]): number[] => axes.map((_, axis) => axes.indexOf(axis));

/** Output axis j is input axis attrs.axes[j]. */
export const permute: MoveOp = {
  name: "permute",
  class: "move",
  pullback: ({ attrs, cotangent }, use) => [use.permute(cotangent, inverseOf(axesOf(attrs)))],
  carries: (_, attrs) => axesOf(attrs),
  takesUnknown: true,
  injective: true,
  seams: seamless,
  infer: ([input], attrs) =>
    denseType(
      input!.dtype,
      axesOf(attrs).map((axis) => input!.shape[axis]!),
    ),
  chunks: ([chunks], _, attrs) => axesOf(attrs).map((axis) => chunks![axis]!),
  pieces: (out, [input], attrs) =>
    separable(out, 0, input!.shape.length, (axis, at, length) => [
      run(axis, at, length, axesOf(attrs)[axis]!, at, 1),
    ]),
};

/** attrs.shape: what the input is stretched to, aligned at the ends. */
export const broadcast: MoveOp = {
  name: "broadcast",
  class: "move",
  pullback: ({ inputs: [x], cotangent }, use) => [use.sumTo(cotangent, x!.shape)],
  carries: ([input], _, { shape }) => {
    const lead = shape.length - input!.shape.length;
    return shape.map((__, axis) => (axis < lead ? null : axis - lead));
  },
  takesUnknown: true,
  injective: false,
  seams: seamless,
  infer([input], attrs) {
    const shape = attrs["shape"] as Shape;
    const lead = shape.length - input!.shape.length;
    if (lead < 0 || input!.shape.some((length, axis) => length !== 1 && length !== shape[axis + lead])) {
      throw new ShapeError({
        what: `shape ${shapeText(input!.shape)} does not broadcast to ${shapeText(shape)}`,
        cure: "Only axes of length 1 stretch, and new axes come in front",
      });
    }
    return denseType(input!.dtype, shape);
  },
  chunks([chunks], [input], _, type) {
    const lead = type.shape.length - input!.shape.length;
    const kept = type.shape.map((length, axis) =>
      axis >= lead && input!.shape[axis - lead] === length ? chunks![axis - lead]! : ("auto" as const),
    );
    return checkChunks(kept, type.shape, infoOf(type.dtype).bytes);
  },
  pieces(out, [input], _, type) {
    const lead = type.shape.length - input!.shape.length;
    return separable(out, 0, input!.shape.length, (axis, at, length) => {
      if (axis < lead) return [run(axis, at, length, -1, 0, 0)];
      const stretched = input!.shape[axis - lead] === 1;
      return [run(axis, at, length, axis - lead, stretched ? 0 : at, stretched ? 0 : 1)];
    });
  },
};

/** attrs.axes: places of the new axes in the output, ascending. */
export const expandDims: MoveOp = {
  name: "expandDims",
  class: "move",
  pullback: ({ attrs, cotangent }, use) => [use.squeeze(cotangent, axesOf(attrs))],
  carries: (_, attrs, { shape }) => {
    let next = 0;
    return shape.map((__, axis) => (axesOf(attrs).includes(axis) ? null : next++));
  },
  takesUnknown: true,
  injective: true,
  seams: seamless,
  infer: ([input], attrs) => denseType(input!.dtype, withOnes(input!.shape, axesOf(attrs))),
  chunks: ([chunks], _, attrs) => withOnes(chunks!, axesOf(attrs)),
  pieces(out, [input], attrs) {
    const axes = axesOf(attrs);
    let next = 0;
    const inAxis = out.start.map((_, axis) => (axes.includes(axis) ? -1 : next++));
    return separable(out, 0, input!.shape.length, (axis, at, length) => [
      run(axis, at, length, inAxis[axis]!, at, 1),
    ]);
  },
};

function withOnes(shape: Shape, axes: readonly number[]): Shape {
  const rest = [...shape];
  return Array.from({ length: shape.length + axes.length }, (_, axis) =>
    axes.includes(axis) ? 1 : rest.shift()!,
  );
}

/** attrs.axes: axes of length 1 to drop, ascending. */
export const squeeze: MoveOp = {
  name: "squeeze",
  class: "move",
  pullback: ({ attrs, cotangent }, use) => [use.expandDims(cotangent, axesOf(attrs))],
  carries: ([input], attrs) =>
    input!.shape.map((_, axis) => axis).filter((axis) => !axesOf(attrs).includes(axis)),
  takesUnknown: true,
  injective: true,
  seams: seamless,
  infer([input], attrs) {
    const wrong = axesOf(attrs).find((axis) => input!.shape[axis] !== 1);
    if (wrong !== undefined) {
      throw new ShapeError({
        what: `axis ${wrong} is ${input!.shape[wrong]} long, not 1`,
        cure: "Only axes of length 1 can be squeezed; select an element of the axis instead",
      });
    }
    return denseType(
      input!.dtype,
      input!.shape.filter((_, axis) => !axesOf(attrs).includes(axis)),
    );
  },
  chunks: ([chunks], _, attrs) => chunks!.filter((_, axis) => !axesOf(attrs).includes(axis)),
  pieces(out, [input], attrs) {
    const kept = input!.shape.map((_, axis) => axis).filter((axis) => !axesOf(attrs).includes(axis));
    return separable(out, 0, input!.shape.length, (axis, at, length) => [
      run(axis, at, length, kept[axis]!, at, 1),
    ]);
  },
};

/** The same elements, cut otherwise: attrs.chunks. */
export const rechunk: MoveOp = {
  name: "rechunk",
  class: "move",
  pullback: ({ cotangent }) => [cotangent],
  takesUnknown: true,
  injective: true,
  seams: seamless,
  infer: ([input]) => input!,
  chunks: (_, __, attrs) => attrs["chunks"] as ChunkShape,
  pieces: (out, [input]) =>
    separable(out, 0, input!.shape.length, (axis, at, length) => [run(axis, at, length, axis, at, 1)]),
};
