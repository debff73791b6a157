// reshape: axes that stay, axes that merge into one, and an axis that splits into several.
// Must hold: every group of axes merges, splits or stays. A group of m axes that becomes n others goes
// through its flat axis: `reshapeSteps` says which shapes lie on the way.

import { isEmptyBox, type Shape, sameShape, shapeText, sizeOf } from "../../core/chunks.ts";
import { InvariantError } from "../../core/errors.ts";
import { denseType, type MoveOp } from "../../expr/op.ts";
import { type AxisSeams, type PieceAxis, SEAMLESS } from "../../expr/pieces.ts";
import { axisOf, type Fragment, piecesOf } from "./fragments.ts";

/** Axes of the input that hold the same elements as axes of the output, in order. */
interface AxisGroup {
  readonly inAxes: readonly number[];
  readonly outAxes: readonly number[];
}

/** The finest division into groups of equal products. Shapes have the same size, not 0. */
export function axisGroups(from: Shape, to: Shape): AxisGroup[] {
  const groups: AxisGroup[] = [];
  let i = 0;
  let j = 0;
  while (i < from.length || j < to.length) {
    const inAxes: number[] = [];
    const outAxes: number[] = [];
    let inSize = 1;
    let outSize = 1;
    do {
      // The smaller side takes the next axis; ones go wherever they stand.
      if (i < from.length && (inSize <= outSize || j >= to.length)) {
        inSize *= from[i]!;
        inAxes.push(i++);
      }
      if (j < to.length && (outSize < inSize || outAxes.length === 0)) {
        outSize *= to[j]!;
        outAxes.push(j++);
      }
    } while (inSize !== outSize);
    groups.push({ inAxes, outAxes });
  }
  return groups;
}

/** The shapes a reshape goes through, the target last. */
export function reshapeSteps(from: Shape, to: Shape): Shape[] {
  if (sizeOf(to) === 0) return [to];
  const groups = axisGroups(from, to);
  if (groups.every(isSimple)) return [to];
  const flat = groups.flatMap(({ inAxes, outAxes }) =>
    inAxes.length > 1 && outAxes.length > 1
      ? [sizeOf(inAxes.map((a) => from[a]!))]
      : outAxes.map((a) => to[a]!),
  );
  return sameShape(flat, from) ? [to] : [flat, to];
}

const isSimple = ({ inAxes, outAxes }: AxisGroup): boolean => inAxes.length <= 1 || outAxes.length <= 1;

/** attrs.shape: the new shape. */
export const reshape: MoveOp = {
  name: "reshape",
  class: "move",
  pullback: ({ inputs: [x], cotangent }, use) => [use.reshape(cotangent, x!.shape)],
  // Axes that neither merge nor split.
  carries: ([input], attrs, { shape }) => {
    const from = new Array<number | null>(shape.length).fill(null);
    if (sizeOf(shape) === 0) return from;
    for (const { inAxes, outAxes } of axisGroups(input!.shape, attrs["shape"] as Shape))
      if (inAxes.length === 1 && outAxes.length === 1) from[outAxes[0]!] = inAxes[0]!;
    return from;
  },
  injective: true,
  seams([input], attrs, type) {
    const seams = type.shape.map(() => SEAMLESS);
    if (sizeOf(type.shape) === 0) return seams;
    for (const { inAxes, outAxes } of axisGroups(input!.shape, attrs["shape"] as Shape))
      if (outAxes.length === 1) seams[outAxes[0]!] = rowSeams(inAxes.map((a) => input!.shape[a]!));
    return seams;
  },
  infer([input], attrs) {
    const shape = attrs["shape"] as Shape;
    if (sizeOf(shape) !== sizeOf(input!.shape) || reshapeSteps(input!.shape, shape).length > 1) {
      throw new InvariantError({
        what: `reshape of ${shapeText(input!.shape)} to ${shapeText(shape)} is not one step`,
      });
    }
    return denseType(input!.dtype, shape);
  },
  chunks([chunks], [input], attrs, type) {
    if (sizeOf(type.shape) === 0) return type.shape.map((length) => Math.max(1, length));
    return axisGroups(input!.shape, attrs["shape"] as Shape).flatMap(({ inAxes, outAxes }) =>
      groupChunks(
        inAxes.reduce((product, axis) => product * chunks![axis]!, 1),
        outAxes.map((axis) => type.shape[axis]!),
      ),
    );
  },
  pieces(out, [input], attrs) {
    if (isEmptyBox(out)) return [];
    const shape = attrs["shape"] as Shape;
    const groups = axisGroups(input!.shape, shape).map(({ inAxes, outAxes }) =>
      outAxes.length <= 1
        ? mergedFragments(
            inAxes.map((a) => input!.shape[a]!),
            inAxes,
            outAxes[0] ?? -1,
            out.start[outAxes[0]!] ?? 0,
            out.shape[outAxes[0]!] ?? 1,
          )
        : [
            splitFragment(
              outAxes.map((a) => shape[a]!),
              outAxes,
              inAxes[0] ?? -1,
              outAxes.map((a) => out.start[a]!),
              outAxes.map((a) => out.shape[a]!),
            ),
          ],
    );
    return piecesOf(out, 0, input!.shape.length, groups);
  },
};

