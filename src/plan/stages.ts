// Stages: what has to be known of values before an expression can be lowered. In: expressions. Out: what the next stage
// computes; and, with what it found, equal expressions in which its ops are others, until nothing waits for a stage.
// Must hold: lengths of one name turn out to be one number; types are what they were, but for lengths that are known now.

import type { Attr, Attrs, Block } from "../core/block.ts";
import { ChunkwiseError, InvariantError } from "../core/errors.ts";
import { isUnknown } from "../core/unknown.ts";
import { type Expr, makeExpr, postOrder } from "../expr/expr.ts";
import { type ArrayType, arrayTypeText, extentOf, type StagedOp } from "../expr/op.ts";
import { atSite, lineOf } from "../expr/site.ts";

/** What can be asked now: of all ops that wait for nothing but this. */
export interface Stage {
  /** A few values each, once each. */
  readonly asks: readonly Expr[];
  /** What is kept for later stages, and for what is left. */
  readonly keeps: readonly Expr[];
  /** Those of which small parts are read by themselves. */
  readonly inParts: ReadonlySet<Expr>;
  /** What may be kept, or made again. */
  readonly helps: readonly Expr[];
  readonly nodes: readonly StagedNode[];
}

interface StagedNode {
  readonly node: Expr;
  readonly asks: readonly Expr[];
  readonly keeps: readonly Expr[];
  readonly helps: readonly Expr[];
  /** Small parts of what is kept are read by themselves. */
  readonly inParts: boolean;
}

/** What a stage found. */
export interface Found {
  /** By what was asked: contiguous blocks. */
  readonly answers: ReadonlyMap<Expr, Block>;
  /** By what was to be kept: sources of the same types and chunks. */
  readonly kept: ReadonlyMap<Expr, Expr>;
}

/** Null where nothing waits for a stage. */
export function nextStage(roots: readonly Expr[]): Stage | null {
  if (roots.every(({ isSettled }) => isSettled)) return null;
  const nodes: StagedNode[] = [];
  for (const node of postOrder(roots, ({ isSettled }) => isSettled)) {
    if (node.op.class !== "staged" || !node.inputs.every(({ isSettled }) => isSettled)) continue;
    nodes.push({ node, ...questionsOf(node) });
  }
  const once = (lists: readonly (readonly Expr[])[]): Expr[] => [...new Set(lists.flat())];
  const keeps = once(nodes.map((node) => node.keeps));
  const helps = once(nodes.map((node) => node.helps)).filter((help) => !keeps.includes(help));
  const inParts = new Set(nodes.flatMap((node) => (node.inParts ? node.keeps : [])));
  return { nodes, keeps, helps, inParts, asks: once(nodes.map((node) => node.asks)) };
}

function questionsOf(node: Expr): Omit<StagedNode, "node"> {
  const questions = atNode(node, () => stagedOf(node).questions(node.inputs, node.attrs));
  const {
    asks,
    keeps = [],
    helps = [],
  } = questions as {
    readonly [K in "asks" | "keeps" | "helps"]: readonly Expr[];
  };
  // What lies somewhere is read there.
  return {
    ...{ asks, keeps, helps: helps.filter(({ op }) => op.class !== "source") },
    inParts: questions.inParts === true,
  };
}

const stagedOf = ({ op }: Expr): StagedOp => op as StagedOp;

/** As if it were done where the node was made; what turns out to be wrong is told with that line. */
function atNode<T>({ site, op }: Expr, action: () => T): T {
  try {
    return atSite(site, action);
  } catch (error) {
    if (!(error instanceof ChunkwiseError) || error.where !== undefined) throw error;
    const line = lineOf(site);
    throw error.at(`${site?.call ?? op.name}${line === undefined ? "" : ` at ${line}`}`);
  }
}

/** The roots after a stage. What was kept is read where it was made. */
export function afterStage(roots: readonly Expr[], { nodes }: Stage, { answers, kept }: Found): Expr[] {
  const made = new Map<Expr, Expr>(kept);
  const lengths = new Map<number, number>();
  for (const { node, asks, keeps } of nodes) {
    const inputs = node.inputs.map((input) => replaced(input, made));
    const blocks = asks.map((ask) => answers.get(ask)!);
    const sources = keeps.map((keep) => kept.get(keep)!);
    const settled = atNode(node, () => stagedOf(node).settle(inputs, node.attrs, blocks, sources));
    made.set(node, settled as Expr);
    learn(node, settled as Expr, lengths);
  }
  for (const node of postOrder(roots, (known) => made.has(known))) {
    const next = replacedNode(node, made, lengths);
    made.set(node, next);
    learn(node, next, lengths);
  }
  return roots.map((root) => made.get(root)!);
}

/** An expression in which what was kept is read. */
function replaced(root: Expr, made: Map<Expr, Expr>): Expr {
  for (const node of postOrder([root], (known) => made.has(known)))
    made.set(node, replacedNode(node, made, NO_LENGTHS));
  return made.get(root)!;
}

const NO_LENGTHS: ReadonlyMap<number, number> = new Map();

function replacedNode(node: Expr, made: ReadonlyMap<Expr, Expr>, lengths: ReadonlyMap<number, number>): Expr {
  const inputs = node.inputs.map((input) => made.get(input)!);
  if (inputs.every((input, i) => input === node.inputs[i])) return node;
  return makeExpr(node.op, inputs, node.isSettled ? node.attrs : withLengths(node.attrs, lengths), node.site);
}

/** Attributes may name lengths: what is stretched to one, say. */
function withLengths(attrs: Attrs, lengths: ReadonlyMap<number, number>): Attrs {
  const settled = (attr: Attr): Attr => {
    if (typeof attr === "number") return lengths.get(attr) ?? attr;
    return Array.isArray(attr) ? attr.map(settled) : attr;
  };
  return Object.fromEntries(Object.entries(attrs).map(([name, attr]) => [name, settled(attr)]));
}

function learn({ op, type }: Expr, { type: now }: Expr, lengths: Map<number, number>): void {
  if (type === now) return;
  const [before, after] = [extentOf(type), extentOf(now)];
  const fits = before.every((n, axis) => isSame(n, after[axis]!, lengths));
  if (fits && before.length === after.length && sameElements(type, now)) return;
  throw new InvariantError({ what: `${op.name} was ${arrayTypeText(type)} and is ${arrayTypeText(now)}` });
}

function isSame(before: number, after: number, lengths: Map<number, number>): boolean {
  if (!isUnknown(before)) return before === after;
  const known = lengths.get(before) ?? after;
  if (before !== after) lengths.set(before, after);
  return known === after;
}

const sameElements = (a: ArrayType, b: ArrayType): boolean =>
  a.kind === "dense" && b.kind === "dense" ? a.dtype === b.dtype : a.kind === b.kind;
