// Lowering: Expr → Plan, one operation per node (reductions and scans: one per level of their tree).
// Sources that are computed from coordinates are steps of whoever needs them; nothing else is fused here.
// In: the expressions asked for. Out: plan data, and the in-memory blocks its sources are bound to.

import { blockBytes } from "../core/block.ts";
import { type ChunkShape, type Shape, sizeOf } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf, type Expr, postOrder } from "../expr/expr.ts";
import { type DenseType, denseOf, denseType, type ReduceOp, type ScanOp } from "../expr/op.ts";
import { resourceOf } from "../lazy/lazyArray.ts";
import { reduceAttrs } from "../ops/define.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import { attrsInBlocks, splitContraction } from "./contractions.ts";
import type { Origin, SiteOf } from "./origin.ts";
import {
  type DensePlanArray,
  type OperationOutput,
  type PlanArray,
  type ReduceTreeStep,
  readsOf,
  type ValueRef,
} from "./plan.ts";
import { lowerRechunk } from "./rechunk.ts";
import { type Lowered, type LowerSettings, type PlanStorage, PlanWriter, StepList } from "./writer.ts";

// Reductions and scans over chunked axes, as trees of operations. A reduction: each chunk to a state,
// groups of states to one, the last group to the result. A scan: each chunk's total, a scan of the totals,
// each chunk again with what came before it.

/** How many states one task combines: enough to make the tree shallow, few enough to bound its memory. */
const SPLIT_EVERY = 8;
const MOST_SPLIT = 64;

/** As many as are asked for; else as many as leave every worker something to do, and no more than there is room for. */
function splitOf(counts: Shape, stateBytes: number, settings: LowerSettings): number {
  const { splitEvery, workers, allowedMem = Number.POSITIVE_INFINITY } = settings;
  if (splitEvery !== undefined) return Math.max(2, splitEvery);
  const all = sizeOf(counts);
  const perWorker = workers === undefined ? 1 : all <= MOST_SPLIT ? all : Math.ceil(all / workers);
  const room = Math.floor(allowedMem / 2 / Math.max(1, stateBytes));
  return Math.max(2, Math.min(Math.max(SPLIT_EVERY, perWorker), MOST_SPLIT, room));
}

/** The same along each axis that has several; an axis with one place is no part of the tree. */
function groupOf(counts: Shape, split: number): number[] {
  const long = counts.filter((count) => count > 1).length;
  const along = Math.max(2, Math.floor(split ** (1 / Math.max(1, long)) + 1e-9));
  return counts.map((count) => Math.max(1, Math.min(along, count)));
}

const lowerReduction = (node: Expr, op: ReduceOp, writer: PlanWriter, role: PlanArray["role"]): void =>
  new ReductionTree(node, op, writer, role).write();

/** The operations of one reduction, from the elements upward. */
class ReductionTree {
  readonly #node: Expr;
  readonly #op: ReduceOp;
  readonly #writer: PlanWriter;
  readonly #role: PlanArray["role"];
  readonly #axes: readonly number[];
  /** Of the reduction's input. */
  readonly #whole: DenseType;
  readonly #chunks: ChunkShape;
  readonly #origin: Origin;
  readonly #states: readonly DType[];

  constructor(node: Expr, op: ReduceOp, writer: PlanWriter, role: PlanArray["role"]) {
    const input = node.inputs[0]!;
    this.#node = node;
    this.#op = op;
    this.#writer = writer;
    this.#role = role;
    this.#axes = reduceAttrs(node.attrs).axes;
    this.#whole = denseOf(input.type);
    this.#chunks = chunksOf(input);
    this.#origin = writer.originOf(node);
    this.#states = op.state(input.dtype, node.attrs);
  }

