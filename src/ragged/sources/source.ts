// Where rows of nested data lie, cut into partitions. In: which partition, and what of its form is needed. Out: a
// layout of the narrowed form, with as many rows as the partition has.
// Must hold: what is absent is not there; what is needed is read; what is only present has the right length (zeros,
// empty strings, empty lists, no nulls) and costs no reading. `location` says all that another thread needs to open it.

import { Resource } from "../../core/block.ts";
import { IndexError } from "../../core/errors.ts";
import { ABSENT, childrenOf, type Form, NEEDED, type Need, narrowed } from "../../core/form/form.ts";
import type { StopSignal } from "../../core/platform.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { Layout } from "../layout/layout.ts";

// A form's nodes by their numbers. In: a form. Out: its tree, where each node knows its place in preorder, which is its
// place in a `Need`. Must hold: a need is closed before it is looked at, so what is below a node that nobody needs is
// not needed either.

export interface Numbered {
  readonly form: Form;
  /** In preorder. */
  readonly at: number;
  readonly children: readonly Numbered[];
  /** The names of the fields on the way to it: "jets.pt"; "" at the top. */
  readonly path: string;
}

export function numbered(form: Form): Numbered {
  let count = 0;
  const visit = (node: Form, path: string): Numbered => {
    const at = count++;
    const children = childrenOf(node).map((child, i) => visit(child, pathOf(node, i, path)));
    return { form: node, at, children, path };
  };
  return visit(form, "");
}

function pathOf(node: Form, child: number, path: string): string {
  if (node.kind !== "record") return path;
  const name = node.fields?.[child] ?? String(child);
  return path === "" ? name : `${path}.${name}`;
}

/** All nodes, in preorder. */
export function flattened(node: Numbered): readonly Numbered[] {
  return [node, ...node.children.flatMap(flattened)];
}

/** The form of what is there of a node. */
export const formThere = ({ form, at }: Numbered, need: Need): Form => narrowed(form, need.slice(at));

/** Which children are there: all, but for the fields of records that nobody asks for. */
export const childrenThere = ({ form, children }: Numbered, need: Need): readonly Numbered[] =>
  form.kind === "record" ? children.filter(({ at }) => need[at] !== ABSENT) : children;

/** Needed nodes below which nothing is needed: where looking ends. Records hold nothing themselves. */
export function lowestNeeded(node: Numbered, need: Need): readonly Numbered[] {
  if (need[node.at] !== NEEDED) return [];
  const below = node.children.flatMap((child) => lowestNeeded(child, need));
  return below.length > 0 || node.form.kind === "record" ? below : [node];
}

/** What reading a node of the form takes. */
export interface NodeCost {
  /** The name of the column in the file, as "jets.pt"; null for a node that is no column. */
  readonly column: string | null;
  /** Stored bytes of all partitions; null where nobody knows. */
  readonly bytes: number | null;
}

export interface ReadSignal {
  readonly signal?: StopSignal | undefined;
}

export abstract class RaggedSource extends Resource {
  /** For people: a path, a pattern, a name. */
  abstract readonly name: string;
  abstract readonly form: Form;
  /** How many rows each partition has; null where that is known only after reading. */
  abstract readonly rows: readonly (number | null)[];
  abstract read(partition: number, need: Need, options?: ReadSignal): Layout | Promise<Layout>;
  /** About how many bytes of memory a read of this takes: decoded values, offsets and masks. */
  abstract bytesOf(partition: number, need: Need): number;
  /** For each node of the form in preorder. */
  abstract costs(): readonly NodeCost[];
  /** The nodes (preorder) whose stored bytes a read of this touches: needed leaves, and for needed lists and options without one the cheapest leaf below, or the list itself where it is kept by itself. */
  abstract touched(need: Need): readonly number[];
  /** Its bytes come over a network: several partitions are read while others are worked on. */
  get isFar(): boolean {
    return false;
  }
  /** null for what only this thread has. */
  abstract location(): TableLocation | null;
}

/** The number itself, or a typed error for one that the source does not have. */
export function checkedPartition({ name, rows }: RaggedSource, partition: number): number {
  if (Number.isInteger(partition) && partition >= 0 && partition < rows.length) return partition;
  throw new IndexError({ what: `there is no partition ${partition} of ${rows.length}`, where: name });
}
