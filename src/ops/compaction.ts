// Compaction: the places along the first axis of x where a mask is true, one after another, in regular chunks. How many there
// are, a stage counts, block by block; from the counts follows which blocks each chunk of the result is made of.
// In: x and a 1-d mask as long as its first axis. Out: x with that axis as long as the mask is often true.
// Must hold: before[b] is how many trues there are before block b; before.at(-1) is how many there are.

import type { Attrs, Block } from "../core/block.ts";
import { type Box, isLength, sameShape, shapeText } from "../core/chunks.ts";
import { ShapeError } from "../core/errors.ts";
import { lengthText, unknownLength } from "../core/unknown.ts";
import { chunksOf, type Expr, keyHere, makeExpr, postOrder } from "../expr/expr.ts";
import { type DenseType, denseType, type MoveOp, type RoutineOp, type StagedOp } from "../expr/op.ts";
import { type AxisSeams, type Piece, SEAMLESS } from "../expr/pieces.ts";
import type { Pullback } from "../expr/pullback.ts";
import { scalarExpr } from "../lazy/build.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { greater } from "./elementwise/index.ts";

/** How many trues a 1-d mask has in each block of attrs.block places; of int64 counts, what they come to. */
export const countTrue: RoutineOp = {
  name: "countTrue",
  class: "routine",
  routine: "countTrue",
  infer([mask], attrs) {
    const block = blockOf("countTrue", attrs);
    if (mask!.dtype !== "int64") checkMask(mask!, mask!.shape);
    return denseType("int64", [Math.ceil(mask!.shape[0]! / block)]);
  },
  computes: (out) => out,
  demand: (out, [mask], attrs) => [rowsOf(mask!, out, out.start[0]!, out.start[0]! + out.shape[0]!, attrs)],
  // The last block may be shorter.
  seams: (_, __, { shape: [n] }) => [{ zones: [[n! - 1, n!]] }],
  chunks: ([mask], _, attrs) => [Math.max(1, Math.floor(mask![0]! / blockOf("countTrue", attrs)))],
};

const blockOf = (op: string, attrs: Attrs): number => {
  const block = attrs["block"];
  checkCounts(op, "block", [block], 1, 1);
  return block as number;
};

function checkMask({ dtype, shape }: DenseType, [length]: readonly number[]): void {
  if (dtype === "bool" && shape.length === 1 && shape[0] === length) return;
  throw new ShapeError({
    what: `a mask ${dtype} ${shapeText(shape)} for ${length} places`,
    cure: "A mask is bool, and has one element for each place",
  });
}

/** The box of an input that has blocks first … end − 1, and on its other axes what a box of the output has. */
function rowsOf({ shape }: DenseType, out: Box, first: number, end: number, attrs: Attrs): Box {
  const block = attrs["block"] as number;
  const from = Math.min(shape[0]!, first * block);
  const to = Math.max(from, Math.min(shape[0]!, end * block));
  const rest = shape.length - 1;
  return {
    start: [from, ...out.start.slice(out.start.length - rest, out.start.length)],
    shape: [to - from, ...out.shape.slice(out.shape.length - rest, out.shape.length)],
  };
}

/** attrs.before, attrs.block, attrs.chunk: how long chunks of the result are. */
export const compacted: RoutineOp = {
  name: "compacted",
  class: "routine",
  pullback: ({ inputs: [x, mask], attrs, cotangent }, use) => {
    const zeros = use.filled(x!);
    const { before, block } = attrs;
    return [use.node("placed", [zeros, mask!, cotangent], { before: before!, block: block! }), null];
  },
  routine: "compact",
  infer([x, mask], attrs) {
    const before = checkBlocks("compacted", x!, attrs);
    checkMask(mask!, x!.shape);
    return denseType(x!.dtype, [before.at(-1)!, ...x!.shape.slice(1)]);
  },
  computes: (out) => out,
  demand(out, [x, mask], attrs) {
    const [first, end] = blocksFor(attrs["before"] as number[], out.start[0]!, out.shape[0]!);
    return [x!, mask!].map((input) => rowsOf(input, out, first, end, attrs));
  },
  seams: (_, __, { shape }) => byItself(shape),
  chunks: ([x], _, attrs, { shape }) => [
    Math.max(1, Math.min(attrs["chunk"] as number, shape[0]!)),
    ...x!.slice(1),
  ],
};

/** Which blocks go into a chunk, their counts say: no two need be alike. */
const byItself = (shape: readonly number[]): AxisSeams[] =>
  shape.map((n, axis) => (axis === 0 ? { zones: [[0, n]] } : SEAMLESS));

