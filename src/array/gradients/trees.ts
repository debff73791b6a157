// Arguments of functions that gradients are taken of: a lazy array, or lists and records of such. In: an argument. Out: its arrays in
// their order, and the same lists and records with other arrays in them.

import { describe } from "../../core/chunks.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";

/** A lazy array, or a list or a record of such: what weights of a network are held in. */
export type ArrayTree = LazyArray | readonly ArrayTree[] | { readonly [name: string]: ArrayTree };

export function leavesOf(tree: unknown, what: string): LazyArray[] {
  if (tree instanceof LazyArray) return [tree];
  if (Array.isArray(tree)) return tree.flatMap((item, i) => leavesOf(item, `${what}[${i}]`));
  if (isRecord(tree))
    return Object.entries(tree).flatMap(([name, item]) => leavesOf(item, `${what}.${name}`));
  throw new DTypeError({
    what: `${what} is ${describe(tree)}, not a lazy array`,
    cure: "Gradients are of lazy arrays, and of lists and records of such: wrap data in cw.asarray",
  });
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The tree with the arrays of a list in the places of its own. */
export function withLeaves(tree: unknown, leaves: readonly LazyArray[]): unknown {
  let at = 0;
  const replaced = (node: unknown): unknown => {
    if (node instanceof LazyArray) return leaves[at++]!;
    if (Array.isArray(node)) return node.map(replaced);
    return Object.fromEntries(Object.entries(node as object).map(([name, item]) => [name, replaced(item)]));
  };
  return replaced(tree);
}

/** Numbers of arguments, from the front or, below 0, from the end. */
export function checkArgnums(argnums: unknown, count: number): number[] {
  const list = Array.isArray(argnums) ? argnums : [argnums];
  return list.map((at: unknown) => {
    if (Number.isInteger(at) && (at as number) >= -count && (at as number) < count)
      return (at as number) < 0 ? (at as number) + count : (at as number);
    throw new ValueError({
      what: `argnums is ${describe(argnums)} and the function is given ${count} argument${count === 1 ? "" : "s"}`,
      cure: `Name arguments by numbers from ${-count} to ${count - 1}`,
    });
  });
}