/** Where rows of axes that merge begin: rows of the first axis, rows within these, and so on. */
function rowSeams(lengths: Shape): AxisSeams {
  const rows = lengths.map((_, axis) => sizeOf(lengths.slice(axis + 1))).filter((row) => row > 1);
  return rows.length === 0 ? SEAMLESS : { periods: rows.map((every) => ({ every, at: [0] })) };
}

/** As many elements per chunk as before, taken from the inner axes first. */
function groupChunks(elements: number, lengths: Shape): number[] {
  const chunks = new Array<number>(lengths.length);
  let left = elements;
  for (let axis = lengths.length - 1; axis >= 0; axis--) {
    chunks[axis] = Math.max(1, Math.min(lengths[axis]!, left));
    left = Math.floor(left / chunks[axis]!);
  }
  return chunks;
}

/** One output axis reads several input axes: a range of flat places is a few boxes. */
function mergedFragments(
  lengths: Shape,
  inAxes: readonly number[],
  outAxis: number,
  at: number,
  count: number,
): Fragment[] {
  const outStart = (offset: number): [number, number][] => (outAxis < 0 ? [] : [[outAxis, at + offset]]);
  return rangeBoxes(lengths, at, at + count).map(({ start, shape, offset }) => {
    let step = 1;
    const axes: PieceAxis[] = [];
    for (let k = lengths.length - 1; k >= 0; k--) {
      axes.unshift(axisOf(shape[k]!, outAxis, step, inAxes[k]!, 1));
      step *= lengths[k]!;
    }
    return { outStart: outStart(offset), inStart: start.map((x, k) => [inAxes[k]!, x] as const), axes };
  });
}

interface RangeBox {
  readonly start: readonly number[];
  readonly shape: Shape;
  /** How far the box is from the range's begin. */
  readonly offset: number;
}

/** The boxes of a row-major array that hold the flat places [from, to): a rest of a row, whole rows, a begin of one. */
function rangeBoxes(lengths: Shape, from: number, to: number): RangeBox[] {
  if (from >= to) return [];
  if (lengths.length <= 1)
    return [{ start: lengths.map(() => from), shape: lengths.map(() => to - from), offset: 0 }];
  const rowShape = lengths.slice(1);
  const row = sizeOf(rowShape);
  const inRow = (index: number, first: number, last: number, offset: number): RangeBox[] =>
    rangeBoxes(rowShape, first, last).map((box) => ({
      start: [index, ...box.start],
      shape: [1, ...box.shape],
      offset: offset + box.offset,
    }));
  const firstRow = Math.floor(from / row);
  const lastRow = Math.floor((to - 1) / row);
  if (firstRow === lastRow) return inRow(firstRow, from - firstRow * row, to - firstRow * row, 0);
  const wholeFrom = Math.ceil(from / row);
  const wholeTo = Math.floor(to / row);
  const whole =
    wholeTo > wholeFrom
      ? [
          {
            start: [wholeFrom, ...rowShape.map(() => 0)],
            shape: [wholeTo - wholeFrom, ...rowShape],
            offset: wholeFrom * row - from,
          },
        ]
      : [];
  return [
    ...(wholeFrom > firstRow ? inRow(firstRow, from - firstRow * row, row, 0) : []),
    ...whole,
    ...(wholeTo === lastRow ? inRow(lastRow, 0, to - lastRow * row, lastRow * row - from) : []),
  ];
}

/** Several output axes read one input axis: place = Σ coordinate · product of the lengths behind. */
function splitFragment(
  lengths: Shape,
  outAxes: readonly number[],
  inAxis: number,
  starts: readonly number[],
  counts: Shape,
): Fragment {
  let step = 1;
  let inAt = 0;
  const axes: PieceAxis[] = [];
  for (let k = lengths.length - 1; k >= 0; k--) {
    axes.unshift(axisOf(counts[k]!, outAxes[k]!, 1, inAxis, inAxis < 0 ? 0 : step));
    inAt += starts[k]! * step;
    step *= lengths[k]!;
  }
  return {
    outStart: outAxes.map((axis, k) => [axis, starts[k]!] as const),
    inStart: inAxis < 0 ? [] : [[inAxis, inAt]],
    axes,
  };
}
