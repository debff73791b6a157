// Bins. binPlaces: in which bin each element lies. In: real numbers, and edges that rise. Out: int32 places, −1 for what lies in
// none. Mode "bins", as NumPy's histogram: bin i holds edges[i] ≤ x < edges[i + 1], and the last one its upper edge, too.
// Modes "left" and "right": how many edges are below x, or below or equal, as searchsorted and digitize count. NaN lies in no
// bin, and behind all edges. binCounts: how many lie in each. binEdges: bins of one width between the least and the most.

import { type Block, subBlock } from "../../core/block.ts";
import { placeOf, sizeOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { type Routine, type RoutineCall, Trap } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr, integersAttr } from "./attributes.ts";
import type { Room } from "./room.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export const BIN_MODES = ["bins", "left", "right"] as const;
type BinMode = (typeof BIN_MODES)[number];

export const binPlaces: Routine = ({ inputs: [x, edges], outputs: [output], attrs, room = allocate }) => {
  const values = numbersOf(toContiguous(x!, room), room);
  const list = numbersOf(toContiguous(edges!, room), room);
  const isFalling = attrs["mode"] !== "bins" && list.length > 1 && list[0]! > list.at(-1)!;
  checkOrder(list, isFalling);
  const places = room("int32", values.length) as Int32Array;
  const mode = attrs["mode"] as BinMode;
  if (mode === "bins") placesInBins(places, values, list, booleanAttr(attrs, "uniform"), x!.dtype);
  else if (isFalling) fallingCounts(places, values, list, mode === "right");
  else for (let i = 0; i < values.length; i++) places[i] = countBefore(list, values[i]!, mode === "right");
  fromContiguous(places, output!);
};

export function placesInBins(
  places: Int32Array,
  values: Float64Array,
  edges: Float64Array,
  isUniform: boolean,
  dtype: DType,
): void {
  if (isUniform) uniformPlaces(places, values, edges, infoOf(dtype).part === "float32");
  else searchedPlaces(places, values, edges);
}

/** So many tables of counts a kernel has at most: more of them where they are short. */
export const countTables = (bins: number): number =>
  Math.max(16, Math.min(128, Math.floor(TABLE_BYTES / (4 * bins))));

const TABLE_BYTES = 1 << 18;

/** The blocks of a call, and where each one's counts go. */
export function* countedBlocks({ inputs, outputs, attrs }: RoutineCall): Generator<readonly [Block, Block]> {
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const block = integersAttr(attrs, "block");
  const grid = output.shape.slice(0, -1);
  const bins = output.shape.at(-1)!;
  for (let number = 0; number < sizeOf(grid); number++) {
    const place = placeOf(number, grid);
    const from = place.map((p, axis) => Math.min(x.shape[axis]!, p * block[axis]!));
    const shape = from.map((at, axis) => Math.min(x.shape[axis]!, at + block[axis]!) - at);
    yield [subBlock(x, from, shape), subBlock(output, [...place, 0], [...place.map(() => 1), bins])];
  }
}

/** For every block of attrs.block elements how many lie in each bin. */
export const binCounts: Routine = (call) => {
  const { inputs, attrs, room = allocate } = call;
  const edges = numbersOf(toContiguous(blockAt(inputs, 1), room), room);
  checkOrder(edges, false);
  for (const [x, output] of countedBlocks(call)) {
    const values = numbersOf(toContiguous(x, room), room);
    const places = room("int32", values.length) as Int32Array;
    placesInBins(places, values, edges, booleanAttr(attrs, "uniform"), x.dtype);
    const counts = new Int32Array(edges.length - 1);
    for (let i = 0; i < places.length; i++) if (places[i]! >= 0) counts[places[i]!]! += 1;
    fromContiguous(counts, output);
  }
};

/** For every block of attrs.block elements how often each of attrs.bins whole numbers from attrs.first on is there. */
export const labelCounts: Routine = (call) => {
  const first = integerAttr(call.attrs, "first");
  for (const [x, output] of countedBlocks(call)) {
    const counts = new Int32Array(sizeOf(output.shape));
    const data = toContiguous(x, call.room);
    for (let i = 0; i < data.length; i++) {
      const label = data[i]!;
      const at = typeof label === "bigint" ? Number(label - BigInt(first)) : label - first;
      if (at >= 0 && at < counts.length) counts[at]! += 1;
    }
    fromContiguous(counts, output);
  }
};

