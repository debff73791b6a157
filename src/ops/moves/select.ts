// Moves along axes: slice, setSlice, concat, repeat, tile.

import { type Box, intersect, type Shape, sameShape, shapeText } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import { lengthTogether } from "../../core/unknown.ts";
import { type DenseType, denseType, type MoveOp } from "../../expr/op.ts";
import { type AxisSeams, SEAMLESS } from "../../expr/pieces.ts";
import { unifyChunks } from "../../expr/unify.ts";
import { axisOf, type Fragment, piecesOf, run, seamless, separable } from "./fragments.ts";

/** A regular selection: place j of axis a is start[a] + step[a]·j, for j < shape[a]. */
export interface SliceAttrs {
  readonly start: readonly number[];
  readonly step: readonly number[];
  readonly shape: Shape;
}

const sliceAttrs = (attrs: { readonly [name: string]: unknown }): SliceAttrs =>
  attrs as unknown as SliceAttrs;

export const slice: MoveOp = {
  name: "slice",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => [use.within(x!, cotangent, sliceAttrs(attrs))],
  injective: true,
  seams: seamless,
  infer: ([input], attrs) => denseType(input!.dtype, sliceAttrs(attrs).shape),
  chunks([chunks], _, attrs) {
    const { step, shape } = sliceAttrs(attrs);
    return chunks!.map((chunk, axis) =>
      Math.max(1, Math.min(shape[axis]!, Math.floor(chunk / Math.abs(step[axis]!)))),
    );
  },
  pieces(out, [input], attrs) {
    const { start, step } = sliceAttrs(attrs);
    return separable(out, 0, input!.shape.length, (axis, at, length) => [
      run(axis, at, length, axis, start[axis]! + step[axis]! * at, step[axis]!),
    ]);
  },
};

/** The first input with a regular selection of it replaced by the second. */
export const setSlice: MoveOp = {
  name: "setSlice",
  class: "move",
  pullback: ({ attrs, cotangent }, use) => [
    use.cleared(cotangent, sliceAttrs(attrs)),
    use.slice(cotangent, sliceAttrs(attrs)),
  ],
  injective: true,
  seams: (_, attrs, type) => type.shape.map((__, axis) => selectionSeams(sliceAttrs(attrs), axis)),
  infer([x, value], attrs) {
    const { shape } = sliceAttrs(attrs);
    if (!sameShape(value!.shape, shape)) {
      throw new ShapeError({
        what: `the selection has shape ${shapeText(shape)} and the value ${shapeText(value!.shape)}`,
        cure: "Broadcast or reshape the value",
      });
    }
    return x!;
  },
  chunks: ([chunks]) => chunks!,
  pieces(out, [x, value], attrs) {
    const { start, step, shape } = sliceAttrs(attrs);
    const kept = separable(out, 0, x!.shape.length, (axis, at, length) => [
      run(axis, at, length, axis, at, 1),
    ]);
    const set = separable(out, 1, value!.shape.length, (axis, at, length) =>
      selectedRun(axis, at, length, start[axis]!, step[axis]!, shape[axis]!),
    );
    return [...kept, ...set];
  },
};

/** Each selected place has one before and one behind it; there are none before the first and behind the last. */
function selectionSeams({ start, step, shape }: SliceAttrs, axis: number): AxisSeams {
  if (shape[axis] === 0) return SEAMLESS;
  const ends = [start[axis]!, start[axis]! + step[axis]! * (shape[axis]! - 1)];
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const every = Math.abs(step[axis]!);
  const periods = every === 1 ? [] : [{ every, at: [first % every, (first + 1) % every] }];
  return {
    zones: [
      [first, first],
      [last + 1, last + 1],
    ],
    periods,
  };
}

