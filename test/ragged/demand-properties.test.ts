// What is not needed does not matter: sources give zeros for it, or do not have it, and what is asked for is the same.
// Tried for every operation by itself, and for chains of operations.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Form } from "../../src/core/form/form.ts";
import { ABSENT, closed, type Level, type Need } from "../../src/core/form/form.ts";
import { outlineOf } from "../../src/ragged/demand/outline.ts";
import { ALL, fieldsOf, fromIter, type Layout, plainProbe, raggedOpNamed } from "../../src/ragged/index.ts";
import { disguised, halfNumber, text, wholeNumber } from "./arbitrary.ts";
import { BY_NAME, inputs } from "./cases.ts";
import { Graph, seen } from "./demandGraph.ts";

/** For hunting: more of everything. */
const TIMES = Number(process.env["DEMAND_TIMES"] ?? 1);

const levels = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 });

/** More often absent or needed than only there. */
function needFrom(form: Form, numbers: readonly number[]): Need {
  const levelOf = (n: number): Level => (n < 3 ? 0 : n === 3 ? 1 : 2);
  return closed(
    form,
    outlineOf(form).nodes.map((_, i) => levelOf(numbers[i % numbers.length]!)),
  );
}

/** True when something was left out or not read. */
function check(graph: Graph, need: Need | null): boolean {
  const sink = graph.nodes.length - 1;
  const demand = graph.demand(sink, need);
  expect([...demand.failures]).toEqual([]);
  const wanted = demand.needs[sink]!;
  const expected = seen(graph.whole()[sink]!, wanted);
  const found = seen(graph.narrowed(demand)[sink]!, wantedOf(wanted));
  expect(found, graph.text(demand)).toEqual(expected);
  return graph.nodes.some(
    (node, at) => node.inputs.length === 0 && demand.needs[at]!.some((level) => level < 2),
  );
}

/** The narrowed value has only what is there. */
const wantedOf = (need: Need): Need => need.filter((level) => level !== ABSENT);

function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

describe("one operation", () => {
  test.each([...BY_NAME])("%s", (_, cases) => {
    fc.assert(
      fc.property(fc.nat(cases.length - 1), inputs, levels, (which, layouts, numbers) => {
        const [op, count, attrs] = cases[which]!;
        const graph = new Graph();
        const given = layouts.slice(0, count).map((layout) => graph.source(layout));
        fc.pre(attempt(() => graph.add(op.name, given, attrs)) && attempt(() => graph.whole()));
        check(graph, needFrom(graph.nodes.at(-1)!.form, numbers));
      }),
      { numRuns: 25 * TIMES, maxSkipsPerRun: 500 },
    );
  });
});

const particle = fc.record({ x: halfNumber, y: wholeNumber, t: fc.array(wholeNumber, { maxLength: 2 }) });
const point = fc.record({ x: halfNumber, y: wholeNumber });
const event = fc.record({
  m: halfNumber,
  n: wholeNumber,
  o: fc.option(wholeNumber),
  s: text,
  p: fc.array(particle, { maxLength: 3 }),
  q: fc.array(point, { maxLength: 3 }),
  r: fc.array(fc.record({ x: halfNumber, y: fc.option(wholeNumber), d: point }), { maxLength: 2 }),
  g: fc.array(fc.array(halfNumber, { maxLength: 2 }), { maxLength: 2 }),
});
/** With one row of everything, so that all types are known; and then perhaps without rows. */
const full = { x: 0.5, y: 1, t: [1] };
const first = {
  ...{ m: 1.5, n: 1, o: null, s: "a", p: [full, full], q: [{ x: 2.5, y: 2 }], g: [[1.5], []] },
  r: [
    { x: 1.5, y: null, d: { x: 0.25, y: 3 } },
    { x: 1.5, y: 4, d: { x: 0.25, y: 3 } },
  ],
};
const events = fc
  .tuple(fc.array(event, { maxLength: 3 }), fc.array(fc.nat(7), { minLength: 1, maxLength: 9 }))
  .map(([rows, bits]) => disguised(fromIter([{ ...first, o: 2 }, first, ...rows]), bits));

