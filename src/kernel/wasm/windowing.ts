// Windows by kernels. In: a call of the routine `windowed`. Out: true when it is done; false where the routine itself has to do it.

import type { Block } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr, integerAttr } from "../routines/attributes.ts";
import { toContiguous } from "../routines/stridedWalk.ts";
import { afterPass, tapsOf, type WindowKind } from "../routines/windowKinds.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { axisWords, type RowAxis, rowCount } from "./rowPlace.ts";
import { codeText, MOST_SORTED, TAP_BYTES, type WindowCode, windowModule } from "./windowKernel.ts";
import { windowSumModule } from "./windowSumKernel.ts";

/** Elements for which it pays to fetch another row. */
const PART_ELEMENTS = 32_768;
/** Work below this, in elements times what is done for each, is not worth a second thread. */
const WORTH_SHARING = 1 << 20;
/** Longer rows are cut, for threads to share. */
const SEGMENT = 16_384;

export function runWindowed(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  const { inputs, outputs, attrs } = call;
  const [x, output] = [inputs[0]!, outputs[0]!];
  const kind = attrs["kind"] as WindowKind;
  const given = attrs["passes"] as readonly Shape[];
  if (!isFit(x, output) || given.length === 0) return false;
  if (kind === "sum") return runSums(machine, call, given, threads);
  const passes = given.flatMap((lengths) => windowsOf(kind, lengths));
  const weights = kind === "weights" ? inputs.slice(1).map((block) => toContiguous(block)) : null;
  const codes = passes.map(({ lengths }, at) =>
    codeOf(kind, x.dtype as "float64", lengths, at, passes.length, attrs),
  );
  if (codes.some((code) => code === null)) return false;
  let isDone = false;
  const isInside = workInside(machine.memory, [x], [output], ([from], [to]) => {
    isDone = runPasses(
      machine,
      {
        from: from!,
        to: to!,
        passes,
        codes: codes as WindowCode[],
        weights: weights as Float64Array[] | null,
      },
      threads,
    );
  });
  return isInside && isDone;
}

/** Which elements a window has: each that many places behind the one before, and the last. */
interface Window {
  readonly lengths: Shape;
  readonly every: number;
}

/** Longer windows along an axis are the least of the least of short ones, which may have elements in common. */
const SHORT = 16;

function windowsOf(kind: WindowKind, lengths: Shape): Window[] {
  const count = sizeOf(lengths);
  const axis = lengths.indexOf(count);
  if ((kind !== "min" && kind !== "max") || count <= SHORT || axis < 0) return [{ lengths, every: 1 }];
  const part = Math.ceil(Math.sqrt(count));
  return [
    { lengths: lengths.with(axis, part), every: 1 },
    { lengths: lengths.with(axis, count - part + 1), every: part },
  ];
}

/** Floats whose rows lie one after another. */
const isFit = (x: Block, output: Block): boolean =>
  (x.dtype === "float64" || x.dtype === "float32") &&
  x.shape.length > 0 &&
  sizeOf(output.shape) > 0 &&
  [x, output].every(({ strides, shape }) => strides.at(-1) === 1 || shape.at(-1) === 1);

function codeOf(
  kind: WindowKind,
  dtype: "float32" | "float64",
  lengths: Shape,
  at: number,
  count: number,
  attrs: RoutineCall["attrs"],
): WindowCode | null {
  const size = sizeOf(lengths);
  const isFirst = at === 0;
  const isLast = at === count - 1;
  switch (kind) {
    case "weights":
      return {
        ...{ kind, size: 0, ranks: [] },
        from: isFirst ? dtype : "float64",
        to: isLast ? dtype : "float64",
      };
    case "min":
    case "max":
      return { kind, from: dtype, to: dtype, size: 0, ranks: [] };
    case "rank":
    case "median": {
      const middle = [...new Set([(size - 1) >> 1, size >> 1])];
      const ranks = kind === "rank" ? [integerAttr(attrs, "rank")] : middle;
      // The mean of two float32 is rounded once, from float64.
      const isOurs = size <= MOST_SORTED && !booleanAttr(attrs, "skip") && count === 1;
      const isExact = ranks.length === 1 || dtype === "float64";
      return isOurs && isExact ? { kind: "sorted", from: dtype, to: dtype, size, ranks } : null;
    }
    default:
      return null;
  }
}

interface Passes {
  readonly from: Block;
  readonly to: Block;
  readonly passes: readonly Window[];
  readonly codes: readonly WindowCode[];
  readonly weights: readonly Float64Array[] | null;
}

/** The first pass writes into memory of its own, those behind it in their places, the last one into the result. */
function runPasses(
  machine: WasmMachine,
  { from, to, passes, codes, weights }: Passes,
  threads: number,
): boolean {
  const { memory } = machine;
  const own =
    passes.length > 1 ? memory.takeBlock(codes[0]!.to, afterPass(from.shape, passes[0]!.lengths)) : undefined;
  if (own === null) return false;
  try {
    let source = from;
    return passes.every((window, at) => {
      const isLast = at === passes.length - 1;
      const shape = afterPass(source.shape, window.lengths);
      const target = isLast ? to : { ...own!, shape };
      const isInPlace = !isLast && at > 0;
      const pass = { source, target, window, weights: weights?.[at] ?? null, code: codes[at]! };
      source = target;
      return runPass(machine, pass, isInPlace ? 1 : threads);
    });
  } finally {
    if (own !== undefined) memory.giveBlock(own);
  }
}

