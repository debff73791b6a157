// Nodes: operations while they are being fused, and which of them reads what. A node remembers which operations of the
// first plan it is made of, so that what the user said of those by name still holds.

import { attrsText, blockBytes } from "../../core/block.ts";
import { type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import { denseOf, extentOf } from "../../expr/op.ts";
import { writeTransfer } from "../compile/rounds.ts";
import {
  type DensePlanArray,
  firstOf,
  type Operation,
  type PlanArray,
  type PlanStep,
  readsOf,
  type ValueRef,
} from "../plan.ts";
import { chunkLaw, chunkPartition, type Law, type Laws, type Partition } from "../windows/taskRuns.ts";
import { type Arrays, type Costs, costsOf, isLoop, isRecut, MOST_CELLS } from "./costs.ts";
import { type FusionRules, Recent } from "./fusionOptions.ts";
import { isConstant, type Reads, readBytes, readTransfers } from "./reads.ts";

// One operation of several. In: operations in an order in which each comes after what it reads. Out: one operation
// with their steps: a read of what a member computes becomes that value, and equal constants become one step.
// Windows need no care: they follow from the steps (docs/adr/0005).

/** `isKept` tells which outputs somebody else needs. The name and the grid are the last member's. */
export function mergeOperations(
  members: readonly Operation[],
  isKept: (array: string) => boolean,
): Operation {
  const last = members.at(-1)!;
  if (members.length === 1) return last;
  const steps: PlanStep[] = [];
  const computed = new Map<string, ValueRef>();
  for (const member of members) {
    const moved: ValueRef[] = [];
    for (const step of member.steps) moved.push(appendStep(step, steps, moved, computed));
    for (const { array, value } of member.outputs) computed.set(array, shift(value, moved));
  }
  const kept = members.flatMap(({ outputs }) => outputs.filter(({ array }) => isKept(array)));
  return { ...last, steps, outputs: kept.map(({ array }) => ({ array, value: computed.get(array)! })) };
}

function shift({ step, component }: ValueRef, moved: readonly ValueRef[]): ValueRef {
  const to = moved[step]!;
  return component === 0 ? to : { step: to.step, component: to.component + component };
}

function appendStep(
  step: PlanStep,
  steps: PlanStep[],
  moved: readonly ValueRef[],
  computed: Map<string, ValueRef>,
): ValueRef {
  if (isRecut(step)) return shift(step.inputs[0]!, moved);
  // Reads of one array stay apart: each has its own window, and equal windows are read once.
  const name = step.kind === "read" ? step.array : formulaOf(step);
  const known = name === undefined ? undefined : computed.get(name);
  if (known !== undefined) return known;
  const isMoved = step.inputs.length > 0;
  const inputs = isMoved ? step.inputs.map((input) => shift(input, moved)) : step.inputs;
  const value = firstOf(steps.push(isMoved ? { ...step, inputs } : step) - 1);
  if (name !== undefined && step.kind !== "read") computed.set(name, value);
  return value;
}

/** What makes two steps the same without looking at inputs: the constant they are. Others may be needed at places far apart. */
function formulaOf(step: PlanStep): string | undefined {
  return step.kind === "source" && sizeOf(step.types[0]!.shape) <= 1
    ? `${step.op.name} ${attrsText(step.attrs, (resource) => `#${resource.id}`)}`
    : undefined;
}

// A group: an operation and what has been fused into it so far, as far as costs are concerned. Windows are kept as laws
// on cells of the group's grid, so that taking in another operation looks at that operation alone, however large the
// group is, and what is said holds for all tasks.

export interface Group {
  /** Numbers of operations, ascending. */
  readonly members: number[];
  readonly grid: Shape;
  /** Null where there are too many to look at: such a group is left as it is. */
  cells: Partition | null;
  reads: Reads;
  /** Bytes that a task of each cell has in memory beside its windows: temporaries, and what it writes. */
  held: readonly number[];
  steps: number;
  /** Nothing but loops: what is expected of its memory is a bound. */
  isLoop: boolean;
  /** What the largest of its members needs alone. */
  largest: number;
  /** Elements that other groups compute as well, in all tasks. */
  copiedWork: number;
}

type Alone = Omit<Group, "members">;

export const TOO_MANY_CELLS: string = `its tasks would be of more than ${MOST_CELLS} kinds`;

/** A group of one operation, whatever its number is. */
function alone(operation: Operation, arrays: Arrays): Alone {
  const costs = costsAlone(operation, arrays);
  const reads = costs?.reads ?? [];
  const held = costs === null ? [] : heldBy(operation, costs, arrays);
  return {
    grid: operation.grid,
    cells: costs?.cells ?? null,
    reads,
    held,
    steps: operation.steps.length,
    isLoop: isLoop(operation),
    largest: groupBytes({ reads, held }),
    copiedWork: 0,
  };
}

/** What it costs where its outputs are stored. */
export function costsAlone(operation: Operation, arrays: Arrays): Costs | null {
  const written = operation.outputs.map(({ array }) => arrays.get(array)!);
  const cells = cellsFor(operation.grid, written, arrays);
  const wanted = operation.outputs.map(({ value }, i) => ({
    array: written[i]!,
    value,
    laws: chunkLaws(written[i]!, cells),
    use: null,
  }));
  return costsOf(operation, cells, wanted, arrays);
}

/** Temporaries, and the chunks that are written. */
export function heldBy(
  { outputs }: Operation,
  { cells, temporaries }: Costs,
  arrays: Arrays,
): readonly number[] {
  const held = [...temporaries];
  for (const output of outputs) {
    const array = denseOf(arrays.get(output.array)!);
    const laws = chunkLaws(array, cells);
    for (let cell = 0; cell < held.length; cell++) held[cell]! += writtenBytes(array, laws[cell]!);
  }
  return held;
}

/** A chunk, and what storage needs to write it. */
const writtenBytes = (array: DensePlanArray, chunk: Law): number =>
  blockBytes(array.dtype, chunk.shape) + (array.transfer?.encoding ?? 0) + writeTransfer(array, chunk);

interface KnownCells {
  readonly grid: Shape;
  readonly isCut: readonly boolean[];
  readonly cells: Partition;
}

/** Most operations of a plan are cut as one of a few others. */
const recentCells = new Recent<Arrays, KnownCells>();

/** The coarsest partition in which chunks of these arrays have one shape: one object for all of a plan that are cut alike. */
export function cellsFor(grid: Shape, arrays: readonly PlanArray[], all: Arrays): Partition {
  const isCut = grid.map((_, axis) =>
    arrays.some((array) => extentOf(array)[axis]! % array.chunks[axis]! !== 0),
  );
  return recentCells.get(
    all,
    (known) => sameShape(known.grid, grid) && known.isCut.every((cut, axis) => cut === isCut[axis]),
    () => ({ grid, isCut, cells: chunkPartition(grid, arrays) }),
  ).cells;
}

interface KnownChunks {
  readonly shape: Shape;
  readonly chunks: Shape;
  readonly laws: Laws;
}

const recentChunks = new Recent<Partition, KnownChunks>();

/** The chunks with the numbers of the tasks. */
export function chunkLaws(array: PlanArray, cells: Partition): Laws {
  const { chunks } = array;
  const shape = extentOf(array);
  return recentChunks.get(
    cells,
    (known) => sameShape(known.shape, shape) && sameShape(known.chunks, chunks),
    () => ({ shape, chunks, laws: cells.map((runs) => chunkLaw(array, runs)) }),
  ).laws;
}

/** True when a group is sure to fit; where not, `exact` has to say. */
export const fits = (group: Alone, allowed: number, exact: () => number): boolean =>
  allowed === Number.POSITIVE_INFINITY || isSmallLoop(group, allowed) || exact() <= allowed;

/** True where no closer look is needed. */
export const surelyFits = (operation: Operation, allowed: number, arrays: Arrays): boolean =>
  isLoop(operation) && isSmallLoop(alone(operation, arrays), allowed);

const isSmallLoop = (group: Alone, allowed: number): boolean =>
  group.isLoop &&
  group.cells !== null &&
  groupBytes(group) + readTransfers(group.reads, group.cells) <= allowed;

/** What a task of a group is expected to need at most, without looking at when temporaries die. */
export function groupBytes({ reads, held }: Pick<Group, "reads" | "held">): number {
  let most = 0;
  for (let cell = 0; cell < held.length; cell++) most = Math.max(most, readBytes(reads, cell) + held[cell]!);
  return most;
}

export interface Node {
  readonly operation: Operation;
  /** What it costs by itself, once somebody has asked: most nodes stay the same from round to round. */
  alone: Alone | null;
  /** Arrays that are read by an operation that takes in everything, or nothing. */
  readonly forced: ReadonlySet<string>;
  readonly barred: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

export function nodeOf(operation: Operation, { always, never }: FusionRules): Node {
  return {
    operation,
    alone: null,
    forced: always.has(operation.name) ? new Set(readsOf(operation)) : NOTHING,
    barred: never.has(operation.name) ? new Set(readsOf(operation)) : NOTHING,
  };
}

/** A group of the node with this number alone. */
export function newGroup(at: number, node: Node, arrays: Arrays): Group {
  node.alone ??= alone(node.operation, arrays);
  const { grid, cells, reads, held, steps, isLoop, largest, copiedWork } = node.alone;
  return { members: [at], grid, cells, reads, held, steps, isLoop, largest, copiedWork };
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => {
  const some = sets.filter(({ size }) => size > 0);
  return some.length === 0 ? NOTHING : new Set(some.flatMap((set) => [...set]));
};

/** For every array the numbers of the nodes that read it. */
export function readersOf(nodes: readonly Node[]): Map<string, number[]> {
  const readers = new Map<string, number[]>();
  nodes.forEach(({ operation: { steps } }, at) => {
    for (const step of steps) {
      if (step.kind !== "read") continue;
      const known = readers.get(step.array);
      if (known === undefined) readers.set(step.array, [at]);
      else if (known.at(-1) !== at) known.push(at);
    }
  });
  return readers;
}

/** The members as one node. Outputs are kept that are asked for or that others read, unless those have their own. */
export function mergeNodes(
  nodes: readonly Node[],
  members: readonly number[],
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: ReadonlyMap<string, PlanArray>,
  isCopied: (array: string) => boolean = () => false,
): Node {
  const inside = new Set(members);
  const list = members.map((at) => nodes[at]!);
  const isKept = (array: string): boolean =>
    arrays.get(array)!.role === "result" ||
    (!isCopied(array) && !(readers.get(array) ?? [-1]).every((at) => inside.has(at)));
  return {
    operation: mergeOperations(
      list.map(({ operation }) => operation),
      isKept,
    ),
    alone: null,
    forced: union(list.map(({ forced }) => forced)),
    barred: union(list.map(({ barred }) => barred)),
  };
}

// Leaves: the arrays that a chain of loops ends in. Operations are taken in one by one, and while the last of a chain is
// inside and the first is not, an array between them counts as one that is read, though it will not be. So the sources
// of a group are counted as they will be when all of the chain is inside, where nothing stands against that.

export type Leaves = ReadonlyMap<PlanArray, readonly PlanArray[]>;

/** More leaves than any limit that is likely: what has more counts as itself. */
const MAX_LEAVES = 16;

/** For arrays that are made by loops and read by one operation with the same tasks. */
export function leavesOf(
  nodes: readonly Node[],
  readers: ReadonlyMap<string, readonly number[]>,
  arrays: Arrays,
): Leaves {
  const leaves = new Map<PlanArray, readonly PlanArray[]>();
  for (const { operation } of nodes) {
    const { outputs, grid } = operation;
    const array = arrays.get(outputs[0]!.array)!;
    const reading = readers.get(array.name);
    const isPassed = reading?.length === 1 && outputs.length === 1 && array.role !== "result";
    if (!isPassed || !isLoop(operation)) continue;
    const reader = nodes[reading[0]!]!;
    if (reader.barred.has(array.name) || !sameShape(reader.operation.grid, grid)) continue;
    const own = leavesOfOne(operation, leaves, arrays);
    if (own.length > 0 && own.length <= MAX_LEAVES) leaves.set(array, own);
  }
  return leaves;
}

/** Stops at the first that is too many. */
function leavesOfOne({ steps }: Operation, leaves: Leaves, arrays: Arrays): PlanArray[] {
  const own: PlanArray[] = [];
  const add = (leaf: PlanArray): void => {
    if (own.length <= MAX_LEAVES && !own.includes(leaf)) own.push(leaf);
  };
  for (const step of steps) {
    if (step.kind !== "read") continue;
    const array = arrays.get(step.array)!;
    const below = leaves.get(array);
    if (below === undefined) add(array);
    else for (const leaf of below) add(leaf);
  }
  return own;
}

/** How many arrays are read in the end: as they are, or their leaves, whichever are fewer. One element is a constant. */
export function countSources(reads: readonly { readonly array: PlanArray }[], leaves: Leaves): number {
  const direct: PlanArray[] = [];
  for (const { array } of reads) if (!isConstant(array) && !direct.includes(array)) direct.push(array);
  const ends: PlanArray[] = [];
  for (const array of direct) {
    for (const leaf of leaves.get(array) ?? [array])
      if (!isConstant(leaf) && !ends.includes(leaf)) ends.push(leaf);
    // No fewer than they are as they are: the rest need not be looked at.
    if (ends.length >= direct.length) return direct.length;
  }
  return ends.length;
}
