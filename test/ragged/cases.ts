// Every operation with attributes that say something, and data of every type for it.

import fc from "fast-check";
import * as rg from "../../src/ragged/index.ts";
import { anything, disguised, halfNumber, nested, text, wholeNumber } from "./arbitrary.ts";

export type Case = readonly [op: rg.RaggedOp<object>, inputs: number, attrs: object];

const named = (name: string, inputs: number, ...attrs: object[]): Case[] =>
  (attrs.length === 0 ? [{}] : attrs).map((a) => [rg.raggedOpNamed(name), inputs, a] as const);
const axes = (...more: object[]): object[] =>
  [-2, -1, 0, 1, 2].flatMap((axis) => (more.length === 0 ? [{ axis }] : more.map((m) => ({ axis, ...m }))));

export const CASES: readonly Case[] = [
  ...Object.keys(rg.REDUCTIONS).flatMap((name) =>
    named(
      name,
      1,
      ...axes({}, { keepdims: true }),
      { axis: null },
      { axis: null, keepdims: true },
      { axis: 1, maskIdentity: true },
    ),
  ),
  ...["num", "localIndex", "sort", "argsort", "firsts", "singletons", "isNone"].flatMap((n) =>
    named(n, 1, ...axes()),
  ),
  ...["flatten", "dropNone", "fromRegular"].flatMap((name) => named(name, 1, ...axes(), { axis: null })),
  ...["ravel", "nanToNone", "toPacked", "runLengths", "zerosLike", "onesLike", "negative", "isnan"].flatMap(
    (n) => named(n, 1),
  ),
  ...named("fillNone", 1, ...axes({ value: 1.5 }, { value: "x" }), { value: true, axis: null }),
  ...named("padNone", 1, ...axes({ target: 2 }, { target: 2, clip: true })),
  ...named("unflatten", 1, ...axes({ counts: 1 })),
  ...named("unflatten", 2, ...axes()),
  ...named("valuesAstype", 1, { dtype: "float32" }, { dtype: "bool" }),
  ...named("fullLike", 1, { value: 3 }, { value: 3, dtype: "int16" }),
  ...named("field", 1, { path: ["x"] }, { path: ["x", "y"] }),
  ...named("fields", 1, { names: ["x"] }),
  ...named("withoutField", 1, { path: ["x"] }),
  ...named("withField", 1, { path: ["w"], value: 2 }),
  ...named("withField", 2, { path: ["w"] }, { path: ["x", "w"] }),
  ...["combinations", "argcombinations"].flatMap((n) =>
    named(n, 1, ...axes({ n: 2 }, { n: 3, replacement: true })),
  ),
  ...["cartesian", "argcartesian"].flatMap((n) => named(n, 2, ...axes({}, { nested: true }))),
  ...named("concatenate", 2, ...axes({}, { mergeBool: true })),
  ...named(
    "zip",
    2,
    { fields: null },
    { fields: ["a", "b"], depthLimit: 1 },
    { fields: ["a", "b"], depthLimit: 2 },
  ),
  ...named("broadcastArrays", 2, { which: 0 }, { which: 1, depthLimit: 2 }),
  ...["add", "equal", "less", "logicalAnd", "isclose", "divide"].flatMap((name) => named(name, 2)),
  ...["add", "equal", "greater"].flatMap((name) =>
    named(name, 1, { operands: [null, 2.5] }, { operands: ["a", null] }),
  ),
  ...named("mask", 2, {}, { validWhen: false }),
  ...named("where", 3),
  ...named("where", 2, { operands: [null, 1] }, { operands: ["a", null] }),
  ...named(
    "get",
    1,
    ...[
      [0],
      [-1],
      [0, 0],
      [rg.ALL, 0],
      [rg.range(1)],
      [rg.range(null, null, -2)],
      [rg.ALL, rg.range(0, 1)],
    ].map((items) => ({ items })),
    ...[
      [null],
      [rg.ALL, null],
      ["...", null],
      ["...", 0],
      [["places", 0, null]],
      [rg.ALL, ["places", 0, 0]],
    ].map((items) => ({ items })),
    ...[[["field", "x"], 0], [["fields", "x", "y"]], [["places"]], [0, "...", 0]].map((items) => ({ items })),
  ),
  ...named(
    "get",
    2,
    { items: [["array", 0]] },
    { items: [["array", 0], 0] },
    { items: [rg.ALL, ["array", 0]] },
  ),
];

const record = fc.record({ x: wholeNumber, y: fc.array(halfNumber, { maxLength: 2 }) });
const deepRecord = fc.record({ x: fc.record({ y: halfNumber, z: text }), y: wholeNumber });

const rows = (length: number): fc.Arbitrary<rg.Layout> =>
  fc
    .tuple(
      fc.oneof(
        anything,
        ...[wholeNumber, halfNumber, text, fc.boolean()].flatMap((leaf) =>
          [1, 2, 3].map((depth) => nested({ depth, leaf, nullLeaves: true, nullLists: true })),
        ),
        ...[1, 2, 3].flatMap((depth) =>
          [record, deepRecord].map((leaf) => nested({ depth, leaf, nullLeaves: depth === 2 })),
        ),
      ),
      fc.array(fc.nat(7), { minLength: 1, maxLength: 9 }),
    )
    .map(([x, bits]) =>
      disguised(rg.fromIter(Array.from({ length }, (_, i) => x[i % Math.max(1, x.length)] ?? null)), bits),
    );

export const inputs: fc.Arbitrary<readonly [rg.Layout, rg.Layout, rg.Layout]> = fc
  .integer({ min: 0, max: 4 })
  .chain((length) => fc.tuple(rows(length), rows(length), rows(length)));

/** Cases by the name of their operation. */
export const BY_NAME: ReadonlyMap<string, readonly Case[]> = grouped();

function grouped(): Map<string, Case[]> {
  const byName = new Map<string, Case[]>();
  for (const one of CASES) byName.set(one[0].name, [...(byName.get(one[0].name) ?? []), one]);
  return byName;
}