function beforeOf(op: string, attrs: Attrs): readonly number[] {
  const before = attrs["before"];
  const isList = Array.isArray(before) && before.length > 0 && before[0] === 0;
  if (isList && before.every((n, i) => isLength(n) && (i === 0 || n >= (before[i - 1] as number))))
    return before as number[];
  throw wrongAttr(op, "before", before);
}

/** The first block, and the one behind the last, of those that have some of `count` trues from number `start` on. */
function blocksFor(before: readonly number[], start: number, count: number): [number, number] {
  if (count === 0) return [0, 0];
  return [lastAtMost(before, start), lastAtMost(before, start + count - 1) + 1];
}

/** The last place of an ascending list whose number is no larger. */
function lastAtMost(list: readonly number[], most: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (list[middle]! <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** For each block a row of attrs.most elements of which the first are selected: what lies between far blocks is left out. */
export const compactedRows: RoutineOp = {
  name: "compactedRows",
  class: "routine",
  routine: "compactRows",
  infer([x, mask], attrs) {
    checkMask(mask!, x!.shape);
    checkCounts("compactedRows", "most", [attrs["most"]], 1, 1);
    const rows = Math.ceil(x!.shape[0]! / blockOf("compactedRows", attrs));
    return denseType(x!.dtype, [rows, attrs["most"] as number, ...x!.shape.slice(1)]);
  },
  // A row is made as a whole.
  computes: ({ start, shape }, type) => ({
    start: start.map((at, axis) => (axis === 1 ? 0 : at)),
    shape: shape.map((n, axis) => (axis === 1 ? type.shape[1]! : n)),
  }),
  demand: (out, [x, mask], attrs) =>
    [x!, mask!].map((input) => rowsOf(input, out, out.start[0]!, out.start[0]! + out.shape[0]!, attrs)),
  seams: (_, __, { shape }) => shape.map((n, axis) => (axis === 0 ? { zones: [[n - 1, n]] } : SEAMLESS)),
  chunks: ([x], _, attrs) => [1, attrs["most"] as number, ...x!.slice(1)],
};

/** The begins of rows one after another: attrs.before, attrs.chunk. */
export const joinedRows: MoveOp = {
  name: "joinedRows",
  class: "move",
  injective: true,
  infer([rows], attrs) {
    const before = beforeOf("joinedRows", attrs);
    checkCounts("joinedRows", "chunk", [attrs["chunk"]], 1, 1);
    const most = before.reduce((max, n, i) => Math.max(max, i === 0 ? 0 : n - before[i - 1]!), 0);
    if (before.length !== rows!.shape[0]! + 1 || most > rows!.shape[1]!)
      throw wrongAttr("joinedRows", "before", before.length);
    return denseType(rows!.dtype, [before.at(-1)!, ...rows!.shape.slice(2)]);
  },
  seams: (_, __, { shape }) => byItself(shape),
  pieces(out, _, attrs) {
    const before = attrs["before"] as number[];
    const [first, end] = blocksFor(before, out.start[0]!, out.shape[0]!);
    const pieces: Piece[] = [];
    for (let row = first; row < end; row++) {
      const from = Math.max(before[row]!, out.start[0]!);
      const length = Math.min(before[row + 1]!, out.start[0]! + out.shape[0]!) - from;
      if (length > 0) pieces.push(rowPiece(out, row, from, from - before[row]!, length));
    }
    return pieces;
  },
  chunks: ([rows], _, attrs, { shape }) => [
    Math.max(1, Math.min(attrs["chunk"] as number, shape[0]!)),
    ...rows!.slice(2),
  ],
};

/** `length` places of a row from place `at` on, which go to the output's place `from`. */
function rowPiece(out: Box, row: number, from: number, at: number, length: number): Piece {
  const rest = out.shape.slice(1);
  const along = (n: number, outAxis: number): Piece["axes"][number] => ({
    ...{ length: n, outAxis, outStep: 1 },
    ...{ inAxis: outAxis + 1, inStep: 1 },
  });
  return {
    from: { input: 0, start: [row, at, ...out.start.slice(1)] },
    start: [from, ...out.start.slice(1)],
    axes: [along(length, 0), ...rest.map((n, axis) => along(n, axis + 1))],
  };
}

function checkBlocks(op: string, x: DenseType, attrs: Attrs): readonly number[] {
  const before = beforeOf(op, attrs);
  checkCounts(op, "chunk", [attrs["chunk"]], 1, 1);
  if (before.length === Math.ceil(x.shape[0]! / blockOf(op, attrs)) + 1) return before;
  throw wrongAttr(op, "before", before.length);
}

/** Copies of a row are added up. */
const repeatPullback: Pullback = ({ inputs: [x, counts], cotangent }, use) => {
  const rows = use.node("repeatBy", [use.places(counts!, 0), counts!], {
    length: unknownLength(`sum of ${keyHere(counts as Expr)}`),
  });
  return [use.addAt(cotangent, 0, rows, x!.shape[0]!), null];
};

/** Rows as often as counts say, in the same way: attrs.before, attrs.block, attrs.chunk. */
export const repeated: RoutineOp = {
  name: "repeated",
  class: "routine",
  pullback: repeatPullback,
  routine: "repeatRows",
  infer([x, counts], attrs) {
    const before = checkBlocks("repeated", x!, attrs);
    checkRepeats(x!, counts!);
    return denseType(x!.dtype, [before.at(-1)!, ...x!.shape.slice(1)]);
  },
  computes: (out) => out,
  demand: compacted.demand,
  seams: (_, __, { shape }) => byItself(shape),
  chunks: compacted.chunks,
};

function checkRepeats(x: DenseType, { dtype, shape }: DenseType): void {
  if (dtype === "int64" && shape.length === 1 && shape[0] === x.shape[0]) return;
  throw new ShapeError({
    what: `counts ${dtype} ${shapeText(shape)} for ${lengthText(x.shape[0]!)} places`,
    cure: "Give one count for each",
  });
}

/** repeatBy(x, counts): attrs.length stands for what they come to. */
export const repeatBy: StagedOp = {
  name: "repeatBy",
  class: "staged",
  keepsMeaning: true,
  carries: "same",
  pullback: repeatPullback,
  infer([x, counts], attrs) {
    checkRepeats(x!, counts!);
    return denseType(x!.dtype, [attrs["length"] as number, ...x!.shape.slice(1)]);
  },
  chunks: ([x]) => x!,
  questions: ([x, counts]) => compact.questions([x!, counts!], {}),
  settle([x, counts], attrs, [sums]) {
    const [rows, each] = [x as Expr, counts as Expr];
    const before = beforeBlocks(sums!);
    const [block, common] = [countedBlock(rows, each), commonBlock(rows, each)];
    const chunk = Math.max(1, Math.min(common, before.at(-1)!));
    if (mostBlocks(before, chunk) <= (MOST_BLOCKS * common) / block)
      return makeExpr(repeated, [rows, each], { before, block, chunk });
    // Without what is repeated no times, no chunk needs more than two blocks.
    const some = makeExpr(greater, [each, scalarExpr(0n, "int64")]);
    return makeExpr(repeatBy, [compactExpr(rows, some), compactExpr(each, some)], attrs);
  },
};

/** More whole blocks than these are not brought together for one chunk: what is selected of each is stored first. */
const MOST_BLOCKS = 4;

/** compact(x, mask): attrs.length stands for how often the mask is true. */
export const compact: StagedOp = {
  name: "compact",
  class: "staged",
  keepsMeaning: true,
  carries: "same",
  pullback: ({ inputs: [x, mask], cotangent }, use) => [use.place(use.filled(x!), mask!, cotangent), null],
  infer([x, mask], attrs) {
    checkMask(mask!, x!.shape);
    return denseType(x!.dtype, [attrs["length"] as number, ...x!.shape.slice(1)]);
  },
  chunks: ([x]) => x!,
  questions: ([x, mask]) => ({
    asks: [makeExpr(countTrue, [mask as Expr], { block: countedBlock(x as Expr, mask as Expr) })],
    helps: isCheap(x as Expr) ? [mask!] : [x!, mask!],
  }),
  settle: ([x, mask], _, [counts]) => compactedBy(x as Expr, mask as Expr, counts!),
};

/** What lies somewhere, moved and gone through element by element: making it again costs no more than keeping it. */
const CHEAP: ReadonlySet<string> = new Set(["source", "elementwise", "move"]);
const isCheap = (x: Expr): boolean => postOrder([x]).every(({ op }) => CHEAP.has(op.class));

const commonBlock = (x: Expr, mask: Expr): number => Math.min(chunksOf(x)[0]!, chunksOf(mask)[0]!);

/** Parts of a long block are counted by themselves: a chunk of the result then reads little that is not in it. */
function countedBlock(x: Expr, mask: Expr): number {
  const common = commonBlock(x, mask);
  const isEven = (parts: number): boolean => common % parts === 0 && common / parts >= 1 << 15;
  return common / ([8, 4, 2].find(isEven) ?? 1);
}

function beforeBlocks({ data }: Block): number[] {
  const before = [0];
  for (const count of data as BigInt64Array) before.push(before.at(-1)! + Number(count));
  return before;
}

function compactedBy(x: Expr, mask: Expr, counts: Block): Expr {
  const before = beforeBlocks(counts);
  const total = before.at(-1)!;
  if (total === x.shape[0]) return x;
  const [block, common] = [countedBlock(x, mask), commonBlock(x, mask)];
  const chunk = Math.max(1, Math.min(common, total));
  const parts = common / block;
  if (mostBlocks(before, chunk) <= MOST_BLOCKS * parts)
    return makeExpr(compacted, [x, mask], { before, block, chunk });
  const whole = before.filter((_, i) => i % parts === 0 || i === before.length - 1);
  const most = whole.reduce((max, n, i) => Math.max(max, i === 0 ? 0 : n - whole[i - 1]!), 0);
  const rows = makeExpr(compactedRows, [x, mask], { block: common, most });
  return makeExpr(joinedRows, [rows], { before: whole, chunk });
}

/** Of how many blocks a chunk of the result is made at most. */
function mostBlocks(before: readonly number[], chunk: number): number {
  const total = before.at(-1)!;
  let most = 0;
  for (let start = 0; start < total; start += chunk) {
    const [first, end] = blocksFor(before, start, Math.min(chunk, total - start));
    most = Math.max(most, end - first);
  }
  return most;
}

/** x where a mask of its first axis is true. */
export const compactExpr = (x: Expr, mask: Expr): Expr =>
  makeExpr(compact, [x, mask], { length: unknownLength(`true in ${keyHere(mask)}`) });

/** Nothing comes back to rows that were replaced. */
const placePullback: Pullback = ({ inputs: [x, mask], cotangent }, use) => {
  const others = x!.shape.slice(1).map((_, axis) => axis + 1);
  const isReplaced = use.expandDims(mask!, others);
  return [use.where(isReplaced, 0, cotangent), null, use.compact(cotangent, mask!)];
};

/** x with rows of values in the places where a mask is true, in their order. attrs.before, attrs.block. */
export const placed: RoutineOp = {
  name: "placed",
  class: "routine",
  pullback: placePullback,
  routine: "placeRows",
  infer([x, mask, values], attrs) {
    const before = beforeOf("placed", attrs);
    checkMask(mask!, x!.shape);
    const fits =
      sameShape(values!.shape, [before.at(-1)!, ...x!.shape.slice(1)]) && values!.dtype === x!.dtype;
    if (!fits || before.length !== Math.ceil(x!.shape[0]! / blockOf("placed", attrs)) + 1)
      throw wrongAttr("placed", "before", before.length);
    return x!;
  },
  computes: (out) => out,
  demand(out, [x, mask, values], attrs) {
    const before = attrs["before"] as number[];
    const block = attrs["block"] as number;
    const end = out.start[0]! + out.shape[0]!;
    const [first, last] = [Math.floor(out.start[0]! / block), Math.ceil(end / block)];
    const rows = rowsOf(x!, out, first, last, attrs);
    const count = before[last]! - before[first]!;
    return [
      out,
      { start: [first * block], shape: [Math.max(0, end - first * block)] },
      { ...rows, start: [before[first]!, ...rows.start.slice(1)], shape: [count, ...rows.shape.slice(1)] },
    ].map((box, i) => (out.shape[0] === 0 ? emptied([x!, mask!, values!][i]!) : box));
  },
  seams: (_, __, { shape }) => byItself(shape),
  chunks: ([x]) => x!,
};

const emptied = ({ shape }: DenseType): Box => ({ start: shape.map(() => 0), shape: shape.map(() => 0) });

/** place(x, mask, values): how many values there have to be, a stage counts. */
export const place: StagedOp = {
  name: "place",
  class: "staged",
  pullback: placePullback,
  infer([x, mask]) {
    checkMask(mask!, x!.shape);
    return x!;
  },
  chunks: ([x]) => x!,
  questions: compact.questions,
  settle([x, mask, values], _, [counts]) {
    const before = beforeBlocks(counts!);
    const given = (values as Expr).shape[0]!;
    if (given !== before.at(-1)!)
      throw new ShapeError({
        what: `${given} values for ${before.at(-1)} places where the mask is true`,
        cure: "Give one value, or as many as there are places",
      });
    const block = countedBlock(x as Expr, mask as Expr);
    return makeExpr(placed, [x as Expr, mask as Expr, values as Expr], { before, block });
  },
};

/** Rows of x as often as counts say. */
export const repeatExpr = (x: Expr, counts: Expr): Expr =>
  makeExpr(repeatBy, [x, counts], { length: unknownLength(`sum of ${keyHere(counts)}`) });

export const COMPACTION_OPS: readonly (RoutineOp | MoveOp | StagedOp)[] = [
  ...[compact, compacted, compactedRows],
  ...[countTrue, joinedRows, place, placed, repeatBy, repeated],
];
