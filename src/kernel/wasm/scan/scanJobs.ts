// A scan as a job. In: a domain, the axis, and where operand, before and result lie along the domain's axes, in
// bytes. Out: how the scan walks, parameters and units. Units may run at once.

import { type Scalar, scalarText } from "../../../core/numbers.ts";
import type { Shape } from "../../../core/shape.ts";
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
}

/** With fewer columns than this, rows are too short to be worth a loop each. */
const MIN_COLUMNS = 16;
/** Columns of a unit: a row of each access stays in the fastest cache. */
const TILE_BYTES = 8192;
/** Elements that make a unit of lanes worth fetching. */
const UNIT_ELEMENTS = 16384;

export function scanJob(scan: Scan): ScanJob | null {
  const { domain, axis, exclusive, bytes, operand, before, result } = scan;
  const length = domain[axis]!;
  const axes = joinedAxes(scan);
  if (length === 0 || rowCount(axes) === 0) return null;
  const columns = axes.at(-1);
  const isAcross =
    columns !== undefined &&
    columns.count >= MIN_COLUMNS &&
    columns.strides.every((stride) => stride === bytes);
  const walk = isAcross ? "across" : "along";
  const planes = isAcross ? axes.slice(0, -1) : axes;
  const count = isAcross ? columns.count : rowCount(axes);
  const tile = isAcross ? Math.ceil(TILE_BYTES / bytes) : 4 * Math.ceil(UNIT_ELEMENTS / length / 4);
  const places = { operand: operand.address, before: (before ?? operand).address, result: result.address };
  const steps = { operandStep: operand.strides[axis]!, resultStep: result.strides[axis]! };
  const words = { length, count, tile, ...places, ...steps };
  return {
    shape: { walk, exclusive, hasBefore: before !== null },
    parameters: [...SCAN_WORDS.map((word) => words[word]), ...axisWords(planes)],
    units: Math.ceil(count / tile) * (isAcross ? rowCount(planes) : 1),
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
  const { walk, exclusive, hasBefore } = shape;
  const dtype = combine.operands[0]!;
  return `scan ${walk} ${exclusive} ${hasBefore} ${dtype} ${scalarText(identity)}\n${programText(combine)}`;
}
