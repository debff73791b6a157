// Whole numbers that say where things are: offsets, indexes, counts. In: typed arrays of any integer type. Out:
// Int32Array, the one type that every kernel here reads. Why 32 bits: a partition has fewer than 2³¹ elements, half
// the bytes are read, and JavaScript computes with them without boxing, which BigInt64Array forces on it.
// Must hold: the machine is little-endian, as WebAssembly is.

import { once } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import type { Json, Parameters } from "../../core/form/form.ts";
import { isLeaf, type Plain } from "./layout.ts";
import { newNumbers } from "./leafKernels.ts";

// Where nodes of a result come from. In: probes whose nodes carry marks among their parameters. Out: the marks that
// nodes of a result carry, because operations keep the parameters of what they move. Without marks nothing here does
// anything: data never has them.
// Must hold: what several nodes become is marked with all of their marks; what is computed, with what it is made of.

/** The parameter that holds marks. */
const ORIGINS = "__origins__";

type Marks = readonly number[];
interface Marked {
  readonly parameters: Parameters;
}

/** Nothing is known of a node without marks; one with no marks at all depends on nothing. */
export const marksOf = ({ parameters }: Marked): Marks | undefined =>
  parameters[ORIGINS] as Marks | undefined;

export const withMarks = <N extends Marked>(node: N, marks: Marks): N => ({
  ...node,
  parameters: { ...node.parameters, [ORIGINS]: marks as Json },
});

/** The parameters of what several nodes become: the first's, and marks of all. */
export function joinedParameters(nodes: readonly Marked[]): Parameters {
  const { parameters } = nodes[0]!;
  if (!nodes.some((node) => marksOf(node) !== undefined)) return parameters;
  const marks = new Set(nodes.flatMap((node) => marksOf(node) ?? []));
  return { ...parameters, [ORIGINS]: [...marks] };
}

/** What is computed of a node's own buffer, and not of what is below it; or (not used) of how long it is. */
export function drawnFrom<N extends Plain>(result: N, node: Plain, isUsed = true): N {
  const marks = marksOf(node);
  return marks === undefined ? result : withMarks(result, isUsed ? marks : []);
}

/** Leaves of a result that came from nowhere are computed: of everything in the nodes given. */
export function drawnBelow(result: Plain, nodes: readonly Plain[]): Plain {
  // Marks are on probes alone, which have no rows.
  if (nodes.some((node) => node.length > 0) || !nodes.some(hasMarks)) return result;
  const marks = new Set<number>();
  for (const node of nodes) collectMarks(node, marks);
  return markedLeaves(result, [...marks]);
}

const childrenOf = (node: Plain): readonly Plain[] =>
  "contents" in node ? node.contents : "content" in node ? [node.content] : [];

const hasMarks = (node: Plain): boolean => marksOf(node) !== undefined || childrenOf(node).some(hasMarks);

function collectMarks(node: Plain, into: Set<number>): void {
  for (const mark of marksOf(node) ?? []) into.add(mark);
  for (const child of childrenOf(node)) collectMarks(child, into);
}

function markedLeaves(node: Plain, marks: Marks): Plain {
  if (isLeaf(node)) return marksOf(node) === undefined ? withMarks(node, marks) : node;
  if ("contents" in node)
    return { ...node, contents: node.contents.map((content) => markedLeaves(content, marks)) };
  return { ...node, content: markedLeaves(node.content, marks) };
}

export const MAX_LENGTH: number = 2 ** 31 - 1;

export function checkLength(length: number, what: string): number {
  if (length <= MAX_LENGTH) return length;
  throw new ShapeError({
    what: `${what} would have ${length} elements, and a partition has at most ${MAX_LENGTH}`,
    cure: "Use smaller partitions",
  });
}

/** Room for indexes, of which each is still to be written. */
export const newIndex = (count: number): Int32Array => newNumbers("int32", count).data as Int32Array;

export function arange(count: number): Int32Array {
  const index = new Int32Array(count);
  for (let i = 0; i < count; i++) index[i] = i;
  return index;
}

/** Memory of which it is known that it is 0, 1, 2, …, or all ones, because nobody writes to it. */
const known = new WeakSet<ArrayBufferLike>();

function neverWritten<T extends Int32Array | Int8Array>(array: T): T {
  known.add(array.buffer);
  return array;
}

/** So many take no memory of their own: a megabyte has them for all. */
const MOST_SHARED = 2 ** 18;
const PLACES = once(() => neverWritten(arange(MOST_SHARED)));
const ONES = once(() => neverWritten(new Int8Array(MOST_SHARED).fill(1)));

/** 0, 1, 2, … of which nobody writes: where nothing is null and nothing is moved. */
export const identity = (count: number): Int32Array =>
  count <= MOST_SHARED ? PLACES().subarray(0, count) : neverWritten(arange(count));

export const isIdentity = (index: Int32Array): boolean => index.byteOffset === 0 && known.has(index.buffer);

/** A mask of ones. */
export const allValid = (count: number): Int8Array =>
  count <= MOST_SHARED ? ONES().subarray(0, count) : neverWritten(new Int8Array(count).fill(1));

export const isAllValid = (mask: Int8Array): boolean => known.has(mask.buffer);