  write(): void {
    const [axes, { shape }] = [this.#axes, this.#whole];
    const lengths = axes.map((axis) => shape[axis]!);
    const steps = new StepList(this.#writer);
    const elements = [steps.valueOf(this.#node.inputs[0]!)];
    const group = this.#firstGroup();
    if (lengths.every((length, k) => length <= group[k]!)) return this.#last(steps, elements, lengths, true);
    let counts = inGroups(lengths, group);
    let arrays = this.#level(steps, elements, group, counts, true);
    for (;;) {
      const next = new StepList(this.#writer);
      const states = arrays.map((name) => next.read(name));
      const together = groupOf(counts, splitOf(counts, this.#stateBytes(), this.#writer.settings));
      if (counts.every((count, k) => count <= together[k]!)) return this.#last(next, states, counts, false);
      counts = inGroups(counts, together);
      arrays = this.#level(next, states, together, counts, false);
    }
  }

  /** A chunk; several where that is of one place, so that there would be as many states as elements, as in a stack. */
  #firstGroup(): number[] {
    const { shape } = this.#whole;
    const group = this.#axes.map((axis) => Math.max(1, Math.min(this.#chunks[axis]!, shape[axis]!)));
    if (sizeOf(group) > 1) return group;
    const { allowedMem = Number.POSITIVE_INFINITY } = this.#writer.settings;
    const bytes = Math.max(1, blockBytes(this.#whole.dtype, this.#chunks));
    const all = sizeOf(this.#axes.map((axis) => shape[axis]!));
    // Elements, one state and one result: where there is room for all of them, no states are stored.
    const result = blockBytes(this.#node.dtype, chunksOf(this.#node));
    const isRoom = all * bytes + this.#stateBytes() + result <= allowedMem;
    let left = Math.max(1, Math.min(SPLIT_EVERY, isRoom ? all : Math.floor(allowedMem / 2 / bytes)));
    return group.map((length, k) => {
      const count = Math.max(1, Math.min(left, Math.ceil(shape[this.#axes[k]!]! / length)));
      left = Math.max(1, Math.floor(left / count));
      return length * count;
    });
  }

  /** One operation that leaves `counts` states along the axes. Returns the arrays of their components. */
  #level(
    steps: StepList,
    inputs: readonly ValueRef[],
    group: readonly number[],
    counts: readonly number[],
    lifts: boolean,
  ): string[] {
    const shape = replaceAt(this.#whole.shape, this.#axes, counts);
    const types = this.#states.map((dtype) => denseType(dtype, shape));
    return writeStates(
      steps,
      this.#step(group, [lifts, false], inputs, types),
      this.#stateChunks(),
      this.#writer,
    );
  }

  #last(steps: StepList, inputs: readonly ValueRef[], counts: readonly number[], lifts: boolean): void {
    const type = denseOf(this.#node.type);
    const value = steps.add(this.#step(counts, [lifts, true], inputs, [type]));
    const array = this.#writer.array(type, chunksOf(this.#node), this.#role);
    this.#writer.place(this.#node, array);
    this.#writer.operation(steps, [{ array, value }]);
  }

  #step(
    group: readonly number[],
    [lifts, finishes]: readonly [boolean, boolean],
    inputs: readonly ValueRef[],
    types: readonly DenseType[],
  ): ReduceTreeStep {
    const { attrs } = this.#node;
    const { call, line } = this.#origin;
    const [kind, op, axes, whole] = ["reduce" as const, this.#op, this.#axes, this.#whole];
    // One literal: objects that grow while they are made take several times as long.
    return { kind, op, attrs, axes, whole, call, line, group, lifts, finishes, inputs, types };
  }

  #stateChunks(): ChunkShape {
    const ones = this.#axes.map(() => 1);
    return replaceAt(this.#chunks, this.#axes, ones);
  }

  /** Of the states that one chunk becomes. */
  #stateBytes(): number {
    const chunk = this.#stateChunks();
    return this.#states.reduce((bytes, dtype) => bytes + blockBytes(dtype, chunk), 0);
  }
}

const inGroups = (counts: readonly number[], group: readonly number[]): number[] =>
  counts.map((count, k) => Math.ceil(count / group[k]!));

const replaceAt = (list: readonly number[], axes: readonly number[], values: readonly number[]): number[] =>
  list.map((x, axis) => (axes.includes(axis) ? values[axes.indexOf(axis)]! : x));

function writeStates(
  steps: StepList,
  step: ReduceTreeStep,
  chunks: ChunkShape,
  writer: PlanWriter,
): string[] {
  const { step: at } = steps.add(step);
  const outputs: OperationOutput[] = step.types.map((type, component) => ({
    array: writer.array(type, chunks, "intermediate"),
    value: { step: at, component },
  }));
  writer.operation(steps, outputs);
  return outputs.map(({ array }) => array);
}

function lowerScan(node: Expr, writer: PlanWriter, role: PlanArray["role"]): void {
  const input = node.inputs[0]!;
  const axis = node.attrs["axis"] as number;
  const type = denseOf(node.type);
  const length = input.shape[axis]!;
  const chunk = chunksOf(input)[axis]!;
  const common = {
    kind: "scan",
    op: node.op as ScanOp,
    attrs: node.attrs,
    axis,
    ...writer.originOf(node),
  } as const;
  const before = length > chunk ? scanTotals(node, writer, Math.ceil(length / chunk)) : null;
  const steps = new StepList(writer);
  const inputs = [steps.valueOf(input), ...(before === null ? [] : [steps.read(before)])];
  const value = steps.add({
    ...common,
    group: Math.max(1, chunk),
    exclusive: false,
    inputs,
    types: [type],
  });
  const array = writer.array(type, chunksOf(node), role);
  writer.place(node, array);
  writer.operation(steps, [{ array, value }]);
}

/** Totals that one task takes together: more become totals of totals. */
const TOTALS_TOGETHER = 64;

/** The array that says, for each chunk along the axis, the total of all chunks before it. */
function scanTotals(node: Expr, writer: PlanWriter, blocks: number): string {
  const input = node.inputs[0]!;
  const axis = node.attrs["axis"] as number;
  const chunks = chunksOf(input);
  const steps = new StepList(writer);
  const value = steps.valueOf(input);
  const totals = totalsOf({ node, writer, axis }, steps, value, denseOf(input.type), chunks, chunks[axis]!);
  return scanBefore({ node, writer, axis }, totals, blocks, chunks);
}

interface ScanAlong {
  readonly node: Expr;
  readonly writer: PlanWriter;
  readonly axis: number;
}

/** One total for every `group` places of an array. */
function totalsOf(
  { node, writer, axis }: ScanAlong,
  steps: StepList,
  value: ValueRef,
  whole: DenseType,
  chunks: ChunkShape,
  group: number,
): string {
  const shape = replaceAt(whole.shape, [axis], [Math.ceil(whole.shape[axis]! / group)]);
  const step: ReduceTreeStep = {
    ...{ kind: "reduce", op: node.op as ScanOp, attrs: node.attrs, ...writer.originOf(node) },
    ...{ axes: [axis], group: [group], whole, lifts: true, finishes: false, inputs: [value] },
    types: [denseType(whole.dtype, shape)],
  };
  return writeStates(steps, step, replaceAt(chunks, [axis], [1]), writer)[0]!;
}

/** What came before each of some totals: in one task where they are few, else group by group, each from what came before it. */
function scanBefore(along: ScanAlong, totals: string, count: number, chunks: ChunkShape): string {
  const { node, writer, axis } = along;
  const { dtype, shape } = denseOf(writer.arrayNamed(totals));
  const type = denseType(dtype, shape);
  const group = Math.min(count, TOTALS_TOGETHER);
  const earlier = count > group ? beforeGroups(along, totals, type, group, chunks) : null;
  const steps = new StepList(writer);
  const inputs = [steps.read(totals), ...(earlier === null ? [] : [steps.read(earlier)])];
  const value = steps.add({
    ...{ kind: "scan", op: node.op as ScanOp, attrs: node.attrs, ...writer.originOf(node) },
    ...{ axis, group, exclusive: true, inputs, types: [type] },
  });
  const array = writer.array(type, replaceAt(chunks, [axis], [group]), "intermediate");
  writer.operation(steps, [{ array, value }]);
  return array;
}

function beforeGroups(
  along: ScanAlong,
  totals: string,
  type: DenseType,
  group: number,
  chunks: ChunkShape,
): string {
  const steps = new StepList(along.writer);
  const larger = totalsOf(along, steps, steps.read(totals), type, chunks, group);
  return scanBefore(along, larger, Math.ceil(type.shape[along.axis]! / group), chunks);
}

export function lower(roots: readonly Expr[], siteOf?: SiteOf, settings?: LowerSettings): Lowered {
  const writer = new PlanWriter(siteOf, settings);
  const wanted = new Set(roots);
  for (const node of postOrder(roots)) lowerNode(node, writer, wanted.has(node) && !isPartitioned(node));
  // Results of partitions are given away as they come; what others read is an array of its own.
  for (const root of wanted) if (isPartitioned(root)) writer.result(root);
  return withTransfers(writer.finish(roots), settings?.storage);
}

/** What the arrays' storage needs, where they lie in a store or may come to. */
function withTransfers({ data, sources }: Lowered, storage: PlanStorage | undefined): Lowered {
  const isStored = [...sources.values()].some((resource) => resource.transfer() !== null);
  if (storage === undefined && !isStored) return { data, sources };
  const results = new Map(data.results.map((name, i) => [name, i]));
  const read = new Set(data.operations.flatMap(readsOf));
  const transferOf = (array: DensePlanArray): Transfer | null | undefined => {
    if (array.role === "source") return sources.get(array.name)!.transfer();
    if (array.role === "intermediate") return storage?.intermediate(array);
    const transfer = storage?.results[results.get(array.name)!];
    // What nobody reads is not decoded.
    return transfer == null || read.has(array.name) ? transfer : { ...transfer, decoding: 0 };
  };
  const arrays = data.arrays.map((array) => {
    const transfer = array.kind === "dense" ? transferOf(array) : null;
    return transfer == null ? array : { ...array, transfer };
  });
  return { data: { ...data, arrays }, sources };
}

function lowerNode(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const role = wanted ? "result" : "intermediate";
  switch (node.op.class) {
    case "source":
      if (node.op.body === null) writer.source(node, resourceOf(node.attrs));
      if (wanted) writer.result(node);
      return;
    case "contract":
      return lowerContraction(node, writer, wanted);
    case "move":
      return node.op === rechunk ? lowerRechunk(node, writer, role) : writer.single(node, "move", role);
    case "ragged":
      for (const input of node.inputs) if (isFormula(input)) writer.copy(input);
      return writer.single(node, "ragged", role);
    case "elementwise":
    case "routine":
      return writer.single(node, node.op.class, role);
    case "reduce":
      return lowerReduction(node, node.op, writer, role);
    case "scan":
      return lowerScan(node, writer, role);
    case "staged":
      throw new InvariantError({ what: `${node.op.name} waits for a stage and is to be lowered` });
    default:
      node.op satisfies never;
  }
}

const isPartitioned = ({ type }: Expr): boolean => type.kind === "ragged";

/** Computed from coordinates: partitions are made of what lies somewhere. */
const isFormula = ({ op }: Expr): boolean => op.class === "source" && op.body !== null;

/** In parts that fit, where the whole does not. */
function lowerContraction(node: Expr, writer: PlanWriter, wanted: boolean): void {
  const parts = splitContraction(node, writer.settings.allowedMem);
  if (parts === null)
    return writer.single(node, "contract", wanted ? "result" : "intermediate", attrsInBlocks(node));
  const isKnown = (input: Expr): boolean => writer.placeOf(input) !== undefined;
  for (const part of postOrder([parts], isKnown)) lowerNode(part, writer, wanted && part === parts);
  writer.place(node, writer.placeOf(parts)!);
}