/** The places of a selection that fall into [at, at + length): a run with the selection's step in the output. */
function selectedRun(
  axis: number,
  at: number,
  length: number,
  start: number,
  step: number,
  count: number,
): Fragment[] {
  const [first, last] = step > 0 ? [at, at + length - 1] : [at + length - 1, at];
  const from = Math.max(0, Math.ceil((first - start) / step));
  const to = Math.min(count - 1, Math.floor((last - start) / step));
  if (to < from) return [];
  return [
    {
      outStart: [[axis, start + step * from]],
      inStart: [[axis, from]],
      axes: [axisOf(to - from + 1, axis, step, axis, 1)],
    },
  ];
}

/** One after another along attrs.axis. */
export const concat: MoveOp = {
  name: "concat",
  class: "move",
  pullback: ({ inputs, attrs, cotangent }, use) => {
    const along = attrs["axis"] as number;
    let end = 0;
    return inputs.map(({ shape }) => {
      const from = end;
      end += shape[along]!;
      const start = shape.map((_, axis) => (axis === along ? from : 0));
      return use.slice(cotangent, { start, step: shape.map(() => 1), shape });
    });
  },
  takesUnknown: true,
  injective: true,
  seams(inputs, attrs, type) {
    const along = attrs["axis"] as number;
    let end = 0;
    const zones = inputs.map(({ shape }) => {
      end += shape[along]!;
      return [end, end] as const;
    });
    return type.shape.map((_, axis) => (axis === along ? { zones } : SEAMLESS));
  },
  infer(inputs, attrs) {
    const along = attrs["axis"] as number;
    inputs.forEach((input, i) => checkFits(inputs[0]!, input, i, along));
    const length = lengthTogether(inputs.map(({ shape }) => shape[along]!));
    const { dtype, shape } = inputs[0]!;
    return denseType(
      dtype,
      shape.map((n, axis) => (axis === along ? length : n)),
    );
  },
  chunks(chunks, types, attrs, type) {
    const along = attrs["axis"] as number;
    const rest = types.map(({ shape }) => ({ shape: shape.map((n, axis) => (axis === along ? 1 : n)) }));
    const unified = unifyChunks(rest, chunks, {
      ...type,
      shape: type.shape.map((n, a) => (a === along ? 1 : n)),
    });
    const longest = chunks.reduce((most, chunk) => Math.max(most, chunk[along]!), 1);
    return unified.map((chunk, axis) =>
      axis === along ? Math.min(longest, Math.max(1, type.shape[along]!)) : chunk,
    );
  },
  pieces(out, inputs, attrs) {
    const along = attrs["axis"] as number;
    let offset = 0;
    return inputs.flatMap(({ shape }, input) => {
      const begins = shape.map((_, axis) => (axis === along ? offset : 0));
      offset += shape[along]!;
      return copyOf(intersect(out, { start: begins, shape }), input, begins);
    });
  },
};

const copyOf = (part: Box, input: number, begins: readonly number[]): ReturnType<MoveOp["pieces"]> =>
  separable(part, input, begins.length, (axis, at, length) => [
    run(axis, at, length, axis, at - begins[axis]!, 1),
  ]);

function checkFits(first: DenseType, input: DenseType, i: number, along: number): void {
  const fits =
    input.shape.length === first.shape.length &&
    input.shape.every((n, axis) => axis === along || n === first.shape[axis]);
  if (fits && input.dtype === first.dtype) return;
  throw new ShapeError({
    what: `array ${i} is ${input.dtype} ${shapeText(input.shape)} and array 0 is ${first.dtype} ${shapeText(first.shape)}`,
    cure: `Shapes may differ only along axis ${along}`,
  });
}

const modulo = (x: number, n: number): number => ((x % n) + n) % n;

