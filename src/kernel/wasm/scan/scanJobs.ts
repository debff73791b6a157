// A scan as a job. In: a domain, the axis, and where operand, before and result lie along the domain's axes, in
// bytes. Out: how the scan walks, parameters and units. Units may run at once.

import type { Shape } from "../../../core/chunks.ts";
import { type Scalar, scalarText } from "../../../core/numbers.ts";
import { programText, type ScalarProgram } from "../../program.ts";
import { axisWords, type RowAxis, rowCount } from "../rowPlace.ts";
import { SCAN_WORDS, type ScanShape } from "./frame.ts";

/** An access in the memory: its address at the domain's begin, and a stride for each axis of the domain. */
export interface ScanPlace {
  readonly address: number;
  readonly strides: readonly number[];
}

export interface Scan {
  readonly domain: Shape;
  readonly axis: number;
  readonly exclusive: boolean;
  /** Bytes of an element. */
  readonly bytes: number;
  readonly operand: ScanPlace;
  readonly before: ScanPlace | null;
  readonly result: ScanPlace;
}

export interface ScanJob {
  readonly shape: ScanShape;
  readonly parameters: readonly number[];
  readonly units: number;
  /** Units that are worth fetching together. */
  readonly part: number;
}

/** Columns of a unit: long enough stretches of a row for memory to keep up, short enough for several threads. */
const TILE_BYTES = 16384;
/** Elements that are worth fetching. */
const PART_ELEMENTS = 16384;

const ONE_COLUMN: RowAxis = { count: 1, strides: [0, 0, 0] };

export function scanJob(scan: Scan): ScanJob | null {
  const { domain, axis, exclusive, bytes, operand, before, result } = scan;
  const length = domain[axis]!;
  const axes = joinedAxes(scan);
  if (length === 0 || rowCount(axes) === 0) return null;
  const { count, strides } = axes.at(-1) ?? ONE_COLUMN;
  const planes = axes.slice(0, -1);
  const isAcross = strides.every((stride) => stride === bytes);
  const tile = Math.min(count, Math.ceil(isAcross ? TILE_BYTES / bytes : PART_ELEMENTS / length));
  const places = { operand: operand.address, before: (before ?? operand).address, result: result.address };
  const steps = { operandStep: operand.strides[axis]!, resultStep: result.strides[axis]! };
  const isDense = !isAcross && steps.operandStep === bytes && steps.resultStep === bytes;
  const [operandColumn, beforeColumn, resultColumn] = strides as [number, number, number];
  const columns = { count, tile, operandColumn, beforeColumn, resultColumn };
  const words = { length, ...places, ...steps, ...columns };
  return {
    shape: { walk: isAcross ? "across" : "along", exclusive, hasBefore: before !== null, isDense },
    parameters: [...SCAN_WORDS.map((word) => words[word]), ...axisWords(planes)],
    units: Math.ceil(count / tile) * rowCount(planes),
    part: Math.ceil(PART_ELEMENTS / (tile * length)),
  };
}

/** The axes but the scanned one, those with wide strides first. What all accesses walk as one axis is one. */
function joinedAxes({ domain, axis, operand, before, result }: Scan): RowAxis[] {
  const axes = domain.map((count, d): RowAxis => {
    return { count, strides: [operand, before ?? operand, result].map((place) => place.strides[d]!) };
  });
  const others = axes.filter(({ count }, d) => d !== axis && count !== 1);
  others.sort((a, b) => Math.abs(b.strides[2]!) - Math.abs(a.strides[2]!));
  const joined: RowAxis[] = [];
  for (const { count, strides } of others) {
    const last = joined.at(-1);
    const continues = last?.strides.every((stride, k) => stride === strides[k]! * count) ?? false;
    if (continues) joined[joined.length - 1] = { count: last!.count * count, strides };
    else joined.push({ count, strides });
  }
  return joined;
}

/** Equal for scans that one module serves. */
export function scanKey(combine: ScalarProgram, identity: Scalar, shape: ScanShape): string {
  const { walk, exclusive, hasBefore, isDense } = shape;
  const dtype = combine.operands[0]!;
  const ways = `${walk} ${exclusive} ${hasBefore} ${isDense}`;
  return `scan ${ways} ${dtype} ${scalarText(identity)}\n${programText(combine)}`;
}
