// Necessary columns: sources are read no further than the results need. In: expressions. Out: expressions of the same
// values, in which sources are narrowed and what made unneeded fields is gone; and why every column is read.
// Equation: results(graph) = results(graph over sources narrowed by demand).

import type { Attrs } from "../../core/block.ts";
import { ChunkwiseError } from "../../core/errors.ts";
import {
  ABSENT,
  closed,
  everything,
  type Form,
  type Level,
  NEEDED,
  type Need,
  nodesOf,
  PRESENT,
} from "../../core/form/form.ts";
import { sameForm } from "../../core/form/formJson.ts";
import { type Expr, makeExpr, postOrder, withInputs } from "../../expr/expr.ts";
import { type RaggedOp as RaggedNode, raggedOf } from "../../expr/op.ts";
import { lineOf } from "../../expr/site.ts";
import { partitioned } from "../../ops/partitions.ts";
import type { GlobalContext, GlobalRewrite } from "../../rewrite/rule.ts";
import { type DemandNode, demandOf, type GraphDemand, narrow, relativeNeed } from "../demand/index.ts";
import { isStructureForm } from "../demand/outline.ts";
import { plainForm } from "../layout/probe.ts";
import type { RaggedOp } from "../ops/op.ts";
import { nodeOfRecord, Reading, recordOfNode } from "./placewise.ts";
import { RECORD_LIKE } from "./structure.ts";

/** The ragged part of a graph with what is needed of each node. */
export interface Projection {
  readonly exprs: readonly Expr[];
  readonly nodes: readonly DemandNode[];
  readonly demand: GraphDemand;
  /** Nodes of which nothing is known: all of their inputs is needed. By number, with the reason. */
  readonly failures: ReadonlyMap<number, unknown>;
  readonly numbers: ReadonlyMap<Expr, number>;
  readonly arguments: ReadonlyMap<number, readonly number[]>;
}

/** A function of partitions: what it does with lazy arrays in the place of its arguments, or why nobody knows. */
export interface TracedCall {
  readonly placeholders: readonly Expr[];
  readonly result: Expr | null;
  readonly failure: unknown;
}

const isRaggedNode = ({ type }: Expr): boolean => type.kind === "ragged";

const formOfNode = ({ type }: Expr): Form => raggedOf(type).form;

/** The record by which demand goes through a node; null for sources and for what nobody can look into. */
const recordFor = (node: Expr): RaggedOp<object> | null =>
  recordOfNode(node.op) ?? RECORD_LIKE.get(node.op) ?? null;

const tracedCallOf = ({ attrs }: Expr): TracedCall | null =>
  (attrs as { function?: { readonly traced?: TracedCall } }).function?.traced ?? null;

export function projectionOf(roots: readonly Expr[]): Projection {
  const all = postOrder(roots);
  const list = new NodeList();
  for (const node of all) if (isRaggedNode(node)) list.add(node);
  const sinks = new Map<number, Need | null>();
  for (const root of roots) if (isRaggedNode(root)) sinks.set(list.numbers.get(root)!, null);
  for (const node of all)
    if (!isRaggedNode(node))
      for (const input of node.inputs) if (isRaggedNode(input)) sinks.set(list.numbers.get(input)!, null);
  const { exprs, nodes, arguments: given, numbers } = list;
  const demand = demandWith(list, sinks);
  const failures = new Map([...demand.failures, ...list.opaque]);
  return { exprs, nodes, demand, failures, numbers, arguments: given };
}

/** What an argument is to the array that is given: the same. */
const ARGUMENT = narrow as object as RaggedOp<object>;

/** A function that is called runs as it is written, whatever of its steps is wanted: see `asWritten`. */
function demandWith({ nodes, inside }: NodeList, sinks: ReadonlyMap<number, Need | null>): GraphDemand {
  const demand = demandOf(nodes, sinks);
  const called = [...inside].filter(([at]) => demand.needs[at]![0] !== ABSENT);
  if (called.length === 0) return demand;
  const more = new Map(sinks);
  for (const [, steps] of called) for (const at of steps) more.set(at, asWritten(nodes[at]!));
  return demandOf(nodes, more);
}

/** All fields are there, and lists and nulls of what a step made are as they are; an argument's own may be empty. */
function asWritten({ form, op }: DemandNode): Need {
  const isArgument = op === ARGUMENT;
  const level = (node: Form): Level => (isArgument || !isStructureForm(node) ? PRESENT : NEEDED);
  return closed(form, nodesOf(form).map(level));
}

