// Navigators: global rewrites that lead local ones over a function graph. `inToOut` and `outToIn` visit every
// node once in topological order, `byOp` the nodes of some ops, `group` tries several local rewrites at each
// node, `fixpoint` repeats until nothing changes. The default driver (driver.ts) does the work of inToOut and
// fixpoint in one linear walk; these are for rewrites that need clients, maps of replacements or an order.

import { RuleGrowthError } from "../core/errors.ts";
import { Expr, makeExpr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { assumeReplaced } from "../expr/site.ts";
import { checkGiven, thrownBy } from "./broken.ts";
import type { FunctionGraph, Replacements } from "./functionGraph.ts";
import type { GlobalRewrite, LocalRewrite, RuleContext } from "./rule.ts";

/** Leads a local rewrite over a graph, inputs first: `inToOut(rule).apply(graph)`. */
export const inToOut = (local: LocalRewrite): GlobalRewrite => ({
  name: `inToOut(${local.name})`,
  apply(graph) {
    sweepValid(graph, local, graph.toposort());
  },
});

/**
 * A walk at once, and what is left of it node by node. Validators judge what a walk has made of the graph; where one objects,
 * all is undone and each half is walked by itself, down to the nodes whose changes are not wanted.
 */
function sweepValid(graph: FunctionGraph, local: LocalRewrite, order: readonly Expr[]): void {
  const before = graph.checkpoint();
  const now = order.map((node) => graph.current(node)).filter((node) => graph.has(node));
  const done = sweep(graph, local, now);
  if (graph.checkpoint() > before && graph.validate() !== null) {
    graph.costs.objections++;
    graph.revert(before);
    if (order.length === 1) return;
    const half = order.length >> 1;
    sweepValid(graph, local, order.slice(0, half));
    sweepValid(graph, local, order.slice(half));
  } else visitAll(graph, local, now.slice(done));
}

/** Leads a local rewrite over a graph, outputs first: `outToIn(rule).apply(graph)`. */
export const outToIn = (local: LocalRewrite): GlobalRewrite => ({
  name: `outToIn(${local.name})`,
  apply: (graph) => void visitAll(graph, local, graph.toposort().toReversed()),
});

/** Leads a local rewrite to the nodes of these ops only: `byOp([opNamed("add")], rule).apply(graph)`. */
export const byOp = (ops: readonly Op[], local: LocalRewrite): GlobalRewrite => ({
  name: `byOp(${local.name})`,
  apply: (graph) =>
    void visitAll(
      graph,
      local,
      ops.flatMap((op) => [...graph.nodesOf(op)]),
    ),
});

/** The first of several local rewrites that changes a node: `group("both", [one, other])`. */
export function group(name: string, members: readonly LocalRewrite[]): LocalRewrite {
  const isAny = members.some(({ tracks }) => tracks === null);
  return {
    name,
    tracks: isAny ? null : [...new Set(members.flatMap(({ tracks }) => tracks ?? []))],
    apply(node, context) {
      for (const member of members) {
        const change = isTracked(member, node) ? member.apply(node, context) : null;
        if (change !== null && change !== node) return change;
      }
      return null;
    },
  };
}

/**
 * Again and again, until nothing changes; a run that does not end is an error after `maxPasses`:
 * `fixpoint([inToOut(rule)]).apply(graph)`.
 */
export function fixpoint(rewrites: readonly GlobalRewrite[], maxPasses: number = 1000): GlobalRewrite {
  const name = `fixpoint(${rewrites.map((rewrite) => rewrite.name).join(", ")})`;
  return {
    name,
    apply(graph) {
      for (let pass = 0; pass < maxPasses; pass++) {
        const before = graph.outputs;
        for (const rewrite of rewrites) rewrite.apply(graph);
        if (before.every((output, i) => output === graph.outputs[i])) return;
      }
      throw new RuleGrowthError({
        what: `${name} still changes the graph after ${maxPasses} passes`,
        cure: "Two rewrites undo each other, or one has no end",
        rules: rewrites.map((rewrite) => rewrite.name),
      });
    },
  };
}

const isTracked = ({ tracks }: LocalRewrite, node: Expr): boolean =>
  tracks === null || tracks.includes(node.op);

/** What the nodes of an old order have become is followed, so one order serves for a whole walk. */
function visitAll(graph: FunctionGraph, local: LocalRewrite, order: readonly Expr[]): void {
  const context: RuleContext = { clients: (node) => clientsOf(graph, node) };
  for (const old of order) {
    const node = graph.current(old);
    if (isTracked(local, node) && graph.has(node)) visit(graph, local, node, context);
  }
}

/**
 * Inputs first, the replacements of a whole walk are made at once. Up to the first node for which the rewrite wants to
 * replace others: the answer is that node's place.
 */
function sweep(graph: FunctionGraph, local: LocalRewrite, order: readonly Expr[]): number {
  const replaced = new Map<Expr, Expr>();
  const now = new Map<Expr, Expr>();
  const origins = new Map<Expr, Expr>();
  const context: RuleContext = { clients: (node) => clientsOf(graph, origins.get(node) ?? node) };
  let at = 0;
  for (; at < order.length; at++) {
    const node = order[at]!;
    const rebuilt = rebuildOver(node, now);
    origins.set(rebuilt, node);
    const change = isTracked(local, rebuilt) ? applyFor(local, rebuilt, context) : null;
    if (change !== null && "replace" in change) break;
    if (change !== null && change !== rebuilt) replaced.set(node, change);
    now.set(node, change ?? rebuilt);
  }
  if (replaced.size > 0) graph.replaceAll(replaced, local.name);
  return at;
}

function rebuildOver({ op, inputs, attrs, site }: Expr, now: ReadonlyMap<Expr, Expr>): Expr {
  return makeExpr(
    op,
    inputs.map((input) => now.get(input) ?? input),
    attrs,
    site,
  );
}

/** A node that is not in the graph yet will have one. */
const clientsOf = (graph: FunctionGraph, node: Expr): number =>
  Math.max(1, graph.clients(node).length + countOf(graph.outputs, node));

const countOf = (outputs: readonly Expr[], node: Expr): number =>
  outputs.filter((output) => output === node).length;

function visit(graph: FunctionGraph, local: LocalRewrite, node: Expr, context: RuleContext): void {
  const change = applyFor(local, node, context);
  if (change !== null && change !== node) graph.apply(asReplacements(node, change), local.name);
}

/** What is made on the way keeps the node's line. */
function applyFor(local: LocalRewrite, node: Expr, context: RuleContext): Expr | Replacements | null {
  const before = assumeReplaced(node);
  try {
    const change: unknown = local.apply(node, context);
    return change === null || isReplacements(change) ? change : checkGiven(local, node, change);
  } catch (error) {
    throw thrownBy(local, node, error);
  } finally {
    assumeReplaced(before);
  }
}

const isReplacements = (change: unknown): change is Replacements =>
  !(change instanceof Expr) && (change as Partial<Replacements> | undefined)?.replace instanceof Map;

const asReplacements = (node: Expr, change: Expr | Replacements): Replacements =>
  "replace" in change ? change : { replace: new Map([[node, change]]) };
