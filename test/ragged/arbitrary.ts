// Random nested data. In: what it may hold. Out: JavaScript lists of a known depth, and layouts that hold the same
// values in other ways than fromIter would choose.

import fc from "fast-check";
import {
  indexedOptionOf,
  type Layout,
  listOf,
  numpyOf,
  recordOf,
  unionOf,
} from "../../src/ragged/layout/layout.ts";

export type Nested =
  | number
  | boolean
  | string
  | null
  | readonly Nested[]
  | { readonly [name: string]: Nested };

export interface Choice {
  readonly depth: number;
  readonly leaf?: fc.Arbitrary<Nested>;
  readonly nullLeaves?: boolean;
  readonly nullLists?: boolean;
  readonly maxLength?: number;
}

export const wholeNumber: fc.Arbitrary<number> = fc.integer({ min: -9, max: 9 }).map((n) => n + 0);
export const halfNumber: fc.Arbitrary<number> = fc.integer({ min: -9, max: 9 }).map((n) => n / 2 + 0.25);
export const text: fc.Arbitrary<string> = fc.constantFrom("", "a", "b", "ab", "é", "日本");

const maybe = (value: fc.Arbitrary<Nested>, isNullable: boolean | undefined): fc.Arbitrary<Nested> =>
  isNullable === true ? fc.option(value, { nil: null, freq: 3 }) : value;

/** Rows of lists of lists …: `depth` axes in all. */
export function nested(choice: Choice): fc.Arbitrary<Nested[]> {
  const { depth, leaf = wholeNumber, maxLength = 4 } = choice;
  let value = maybe(leaf, choice.nullLeaves);
  for (let level = 1; level < depth; level++) value = maybe(fc.array(value, { maxLength }), choice.nullLists);
  return fc.array(value, { maxLength: maxLength + 1 });
}

/** Any rows: records, strings, several types. */
export const anything: fc.Arbitrary<Nested[]> = fc.array(
  fc.letrec<{ value: Nested }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      wholeNumber as fc.Arbitrary<Nested>,
      halfNumber as fc.Arbitrary<Nested>,
      fc.boolean() as fc.Arbitrary<Nested>,
      text as fc.Arbitrary<Nested>,
      fc.constant(null) as fc.Arbitrary<Nested>,
      fc.array(tie("value"), { maxLength: 3 }) as fc.Arbitrary<Nested>,
      fc.dictionary(fc.constantFrom("x", "y", "a field"), tie("value"), {
        maxKeys: 2,
      }) as fc.Arbitrary<Nested>,
    ),
  })).value,
  { maxLength: 6 },
);

/** The same values, held in another way: which ways is decided by `bits`, one after another. */
export function disguised(layout: Layout, bits: readonly number[]): Layout {
  let next = 0;
  const choose = (): number => bits[next++ % Math.max(1, bits.length)] ?? 0;
  const walk = (node: Layout): Layout => {
    const inner = withWalkedChildren(node, walk);
    const choice = choose() % 4;
    if (choice === 1) return reindexed(inner);
    if (choice === 2 && inner.kind === "indexedOption") return byteMasked(inner);
    if (choice === 3 && inner.kind === "indexedOption") return bitMasked(inner, choose() % 2 === 0);
    if (choice === 2 && inner.kind === "listOffset") return startsAndStops(inner);
    if (choice === 3 && inner.kind !== "indexedOption" && inner.kind !== "union")
      return { kind: "unmasked", content: inner, length: inner.length, parameters: {} };
    return inner;
  };
  return walk(layout);
}

function withWalkedChildren(node: Layout, walk: (node: Layout) => Layout): Layout {
  if (node.kind === "listOffset") return listOf(node.offsets, walk(node.content));
  if (node.kind === "record") return recordOf(node.fields, node.contents.map(walk), node.length);
  if (node.kind === "indexedOption") return indexedOptionOf(node.index, walk(node.content));
  if (node.kind === "union") return unionOf(node.tags, node.index, node.contents.map(walk));
  return node;
}

/** Rows backwards, and an index that turns them round again. */
function reindexed(node: Layout): Layout {
  if (node.kind !== "numpy" || node.innerShape.length > 0) return node;
  const data = node.data.slice().reverse() as typeof node.data;
  const index = Int32Array.from({ length: node.length }, (_, i) => node.length - 1 - i);
  return { kind: "indexed", index, content: numpyOf(data, node.dtype), length: node.length, parameters: {} };
}

/** Content in the order of the rows, with anything where there is a null. */
function spreadContent(node: Extract<Layout, { kind: "indexedOption" }>): Layout | null {
  if (node.content.kind !== "numpy" || node.content.length === 0) return null;
  const index = node.index.map((at) => Math.max(0, at));
  return { kind: "indexed", index, content: node.content, length: index.length, parameters: {} };
}

function byteMasked(node: Extract<Layout, { kind: "indexedOption" }>): Layout {
  const content = spreadContent(node);
  if (content === null) return node;
  const mask = Int8Array.from(node.index, (at) => (at < 0 ? 1 : 0));
  return { kind: "byteMasked", mask, validWhen: false, content, length: node.length, parameters: {} };
}

function bitMasked(node: Extract<Layout, { kind: "indexedOption" }>, lsbOrder: boolean): Layout {
  const content = spreadContent(node);
  if (content === null) return node;
  const mask = new Uint8Array(Math.ceil(node.length / 8));
  node.index.forEach((at, i) => {
    if (at >= 0) mask[i >> 3]! |= 1 << (lsbOrder ? i & 7 : 7 - (i & 7));
  });
  return { kind: "bitMasked", mask, validWhen: true, lsbOrder, content, length: node.length, parameters: {} };
}

function startsAndStops(node: Extract<Layout, { kind: "listOffset" }>): Layout {
  const starts = node.offsets.slice(0, -1);
  const stops = node.offsets.slice(1);
  return { kind: "list", starts, stops, content: node.content, length: node.length, parameters: {} };
}
