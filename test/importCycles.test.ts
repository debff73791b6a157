// Files that import each other, by value or by type, can only be understood together. In: the import statements of src.
// Out: none, but in the rooms that are listed, whose number of files in knots may only become smaller.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SOURCE = resolve(import.meta.dirname, "..", "src");

/** Files in knots, by room. */
const LEFT: { readonly [room: string]: number } = {};

type Graph = ReadonlyMap<string, readonly string[]>;

function imports(): Graph {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(SOURCE, file), "utf8");
      const targets = [...text.matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)].map(([, target]) => target!);
      return [file, targets.map((target) => relative(SOURCE, resolve(SOURCE, dirname(file), target)))];
    }),
  );
}

/** Tarjan's: groups of files of which each reaches all others. */
function knotsOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const knots: string[][] = [];
  const visit = (file: string): void => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== number) return;
    const knot = path.splice(path.indexOf(file));
    if (knot.length > 1) knots.push(knot.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return knots;
}

test("knots are found", () => {
  const graph: Graph = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["a"]],
    ["d", ["e"]],
    ["e", []],
  ]);
  expect(knotsOf(graph)).toEqual([["a", "b", "c"]]);
});

test("no files import each other but in rooms that are listed", () => {
  const knots = knotsOf(imports());
  const counts: { [room: string]: number } = {};
  for (const file of knots.flat()) {
    const room = file.split("/")[0]!;
    counts[room] = (counts[room] ?? 0) + 1;
  }
  expect(counts, knots.map((knot) => knot.join(" ")).join("\n")).toEqual(LEFT);
});
