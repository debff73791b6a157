// What a whole computation needs of its sources. In: operations in an order in which inputs come first, and what is
// wanted of some of them. Out: for every operation what is needed of its result, how to compute that, and why.
// Must hold: what nobody wants is absent; nodes that nobody uses have no demand.

import { ABSENT, type Form, type Level, NEEDED, type Need } from "../../core/form/form.ts";
import type { RaggedOp } from "../ops/op.ts";
import { demandOfOp, type OpDemand, WHOLE } from "./needs.ts";
import { outlineOf } from "./outline.ts";
import { type Structures, structuresOf, takesOut } from "./structures.ts";

export interface DemandNode {
  /** Null for a source, and for a function of which nothing is known. */
  readonly op: RaggedOp<object> | null;
  readonly attrs: object;
  /** Numbers of nodes before this one. */
  readonly inputs: readonly number[];
  readonly form: Form;
  /** True for one value. */
  readonly isItem?: boolean;
}

/** Who needs a node of a form: another node, for a node of its own form (−1: for all of it). */
export interface Reason {
  readonly consumer: number;
  readonly at: number;
}

/** By node of a form; −1 where nobody else needs it. */
interface Reasons {
  readonly consumers: Int32Array;
  readonly places: Int32Array;
}

export interface GraphDemand {
  /** Together, of all that use it; all absent where nobody does. */
  readonly needs: readonly Need[];
  /** Null for sources, for functions of which nothing is known, and where nobody uses it. */
  readonly steps: readonly (OpDemand | null)[];
  readonly reasons: readonly Reasons[];
  /** Nodes whose demand could not be found: all of their inputs is needed. */
  readonly failures: ReadonlyMap<number, unknown>;
}

class Tally implements Reasons {
  readonly levels: Level[];
  readonly consumers: Int32Array;
  readonly places: Int32Array;

  constructor(form: Form) {
    const { length } = outlineOf(form).nodes;
    this.levels = new Array<Level>(length).fill(ABSENT);
    this.consumers = new Int32Array(length).fill(-1);
    this.places = new Int32Array(length).fill(-1);
  }

  add(need: Need, consumer: number, places: Int32Array | null): void {
    for (let at = 0; at < need.length; at++) {
      if (need[at]! <= this.levels[at]!) continue;
      this.levels[at] = need[at]!;
      this.consumers[at] = consumer;
      this.places[at] = places?.[at] ?? WHOLE;
    }
  }

  get isUsed(): boolean {
    return this.levels[0] !== ABSENT;
  }
}

const everyNode = (form: Form): Need => outlineOf(form).nodes.map((): Level => NEEDED);

/** Sinks: numbers of nodes, and what is wanted of them (all, unless said). */
export function demandOf(nodes: readonly DemandNode[], sinks: ReadonlyMap<number, Need | null>): GraphDemand {
  const tallies = nodes.map(({ form }) => new Tally(form));
  const steps: (OpDemand | null)[] = nodes.map(() => null);
  const failures = new Map<number, unknown>();
  for (const [sink, need] of sinks) tallies[sink]!.add(need ?? everyNode(nodes[sink]!.form), -1, null);
  // Only what is made of several arrays and may do without some of them asks for it.
  const isAsked = nodes.some(({ op, inputs }) => op?.demand.lesser !== undefined && inputs.length > 1);
  const structures = isAsked ? structuresIn(nodes) : nodes.map(() => UNKNOWN);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at]!;
    if (!tallies[at]!.isUsed) continue;
    const step = node.op === null ? null : stepOf(nodes, at, tallies[at]!.levels, { failures, structures });
    steps[at] = step;
    node.inputs.forEach((input, i) => {
      const need = step?.needs[i] ?? everyNode(nodes[input]!.form);
      tallies[input]!.add(need, at, step?.reasons[i] ?? null);
    });
  }
  return { needs: tallies.map(({ levels }) => levels), steps, reasons: tallies, failures };
}

const UNKNOWN: Structures = [];

/** Which lists and nulls are the same, as far as arrays are parts of one source. */
function structuresIn(nodes: readonly DemandNode[]): readonly Structures[] {
  const found: Structures[] = [];
  nodes.forEach(({ op, attrs, inputs, form }, at) => {
    if (op === null && inputs.length === 0)
      found.push(outlineOf(form).nodes.map((_, node) => `${at}.${node}`));
    else if (op === null || !takesOut(op, attrs)) found.push(UNKNOWN);
    else {
      const forms = inputs.map((input) => nodes[input]!.form);
      found.push(
        structuresOf(
          { op, attrs, inputs: forms },
          inputs.map((input) => found[input]!),
        ),
      );
    }
  });
  return found;
}

function stepOf(
  nodes: readonly DemandNode[],
  at: number,
  need: Need,
  { failures, structures: all }: { failures: Map<number, unknown>; structures: readonly Structures[] },
): OpDemand | null {
  const { op, attrs, inputs, form } = nodes[at]!;
  const forms = inputs.map((input) => nodes[input]!.form);
  const items = inputs.map((input) => nodes[input]!.isItem === true);
  try {
    const structures = inputs.map((input) => all[input]!);
    return demandOfOp({ op: op!, attrs, inputs: forms, form, items, structures }, need);
  } catch (error) {
    failures.set(at, error);
    return null;
  }
}

function reasonAt({ reasons }: GraphDemand, node: number, at: number): Reason | null {
  const consumer = reasons[node]!.consumers[at]!;
  return consumer < 0 ? null : { consumer, at: reasons[node]!.places[at]! };
}

/** From a node of a source's form: who needs it, who needs that, and so on to what is wanted by itself. */
export function reasonChain(demand: GraphDemand, node: number, at: number): readonly Reason[] {
  const chain: Reason[] = [];
  let reason = reasonAt(demand, node, at);
  while (reason !== null) {
    chain.push(reason);
    reason = reason.at < 0 ? null : reasonAt(demand, reason.consumer, reason.at);
  }
  return chain;
}

/** The first in the chain that looks at values instead of passing them on; the last where nobody does. */
export function reasonOf(
  nodes: readonly DemandNode[],
  demand: GraphDemand,
  node: number,
  at: number,
): Reason | null {
  const chain = reasonChain(demand, node, at);
  const passesOn = ({ consumer, at: to }: Reason): boolean =>
    to >= 0 && ["passed", "moved"].includes(nodes[consumer]!.op?.demand.roles[0] ?? "data");
  return chain.find((reason) => !passesOn(reason)) ?? chain.at(-1) ?? null;
}