interface PassJob {
  readonly source: Block;
  readonly target: Block;
  readonly window: Window;
  readonly weights: Float64Array | null;
  readonly code: WindowCode;
}

function runPass(
  { memory, kernels, jobs }: WasmMachine,
  { source, target, window, weights, code }: PassJob,
  threads: number,
): boolean {
  const kernel = kernels.get(codeText(code), (isShared) => windowModule(isShared, code));
  const [a, b] = [infoOf(source.dtype).bytes, infoOf(target.dtype).bytes];
  const all = tapsOf(window.lengths, source.strides);
  const taps = all.filter((_, t) => t % window.every === 0 || t === all.length - 1);
  const [input, output] = [memory.placedAddress(source), memory.placedAddress(target)];
  const rows = target.shape.slice(0, -1).map((count, axis) => ({
    count,
    strides: [source.strides[axis]! * a, target.strides[axis]! * b],
  }));
  const length = target.shape.at(-1)!;
  return withBuffer(memory, taps.length * TAP_BYTES, (table) => {
    writeTable(memory.buffer, table, taps, a, weights);
    const run = (at: number, count: number, axes: readonly RowAxis[]): void => {
      const words = [input + at * a, output + at * b, count, table, table + taps.length * TAP_BYTES];
      const units = rowCount(axes);
      const isWorth = units * count * taps.length > WORTH_SHARING;
      const part = Math.max(1, Math.floor(PART_ELEMENTS / count));
      jobs.run(kernel, [...words, ...axisWords(axes)], units, part, isWorth ? threads : 1);
    };
    const segments = Math.floor(length / SEGMENT);
    const segmented = { count: segments, strides: [SEGMENT * a, SEGMENT * b] };
    if (segments > 0) run(0, SEGMENT, [...rows, segmented]);
    if (length > segments * SEGMENT) run(segments * SEGMENT, length - segments * SEGMENT, rows);
  });
}

function writeTable(
  buffer: ArrayBufferLike,
  at: number,
  taps: Int32Array,
  bytes: number,
  weights: Float64Array | null,
): void {
  const distances = new Int32Array(buffer, at, (taps.length * TAP_BYTES) / 4);
  const numbers = new Float64Array(buffer, at, (taps.length * TAP_BYTES) / 8);
  taps.forEach((tap, t) => {
    distances[4 * t] = tap * bytes;
    if (weights !== null) numbers[2 * t + 1] = weights[t]!;
  });
}

/** One pass along an axis; lines beside one another go together. */
function runSums(
  machine: WasmMachine,
  { inputs, outputs, starts }: RoutineCall,
  passes: readonly Shape[],
  threads: number,
): boolean {
  const [x, output] = [inputs[0]!, outputs[0]!];
  const [lengths] = passes;
  if (x.dtype !== "float64" || passes.length > 1) return false;
  const axis = Math.max(
    0,
    lengths!.findIndex((length) => length > 1),
  );
  return workInside(machine.memory, [x], [output], ([from], [to]) =>
    runSumPass(
      machine,
      { from: from!, to: to!, axis, length: lengths![axis]!, start: starts[0]![axis]! },
      threads,
    ),
  );
}

interface SumJob {
  readonly from: Block;
  readonly to: Block;
  readonly axis: number;
  readonly length: number;
  readonly start: number;
}

function runSumPass(
  { memory, kernels, jobs }: WasmMachine,
  { from, to, axis, length, start }: SumJob,
  threads: number,
): void {
  const kernel = kernels.get("windowed sum", windowSumModule);
  const last = to.shape.length - 1;
  // Lines lie beside one another, unless they go along the last axis.
  const lines = axis === last ? 1 : to.shape[last]!;
  const rows = to.shape.flatMap((count, a) =>
    a === axis || a === last ? [] : [{ count, strides: [8 * from.strides[a]!, 8 * to.strides[a]!] }],
  );
  const [inStep, outStep] = [8 * from.strides[axis]!, 8 * to.strides[axis]!];
  const [input, output] = [memory.placedAddress(from), memory.placedAddress(to)];
  const run = (at: number, windows: number, axes: readonly RowAxis[]): void => {
    const words = [input + at * inStep, output + at * outStep, lines, windows, length, start % length];
    const units = rowCount(axes);
    const part = Math.max(1, Math.floor(PART_ELEMENTS / (lines * windows)));
    const isWorth = units * lines * windows > WORTH_SHARING / 4;
    jobs.run(kernel, [...words, inStep, outStep, ...axisWords(axes)], units, part, isWorth ? threads : 1);
  };
  const windows = to.shape[axis]!;
  // Parts begin where the first one does, as far as cuts are concerned.
  const part = length * Math.max(1, Math.floor(SEGMENT / length));
  const parts = Math.floor(windows / part);
  if (parts > 0) run(0, part, [...rows, { count: parts, strides: [part * inStep, part * outStep] }]);
  if (windows > parts * part) run(parts * part, windows - parts * part, rows);
}