/** [2, 0, 3] → [0, 2, 2, 5] */
export function offsetsOfCounts(counts: Int32Array): Int32Array {
  const offsets = newIndex(counts.length + 1);
  let total = 0;
  offsets[0] = 0;
  for (let i = 0; i < counts.length; i++) {
    total += counts[i]!;
    offsets[i + 1] = total;
  }
  checkLength(total, "the lists together");
  return offsets;
}

export function regularOffsets(count: number, size: number): Int32Array {
  checkLength(count * size, "the lists together");
  const offsets = newIndex(count + 1);
  for (let i = 0; i <= count; i++) offsets[i] = i * size;
  return offsets;
}

export function countsOf(offsets: Int32Array): Int32Array {
  const counts = newIndex(offsets.length - 1);
  for (let i = 0; i < counts.length; i++) counts[i] = offsets[i + 1]! - offsets[i]!;
  return counts;
}

/** The same lists counted from 0. */
export function fromZero(offsets: Int32Array): Int32Array {
  const first = offsets[0]!;
  return first === 0 ? offsets : offsets.map((offset) => offset - first);
}

export function sameIndices(a: Int32Array, b: Int32Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Places of a content that lists [starts[i], starts[i] + counts[i]) name, one list after another. */
export function placesOf(starts: Int32Array, offsets: Int32Array): Int32Array {
  const places = newIndex(offsets[offsets.length - 1]!);
  for (let i = 0; i < starts.length; i++) {
    const stop = offsets[i + 1]!;
    let from = starts[i]!;
    for (let at = offsets[i]!; at < stop; at++) places[at] = from++;
  }
  return places;
}

/** For every element the number of its list: [0, 2, 2, 5] → [0, 0, 2, 2, 2]. */
export function parentsOf(offsets: Int32Array): Int32Array {
  const first = offsets[0]!;
  const parents = newIndex(offsets[offsets.length - 1]! - first);
  for (let i = 0; i + 1 < offsets.length; i++) parents.fill(i, offsets[i]! - first, offsets[i + 1]! - first);
  return parents;
}

/** For every element its place within its list: [0, 2, 2, 5] → [0, 1, 0, 1, 2]. */
export function localPlaces(offsets: Int32Array): Int32Array {
  const first = offsets[0]!;
  const places = new Int32Array(offsets[offsets.length - 1]! - first);
  for (let i = 0; i + 1 < offsets.length; i++) {
    const start = offsets[i]!;
    const stop = offsets[i + 1]!;
    for (let at = start; at < stop; at++) places[at - first] = at - start;
  }
  return places;
}

/** a[b[i]], where a negative b stays −1. */
export function compose(a: Int32Array, b: Int32Array): Int32Array {
  if (isIdentity(a)) return b;
  if (isIdentity(b) && b.length === a.length) return a;
  const out = newIndex(b.length);
  for (let i = 0; i < b.length; i++) out[i] = b[i]! < 0 ? -1 : a[b[i]!]!;
  return out;
}

/** The values that are not negative, in order. */
export function validOf(index: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < index.length; i++) if (index[i]! >= 0) count++;
  const valid = newIndex(count);
  let at = 0;
  for (let i = 0; i < index.length; i++) if (index[i]! >= 0) valid[at++] = index[i]!;
  return valid;
}

/** 0, 1, 2, … in the places that are not negative, −1 in the others: where they are after `validOf`. */
export function ranksOfValid(index: Int32Array): Int32Array {
  const ranks = newIndex(index.length);
  let at = 0;
  for (let i = 0; i < index.length; i++) ranks[i] = index[i]! < 0 ? -1 : at++;
  return ranks;
}

/** As int64, by writing both halves: no bigint is made. */
export function int64Of(index: Int32Array): BigInt64Array {
  const halves = new Int32Array(2 * index.length);
  for (let i = 0; i < index.length; i++) {
    const value = index[i]!;
    halves[2 * i] = value;
    halves[2 * i + 1] = value >> 31;
  }
  return new BigInt64Array(halves.buffer);
}

/** Integers of any type as indexes; an error where one does not fit in 32 bits. */
export function indexOf(data: TypedArray, what: string): Int32Array {
  if (data instanceof Int32Array) return data;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return lowHalves(data, what);
  if (data instanceof Float32Array || data instanceof Float64Array)
    throw new ValueError({ what: `${what} are ${data.constructor.name}`, cure: "Use integers" });
  const index = new Int32Array(data as ArrayLike<number> as Uint32Array);
  if (data instanceof Uint32Array && data.some((value) => value > MAX_LENGTH)) throw tooLarge(what);
  return index;
}

function lowHalves(data: BigInt64Array | BigUint64Array, what: string): Int32Array {
  const halves = new Int32Array(data.buffer, data.byteOffset, 2 * data.length);
  const isUnsigned = data instanceof BigUint64Array;
  const index = new Int32Array(data.length);
  for (let i = 0; i < index.length; i++) {
    const value = halves[2 * i]!;
    const high = halves[2 * i + 1]!;
    if (high !== value >> 31 || (isUnsigned && high < 0)) throw tooLarge(what);
    index[i] = value;
  }
  return index;
}

const tooLarge = (what: string): ValueError =>
  new ValueError({
    what: `${what} have a number that is not between -${MAX_LENGTH} and ${MAX_LENGTH}`,
    cure: "Use smaller partitions",
  });
