// Rechunking: the same array, cut otherwise. In: both grids, what a task may use, how many tasks can run at once.
// Out: stages, each a grid that is stored; a task makes one chunk of it and reads parts of chunks of the one before.
// One stage reads the old chunks directly, every one as often as it is touched. Where that is too much, chunks that are
// made of whole old ones are stored on the way in parts that fit the new ones; and where these parts would be small,
// grids in between, at equal ratios, keep them larger. The cheapest of these is taken: bytes that are read and
// written, where a read or write of less than `minMem` costs as much as one of `minMem`.
// Must hold: the last stage is the new grid, and no stage's chunk is larger than half of what a task may use.

import { type ChunkShape, type Shape, sameShape, shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText } from "../core/counts.ts";
import { infoOf } from "../core/dtype.ts";
import { ChunkError } from "../core/errors.ts";
import { chunksOf, type Expr } from "../expr/expr.ts";
import { denseOf, type MoveOp } from "../expr/op.ts";
import { resourceOf } from "../lazy/lazyArray.ts";
import type { PlanArray } from "./plan.ts";
import { type PlanWriter, StepList } from "./writer.ts";

export interface RechunkRequest {
  readonly shape: Shape;
  /** Bytes of one element. */
  readonly itemsize: number;
  readonly from: ChunkShape;
  readonly to: ChunkShape;
  /** Bytes that one task may use. */
  readonly maxMem: number;
  /** A read or write of fewer bytes costs as much as one of so many; a twentieth of a task's chunk, at most 1 MiB. */
  readonly minMem?: number | undefined;
  /** How many tasks can run at once. */
  readonly workers?: number | undefined;
  /** Parts of the old chunks that can be read by themselves, as inner chunks of shards. */
  readonly inner?: ChunkShape | undefined;
  /** True when any part of an old chunk can be read by itself, at the cost of a call for every run of its elements. */
  readonly hasRuns?: boolean | undefined;
}

export interface RechunkStage {
  /** One task makes one of these. */
  readonly chunks: ChunkShape;
  /** Parts of them that the next stage reads. */
  readonly inner: ChunkShape;
}

/** Read and written in a task. */
const COPIES = 2;
const MOST_STAGES = 10;
const MIN_BYTES = 1 << 20;
/** Chunks on the way take room, and are waited for: they must save a tenth. */
const WORTH_STAGING = 0.9;
/** What could be read in the time of a call. */
const RUN_BYTES = 1 << 13;

export function rechunkPlan(request: RechunkRequest): readonly RechunkStage[] {
  const { shape, itemsize, to, maxMem } = request;
  const largest = Math.floor(maxMem / COPIES / itemsize);
  if (sizeOf(clipped(to, shape)) > largest) throw tooLarge(request);
  const direct: RechunkStage[] = [{ chunks: to, inner: to }];
  let best = { stages: direct, cost: WORTH_STAGING * costOf(request, direct) };
  for (let between = 1; between <= MOST_STAGES; between++) {
    const stages = stagedBy(request, between, limitOf(request, largest));
    const cost = costOf(request, stages);
    if (cost < best.cost) best = { stages, cost };
  }
  return best.stages;
}

/** Who runs a plan is not known when it is made, and it is to be the same for all: so many have something to do. */
const WORKERS = 8;

/** Elements of a chunk on the way: so few that every worker has a task. */
function limitOf({ shape, to, workers = WORKERS }: RechunkRequest, largest: number): number {
  const share = Math.floor(sizeOf(shape) / Math.max(1, workers));
  return Math.min(largest, Math.max(share, sizeOf(clipped(to, shape))));
}

function tooLarge({ shape, itemsize, to, maxMem }: RechunkRequest): ChunkError {
  const bytes = sizeOf(clipped(to, shape)) * itemsize;
  return new ChunkError({
    what: `a chunk of shape ${shapeText(to)} is ${bytesText(bytes)}, and a task that makes one needs ${COPIES} times as much, more than the ${bytesText(maxMem)} it may use`,
    cure: `Allow ${bytesText(COPIES * bytes)} or more, or use smaller chunks`,
  });
}

const clipped = (chunks: ChunkShape, shape: Shape): number[] =>
  chunks.map((n, axis) => Math.max(1, Math.min(n, shape[axis]!)));

/** `between` grids on the way: the first of whole old chunks, the others at equal ratios between that and the new ones. */
function stagedBy(request: RechunkRequest, between: number, limit: number): RechunkStage[] {
  const { shape, from, to } = request;
  const target = clipped(to, shape);
  const first = consolidated(clipped(from, shape), target, shape, limit);
  const grids = Array.from({ length: between }, (_, i) =>
    fitted(
      first.map((n, axis) => Math.max(1, Math.round(n * (target[axis]! / n) ** (i / between)))),
      limit,
    ),
  );
  const stages: RechunkStage[] = [{ chunks: to, inner: to }];
  let next = target;
  for (const grid of grids.reverse()) {
    const chunks = grid.map((n, axis) => inWhole(n, next[axis]!, shape[axis]!));
    stages.unshift({ chunks, inner: chunks.map((n, axis) => Math.min(n, next[axis]!)) });
    next = chunks;
  }
  return stages;
}