/** Nodes as demand sees them. Of a function that was traced it sees what the function does. */
class NodeList {
  readonly exprs: Expr[] = [];
  readonly nodes: DemandNode[] = [];
  readonly numbers = new Map<Expr, number>();
  /** For traced functions the nodes that stand for their arguments. */
  readonly arguments = new Map<number, readonly number[]>();
  /** And all nodes of what they do, arguments among them. */
  readonly inside = new Map<number, readonly number[]>();
  readonly opaque = new Map<number, unknown>();

  add(node: Expr): void {
    const inputs = node.inputs.filter(isRaggedNode).map((input) => this.numbers.get(input)!);
    const traced = tracedCallOf(node);
    if (traced?.result != null && this.#isAsTraced(traced, inputs))
      return this.#addTraced(node, traced.placeholders, traced.result, inputs);
    const isWhole = inputs.length === node.inputs.length && inputs.length > 0;
    const op = isWhole ? recordFor(node) : null;
    const at = this.#push(node, op, inputs, this.numbers);
    if (op === null && inputs.length > 0 && isFunction(node) && traced?.result == null)
      this.opaque.set(at, traced?.failure ?? "nobody can look into it");
  }

  /** False where its arguments were narrowed already: they have what it needs, and nothing else. */
  #isAsTraced({ placeholders }: TracedCall, inputs: readonly number[]): boolean {
    return placeholders.every((place, k) =>
      sameForm(plainForm(this.nodes[inputs[k]!]!.form), formOfNode(place)),
    );
  }

  #push(
    node: Expr,
    op: RaggedOp<object> | null,
    inputs: readonly number[],
    numbers: Map<Expr, number>,
  ): number {
    const { form, isItem } = raggedOf(node.type);
    this.exprs.push(node);
    const at = this.nodes.push({ op, attrs: node.attrs, inputs, form, isItem }) - 1;
    numbers.set(node, at);
    return at;
  }

  /** Its arguments, what it does with them, and itself: it computes all of its result. */
  #addTraced(node: Expr, placeholders: readonly Expr[], result: Expr, inputs: readonly number[]): void {
    const inside = new Map<Expr, number>();
    const given = placeholders.map((place, k) => {
      const at = this.#push(place, ARGUMENT, [inputs[k]!], inside);
      this.nodes[at] = { ...this.nodes[at]!, attrs: { need: everything(this.nodes[inputs[k]!]!.form) } };
      return at;
    });
    for (const part of postOrder([result], (input) => inside.has(input)))
      if (!inside.has(part))
        this.#push(
          part,
          part.inputs.length === 0 ? null : recordFor(part),
          part.inputs.map((input) => inside.get(input)!),
          inside,
        );
    const at = this.#push(node, null, [inside.get(result)!], this.numbers);
    this.arguments.set(at, given);
    this.inside.set(at, [...inside.values()]);
  }
}

/** Somebody's own: what writes files looks at everything, and that is no failure. */
const isFunction = ({ attrs }: Expr): boolean => "function" in attrs;

/** A rebuilt node, and what of the whole node's form it has. */
interface Built {
  readonly expr: Expr;
  readonly given: Need;
}

/** The roots over narrowed sources. */
export function projected(roots: readonly Expr[], projection: Projection): Expr[] {
  const { numbers, demand } = projection;
  const built = new Map<Expr, Built>();
  for (const node of postOrder(roots)) {
    const at = numbers.get(node);
    if (at === undefined) {
      const inputs = node.inputs.map((input) => whole(input, built));
      built.set(node, { expr: same(inputs, node.inputs) ? node : withInputs(node, inputs), given: [] });
    } else if (demand.needs[at]![0] !== ABSENT) built.set(node, rebuilt(node, at, projection, built));
  }
  return roots.map((root) => whole(root, built));
}

const same = (a: readonly Expr[], b: readonly Expr[]): boolean => a.every((item, i) => item === b[i]);

/** With all that it had. */
function whole(node: Expr, built: ReadonlyMap<Expr, Built>): Expr {
  const found = built.get(node)!;
  return isRaggedNode(node) ? narrowTo(found, everything(formOfNode(node))) : found.expr;
}

