// Runs scan steps as kernels. In: a step and blocks. Out: true, with the result written; false when there is no room
// for copies of what lies outside.

import type { Block } from "../../core/block.ts";
import type { Shape } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { type Scalar, scalarText } from "../../core/numbers.ts";
import type { Access, ScanStep } from "../blockProgram.ts";
import { bind } from "../interpret/tile.ts";
import { programText, type ScalarProgram } from "../program.ts";
import { workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import type { KernelMemory } from "./memory.ts";
import { axisWords, type RowAxis, rowCount } from "./rowPlace.ts";
import { SCAN_WORDS, type ScanShape } from "./scan/frame.ts";
import { scanModule } from "./scan/scanKernel.ts";

// A scan as a job. In: a domain, the axis, and where operand, before and result lie along the domain's axes, in
// bytes. Out: how the scan walks, parameters and units. Units may run at once.

/** An access in the memory: its address at the domain's begin, and a stride for each axis of the domain. */
interface ScanPlace {
  readonly address: number;
  readonly strides: readonly number[];
}

interface Scan {
  readonly domain: Shape;
  readonly axis: number;
  readonly exclusive: boolean;
  /** Bytes of an element. */
  readonly bytes: number;
  readonly operand: ScanPlace;
  readonly before: ScanPlace | null;
  readonly result: ScanPlace;
}

interface ScanJob {
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

export function runScanKernel(
  { memory, kernels, jobs }: WasmMachine,
  step: ScanStep,
  blocks: readonly Block[],
  threads: number,
): boolean {
  const { domain, axis, operand, before, result } = step;
  const view = (access: Access): Block => {
    const { offset, strides } = bind(access, blocks);
    // A stretched axis is one element long, so that a copy of the block is no larger than it.
    const shape = domain.map((length, d) => (strides[d] === 0 ? Math.min(1, length) : length));
    return { ...blocks[access.buffer]!, shape, offset, strides };
  };
  const inputs = before === null ? [view(operand)] : [view(operand), view(before)];
  return workInside(memory, inputs, [view(result)], ([x, start], [y]) => {
    const job = scanJob({
      ...{ domain, axis, exclusive: step.exclusive, bytes: infoOf(y!.dtype).bytes },
      operand: placeOf(memory, x!),
      before: start === undefined ? null : placeOf(memory, start),
      result: placeOf(memory, y!),
    });
    if (job === null) return;
    const { combine, identity } = step;
    const kernel = kernels.get(scanKey(combine, identity, job.shape), (isShared) =>
      scanModule(isShared, combine, identity, job.shape),
    );
    jobs.run(kernel, job.parameters, job.units, job.part, threads);
  });
}

function placeOf(memory: KernelMemory, block: Block): ScanPlace {
  const { bytes } = infoOf(block.dtype);
  const strides = block.strides.map((stride, d) => (block.shape[d] === 1 ? 0 : stride * bytes));
  return { address: memory.placedAddress(block), strides };
}