/** Parts fill a chunk: as many as there is room for, unless it holds all there is. */
const inWhole = (n: number, part: number, length: number): number =>
  n <= part || n >= length ? n : Math.floor(n / part) * part;

/** Whole old chunks, as many as fit, along the axes where the new ones are longer; the last axis first. */
function consolidated(from: readonly number[], to: readonly number[], shape: Shape, limit: number): number[] {
  const chunks = fitted(from, limit);
  for (let axis = chunks.length - 1; axis >= 0; axis--) {
    if (to[axis]! <= chunks[axis]!) continue;
    const others = sizeOf(chunks) / chunks[axis]!;
    const times = Math.floor(Math.min(limit / others, shape[axis]!, to[axis]!) / chunks[axis]!);
    chunks[axis] = Math.min(shape[axis]!, chunks[axis]! * Math.max(1, times));
  }
  return chunks;
}

/** The longest axes cut until the rest fits. */
function fitted(chunks: readonly number[], limit: number): number[] {
  const result = [...chunks];
  while (sizeOf(result) > limit) {
    const longest = result.indexOf(Math.max(...result));
    if (result[longest]! <= 1) return result;
    const others = sizeOf(result) / result[longest]!;
    result[longest] = Math.max(1, Math.min(Math.floor(limit / others), result[longest]! - 1));
  }
  return result;
}

/** Bytes that all stages read and write, each access counting as `minMem` at least. */
export function costOf(request: RechunkRequest, stages: readonly RechunkStage[]): number {
  const { shape, itemsize, maxMem } = request;
  const least = request.minMem ?? Math.min(MIN_BYTES, maxMem / COPIES / 20);
  let parts = clipped(request.inner ?? request.from, shape);
  let hasRuns = request.hasRuns === true;
  let cost = 0;
  for (const { chunks, inner } of stages) {
    const own = clipped(chunks, shape);
    const reads = sizeOf(shape.map((n, axis) => meetings(n, own[axis]!, parts[axis]!)));
    const writes = sizeOf(shape.map((n, axis) => Math.ceil(n / own[axis]!)));
    const whole = Math.max(least, sizeOf(parts) * itemsize);
    const read = hasRuns ? Math.min(whole, runsCost(own, parts, itemsize)) : whole;
    cost += reads * read + writes * Math.max(least, sizeOf(own) * itemsize);
    parts = clipped(inner, shape);
    hasRuns = false;
  }
  return cost;
}

/** A part of a stored chunk by itself: it has a run for every place on the axes before the last that is not read whole. */
function runsCost(chunk: readonly number[], stored: readonly number[], itemsize: number): number {
  const part = stored.map((n, axis) => Math.min(n, chunk[axis]!));
  const cut = part.findLastIndex((n, axis) => n < stored[axis]!);
  return sizeOf(part) * itemsize + sizeOf(part.slice(0, Math.max(0, cut))) * RUN_BYTES;
}

/** How many pairs of a chunk of length a and one of length b share places along an axis: each border that both have saves one. */
export function meetings(length: number, a: number, b: number): number {
  if (length === 0) return 0;
  const common = (a / gcd(a, b)) * b;
  return Math.ceil(length / a) + Math.ceil(length / b) - Math.ceil(length / common);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** What is read of a source is what is stored, however it is cut here. */
function accessOf({ op, attrs }: Expr): Pick<RechunkRequest, "inner" | "hasRuns"> {
  const access = op.class === "source" && op.body === null ? resourceOf(attrs).access() : null;
  return access === null ? {} : { inner: access.chunks, hasRuns: access.hasRuns };
}

/** A rechunk as operations: one, unless there is a budget under which stages are cheaper. */
export function lowerRechunk(node: Expr, writer: PlanWriter, role: PlanArray["role"]): void {
  const input = node.inputs[0]!;
  const { allowedMem: maxMem, workers } = writer.settings;
  const [from, to] = [chunksOf(input), chunksOf(node)];
  const isOne = maxMem === undefined || sizeOf(node.shape) === 0 || sameShape(from, to);
  const fits = !isOne && COPIES * sizeOf(clipped(to, node.shape)) * infoOf(node.dtype).bytes <= maxMem;
  // A chunk that does not fit is refused with the plan, where its line is known.
  if (!fits) return writer.single(node, "move", role);
  const stages = rechunkPlan({
    ...{ shape: node.shape, itemsize: infoOf(node.dtype).bytes, from, to, maxMem, workers },
    ...accessOf(input),
  });
  const type = denseOf(node.type);
  let last: string | null = null;
  stages.forEach(({ chunks, inner }, i) => {
    const steps = new StepList(writer);
    const value = steps.add({
      ...{
        kind: "move",
        op: node.op as MoveOp,
        attrs: { chunks },
        types: [type],
        ...writer.originOf(node),
      },
      inputs: [last === null ? steps.valueOf(input) : steps.read(last)],
    });
    const isLast = i === stages.length - 1;
    last = isLast ? writer.array(type, chunks, role) : writer.array(type, chunks, "intermediate", inner);
    writer.operation(steps, [{ array: last, value }]);
  });
  writer.place(node, last!);
}