function rebuilt(
  node: Expr,
  at: number,
  { demand, arguments: given }: Projection,
  built: ReadonlyMap<Expr, Built>,
): Built {
  if (node.inputs.length === 0) return narrowedSource(node, demand.needs[at]!);
  const step = demand.steps[at];
  if (step == null) {
    const places = given.get(at);
    const inputs = node.inputs.map((input, k) =>
      !isRaggedNode(input)
        ? built.get(input)!.expr
        : narrowTo(
            built.get(input)!,
            demand.steps[places?.[k] ?? -1]?.needs[0] ?? everything(formOfNode(input)),
          ),
    );
    return { expr: withInputs(node, inputs), given: everything(formOfNode(node)) };
  }
  if (recordOfNode(node.op) === (narrow as object))
    return narrowedAgain(node, built.get(node.inputs[0]!)!, step.needs[0]!);
  const inputs = step.inputs.map((k) => narrowTo(built.get(node.inputs[k]!)!, step.needs[k]!));
  if (step.op === null) return { expr: inputs[0]!, given: step.given };
  const expr =
    step.attrs === node.attrs && inputs.length === node.inputs.length
      ? withInputs(node, inputs)
      : makeExpr(node.op, inputs, step.attrs as Attrs, node.site);
  return { expr, given: step.given };
}

/** Others may need what it leaves out: that goes in any case, with what nobody needs of the rest. */
function narrowedAgain(node: Expr, input: Built, need: Need): Built {
  const left = node.attrs["need"] as unknown as Need;
  const least = left.map((level, i) => (level === ABSENT ? ABSENT : need[i]!));
  const given = least.filter((_, i) => left[i] !== ABSENT);
  const form = formOfNode(node);
  // Made plain, it may have fewer nodes than it left.
  return given.length === everything(form).length
    ? { expr: narrowTo(input, least), given }
    : { expr: narrowTo(input, left), given: everything(form) };
}

/** Without what a consumer does not look at. */
function narrowTo({ expr, given }: Built, need: Need): Expr {
  const relative = relativeNeed(given, need);
  if (!relative.includes(ABSENT)) return expr;
  return makeExpr(nodeOfRecord(narrow) as RaggedNode, [expr], { need: relative }, expr.site);
}

function narrowedSource(node: Expr, need: Need): Built {
  const reading = node.attrs["data"];
  if (!(reading instanceof Reading)) return { expr: node, given: everything(formOfNode(node)) };
  const least = Reading.of(reading.source, within(reading.need, need));
  return { expr: makeExpr(partitioned, [], { data: least }, node.site), given: need };
}

/** A need of what was narrowed already, as one of the whole. */
function within(before: Need, need: Need): Need {
  let at = 0;
  return before.map((level) => (level === ABSENT ? ABSENT : (Math.min(level, need[at++]!) as Level)));
}

// Necessary columns: the pass that narrows the sources of ragged arrays to what results need.
// Equation: results(graph) = results(graph over sources narrowed by demand).
// In: a graph, and what to do where nobody can say what an operation needs. Out: the graph with narrower sources.

/** An operation of which nobody can say what it needs. */
export interface ProjectionFailure {
  readonly op: string;
  readonly line: string | null;
  readonly reason: string;
}

/** A computation's columns could not be found out, and `onFail` says "raise". */
export class ProjectionError extends ChunkwiseError {}

const reasonText = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);

export function failuresOf({ exprs, failures }: Projection): ProjectionFailure[] {
  return [...failures].map(([at, failure]) => {
    const { op, site } = exprs[at]!;
    return { op: op.name, line: lineOf(site) ?? null, reason: reasonText(failure) };
  });
}

export function tell(projection: Projection, { onFail = "warn", told }: GlobalContext): void {
  if (onFail === "pass") return;
  for (const { op, line, reason } of failuresOf(projection)) {
    const where = `${op}${line === null ? "" : ` at ${line}`}`;
    const what = `nobody can say which columns it needs: ${reason}`;
    if (onFail === "raise")
      throw new ProjectionError({
        where,
        what,
        cure: 'Use onFail: "warn" to read all columns of its arguments',
      });
    if (!told.has(where)) console.warn(`chunkwise: ${where}: ${what}; all columns of its arguments are read`);
    told.add(where);
  }
}

/** Narrows the sources of ragged arrays. */
export const necessaryColumnsPass: GlobalRewrite = {
  name: "necessaryColumns",
  kind: "ragged",
  apply(graph, context = { onFail: undefined, told: new Set() }) {
    const roots = graph.outputs;
    const projection = projectionOf(roots);
    tell(projection, context);
    const least = projected(roots, projection);
    const changed = roots.flatMap((root, i): [Expr, Expr][] =>
      root === least[i] ? [] : [[root, least[i]!]],
    );
    if (changed.length > 0) graph.replaceAll(new Map(changed), "necessaryColumns");
  },
};