/** Each element attrs.repeats times along attrs.axis: place j is element ⌊j / repeats⌋. */
export const repeat: MoveOp = {
  name: "repeat",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const { axis, repeats } = attrs as unknown as { axis: number; repeats: number };
    const each = [...x!.shape.slice(0, axis + 1), repeats, ...x!.shape.slice(axis + 1)];
    return [use.sum(use.reshape(cotangent, each), [axis + 1])];
  },
  injective: false,
  seams: (_, attrs, type) => {
    const { axis: along, repeats } = attrs as unknown as { axis: number; repeats: number };
    return type.shape.map((__, axis) => (axis === along ? everyTime(repeats) : SEAMLESS));
  },
  infer: ([input], attrs) => {
    const { axis: along, repeats } = attrs as unknown as { axis: number; repeats: number };
    return denseType(
      input!.dtype,
      input!.shape.map((n, axis) => (axis === along ? n * repeats : n)),
    );
  },
  chunks: ([chunks], _, __, type) =>
    chunks!.map((chunk, axis) => Math.max(1, Math.min(chunk, type.shape[axis]!))),
  pieces(out, [input], attrs) {
    const { axis: along, repeats } = attrs as unknown as { axis: number; repeats: number };
    return separable(out, 0, input!.shape.length, (axis, at, length) =>
      axis === along ? repeatedRuns(axis, at, length, repeats) : [run(axis, at, length, axis, at, 1)],
    );
  },
};

/** The end of a repetition, whole ones, and the begin of one. */
function repeatedRuns(axis: number, at: number, length: number, repeats: number): Fragment[] {
  const end = at + length;
  const head = Math.min(length, modulo(-at, repeats));
  const wholes = Math.floor((length - head) / repeats);
  const tail = length - head - wholes * repeats;
  const runs: Fragment[] = [];
  if (head > 0) runs.push(run(axis, at, head, axis, Math.floor(at / repeats), 0));
  if (wholes > 0) {
    runs.push({
      outStart: [[axis, at + head]],
      inStart: [[axis, (at + head) / repeats]],
      axes: [axisOf(wholes, axis, repeats, axis, 1), axisOf(repeats, axis, 1, axis, 0)],
    });
  }
  if (tail > 0) runs.push(run(axis, end - tail, tail, axis, Math.floor((end - 1) / repeats), 0));
  return runs;
}

/** The whole array attrs.repetitions[a] times along each axis: place j is element j mod n. */
export const tile: MoveOp = {
  name: "tile",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const repetitions = attrs["repetitions"] as readonly number[];
    const each = x!.shape.flatMap((n, axis) => [repetitions[axis]!, n]);
    const copies = x!.shape.map((_, axis) => 2 * axis);
    return [use.sum(use.reshape(cotangent, each), copies)];
  },
  injective: false,
  seams: ([input]) => input!.shape.map((n) => everyTime(n)),
  infer: ([input], attrs) =>
    denseType(
      input!.dtype,
      input!.shape.map((n, axis) => n * (attrs["repetitions"] as readonly number[])[axis]!),
    ),
  chunks: ([chunks], _, __, type) =>
    chunks!.map((chunk, axis) => Math.max(1, Math.min(chunk, type.shape[axis]!))),
  pieces: (out, [input]) =>
    piecesOf(
      out,
      0,
      input!.shape.length,
      out.start.map((at, axis) => periodicRuns(axis, at, out.shape[axis]!, at, input!.shape[axis]!)),
    ),
};

/** A seam at every multiple of a length, moved by so many places. */
export const everyTime = (every: number, moved = 0): AxisSeams =>
  every < 1 ? SEAMLESS : { periods: [{ every, at: [modulo(moved, every)] }] };

/** Places [at, at + length) of an endless repetition of n elements, where place `at` is number `phase`. */
export function periodicRuns(axis: number, at: number, length: number, phase: number, n: number): Fragment[] {
  const from = modulo(phase, n);
  const head = Math.min(length, from === 0 ? 0 : n - from);
  const wholes = Math.floor((length - head) / n);
  const tail = length - head - wholes * n;
  const runs: Fragment[] = [];
  if (head > 0) runs.push(run(axis, at, head, axis, from, 1));
  if (wholes > 0) {
    runs.push({
      outStart: [[axis, at + head]],
      inStart: [[axis, 0]],
      axes: [axisOf(wholes, axis, n, axis, 0), axisOf(n, axis, 1, axis, 1)],
    });
  }
  if (tail > 0) runs.push(run(axis, at + length - tail, tail, axis, 0, 1));
  return runs;
}