type Step = readonly [name: string, inputs: number, attrs: object];
const STEPS: readonly Step[] = [
  ...(["num", "flatten", "firsts", "zerosLike", "isNone", "toPacked", "nanToNone"] as const).map(
    (name): Step => [name, 1, {}],
  ),
  ["localIndex", 1, { axis: 1 }],
  ...(["sum", "max", "count", "argmin"] as const).map((name): Step => [name, 1, { axis: -1 }]),
  ["sum", 1, { axis: 1 }],
  ["argmax", 1, { axis: 1, keepdims: true }],
  ["sort", 1, {}],
  ["argsort", 1, {}],
  ["padNone", 1, { target: 2 }],
  ["fillNone", 1, { value: 7 }],
  ["dropNone", 1, {}],
  ["singletons", 1, { axis: 1 }],
  ["withField", 1, { path: ["w"], value: 3 }],
  ["withField", 2, { path: ["w"] }],
  ["withField", 2, { path: ["x"] }],
  ["withField", 2, { path: ["d", "w"] }],
  ["withoutField", 1, { path: ["x"] }],
  ["withoutField", 1, { path: ["d", "x"] }],
  ["fields", 1, { names: ["x", "y"] }],
  ["fields", 1, { names: ["q", "m", "p"] }],
  ["zip", 2, { fields: ["a", "b"] }],
  ["zip", 3, { fields: ["x", "y", "z"] }],
  ["zip", 2, { fields: ["x", "y"], depthLimit: 1 }],
  ["zip", 2, { fields: null }],
  ["cartesian", 2, {}],
  ["cartesian", 2, { fields: ["x", "y"], nested: true }],
  ["argcartesian", 2, {}],
  ["combinations", 1, { n: 2 }],
  ["combinations", 1, { n: 2, fields: ["x", "y"] }],
  ["concatenate", 2, {}],
  ["concatenate", 2, { axis: 1 }],
  ["where", 3, {}],
  ["mask", 2, {}],
  ["add", 2, {}],
  ["add", 1, { operands: [null, 1] }],
  ["floorDivide", 2, {}],
  ["greater", 1, { operands: [null, 1] }],
  ["greater", 1, { operands: [null, 1] }],
  ["less", 2, {}],
  ["get", 2, { items: [["array", 0]] }],
  ["get", 2, { items: [["array", 0]] }],
  ["get", 2, { items: [["array", 0]] }],
  ["get", 1, { items: [["fields", "x", "y"]] }],
  ["get", 1, { items: [ALL, ["slice", null, 1, null]] }],
  ["get", 1, { items: [["slice", null, null, -1]] }],
  ["broadcastArrays", 2, { which: 0 }],
];

test("narrow: what was left out is not asked for, however rows are held", () => {
  fc.assert(
    fc.property(inputs, levels, levels, ([layout], left, wanted) => {
      const graph = new Graph();
      const source = graph.source(layout);
      const kept = needFrom(graph.nodes[source]!.form, left);
      graph.add("narrow", [source], { need: kept });
      const { steps, needs } = graph.demand(1, needFrom(graph.nodes[1]!.form, wanted));
      expect(steps[1]!.op).toBeNull();
      expect(needs[0]!.every((level, at) => level === ABSENT || kept[at] !== ABSENT)).toBe(true);
      check(graph, needFrom(graph.nodes[1]!.form, wanted));
    }),
    { numRuns: 100 * TIMES },
  );
});

const number = fc.nat(999);
const moves = fc.array(fc.tuple(number, number, number, number), { minLength: 3, maxLength: 14 });

/** The latest nodes are chosen more often, so that chains are long. */
const chosen = (count: number, n: number): number =>
  n % 3 === 0 ? n % count : count - 1 - (Math.floor(n / 3) % Math.min(count, 4));

function addStep(graph: Graph, [what, ...from]: readonly [number, ...number[]]): boolean {
  const places = from.map((n) => chosen(graph.nodes.length, n));
  const names = fieldsOf(plainProbe(graph.nodes[places[0]!]!.form));
  if (what % 2 === 0 && names.length > 0)
    return attempt(() => graph.field(places[0]!, names[Math.floor(what / 2) % names.length]!));
  const [name, count, attrs] = STEPS[Math.floor(what / 2) % STEPS.length]!;
  return attempt(() => graph.add(raggedOpNamed(name).name, places.slice(0, count), attrs));
}

/** One row that stands for many is for values alone: an array's rows are known to be as many as another's. */
function hasOddRows(graph: Graph, values: readonly Layout[]): boolean {
  const { inputs: from } = graph.nodes.at(-1)!;
  const lengths = from.filter((i) => graph.nodes[i]!.isItem !== true).map((i) => values[i]!.length);
  return new Set(lengths).size > 1 && graph.nodes.at(-1)!.op!.name !== "concatenate";
}

function grow(source: Layout, steps: readonly (readonly [number, ...number[]])[]): Graph {
  const graph = new Graph();
  graph.source(source);
  for (const step of steps) {
    const before = graph.nodes.length;
    if (!addStep(graph, step)) continue;
    const isFine = attempt(() => {
      if (hasOddRows(graph, graph.whole())) throw new Error("rows");
    });
    if (!isFine) graph.nodes.length = before;
  }
  return graph;
}

test("chains of operations", () => {
  let narrower = 0;
  let total = 0;
  fc.assert(
    fc.property(events, moves, fc.option(levels), (source, steps, numbers) => {
      const graph = grow(source, steps);
      fc.pre(graph.nodes.length > 2);
      const { form } = graph.nodes.at(-1)!;
      total++;
      if (check(graph, numbers === null ? null : needFrom(form, numbers))) narrower++;
    }),
    { numRuns: 150 * TIMES },
  );
  expect(narrower / total).toBeGreaterThan(0.8);
});