/** As float64, which 64 bit integers are rounded to, as NumPy does. */
function numbersOf(data: TypedArray, room: Room): Float64Array {
  if (data instanceof Float64Array) return data;
  const numbers = room("float64", data.length) as Float64Array;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    for (let i = 0; i < data.length; i++) numbers[i] = Number(data[i]);
  else numbers.set(data);
  return numbers;
}

export function checkOrder(edges: Float64Array, isFalling: boolean): void {
  for (let i = 1; i < edges.length; i++)
    if (isFalling ? !(edges[i]! <= edges[i - 1]!) : !(edges[i]! >= edges[i - 1]!))
      throw new Trap(
        `the edges of bins do not ${isFalling ? "fall" : "rise"}: ${edges[i - 1]} is followed by ${edges[i]}`,
        "Sort them",
      );
}

/** By the width of a bin, and one step to either side where that was rounded. */
function uniformPlaces(places: Int32Array, x: Float64Array, edges: Float64Array, isSingle: boolean): void {
  const bins = edges.length - 1;
  const [first, last] = [edges[0]!, edges[bins]!];
  // Of float32 the differences are rounded like them; the steps to either side make up for what is left.
  const perUnit = isSingle ? Math.fround(bins / (last - first)) : bins / (last - first);
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!;
    if (!(value >= first && value <= last)) {
      places[i] = -1;
      continue;
    }
    let place = ((value - first) * perUnit) | 0;
    if (place >= bins) place = bins - 1;
    while (value < edges[place]!) place--;
    while (place + 1 < bins && value >= edges[place + 1]!) place++;
    places[i] = place;
  }
}

function searchedPlaces(places: Int32Array, x: Float64Array, edges: Float64Array): void {
  const bins = edges.length - 1;
  const [first, last] = [edges[0]!, edges[bins]!];
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!;
    if (!(value >= first && value <= last)) places[i] = -1;
    else if (value === last) places[i] = bins - 1;
    else places[i] = countBefore(edges, value, true) - 1;
  }
}

/** Without a branch that nobody could foresee. NaN is behind all. */
function countBefore(edges: Float64Array, value: number, orEqual: boolean): number {
  if (Number.isNaN(value)) return edges.length;
  let before = 0;
  for (let left = edges.length; left > 0; ) {
    const half = (left + 1) >>> 1;
    const edge = edges[before + half - 1]!;
    before += half & -Number(orEqual ? edge <= value : edge < value);
    left -= half;
  }
  return before;
}

/** Of edges that fall: how many are above x (mode "left"), or above or equal. NaN is before all. */
function fallingCounts(places: Int32Array, x: Float64Array, edges: Float64Array, orEqual: boolean): void {
  const rising = edges.slice().reverse();
  for (let i = 0; i < x.length; i++) places[i] = edges.length - countBefore(rising, x[i]!, orEqual);
}

export const binEdges: Routine = ({ inputs, outputs: [output], attrs }) => {
  const bins = integerAttr(attrs, "bins");
  const [least, most] = inputs.map((block) => numbersOf(toContiguous(block), allocate)[0]!) as [
    number,
    number,
  ];
  if (!Number.isFinite(least) || !Number.isFinite(most))
    throw new Trap(
      `the elements lie between ${least} and ${most}, which is no range for bins`,
      "Give range, or edges; infinities and NaN outside of it are left out",
    );
  const edges = allocate(output!.dtype, bins + 1) as Float64Array;
  edges.set(uniformEdges(least, most, bins));
  fromContiguous(edges, output!);
};

/** NumPy's: one step after another from the first, and the last as it was given; no width becomes one of 1. */
export function uniformEdges(least: number, most: number, bins: number): Float64Array {
  const [first, last] = least === most ? [least - 0.5, most + 0.5] : [least, most];
  const step = (last - first) / bins;
  const edges = Float64Array.from({ length: bins + 1 }, (_, i) => i * step + first);
  edges[bins] = last;
  return edges;
}
