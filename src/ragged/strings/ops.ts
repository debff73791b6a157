// Functions of texts as records of the ragged op table: each of one name, "str." before it. In: arrays of texts of any structure, nulls
// anywhere. Out: the same structure with what each text becomes; null stays null.

import { DTypeError, ValueError } from "../../core/errors.ts";
import { withLogical } from "../../core/form/logical.ts";
import { COMPUTED, DATA, type Roles } from "../demand/outline.ts";
import { drawnBelow, ranksOfValid } from "../layout/indices.ts";
import {
  indexedOptionOf,
  isList,
  listOf,
  type Plain,
  type PlainList,
  type StringLayout,
} from "../layout/layout.ts";
import { take, viewOf } from "../layout/rows.ts";
import { mapLeaves, throughNode } from "../ops/axis.ts";
import { always, broadcast } from "../ops/broadcast.ts";
import { type RaggedOp, raggedOp } from "../ops/op.ts";
import { stringsOf } from "../ops/strings.ts";
import { CASES, changed, reversed } from "./changes.ts";
import { holds, PREDICATES } from "./predicates.ts";
import * as search from "./search.ts";
import * as parts from "./textParts.ts";
import * as sets from "./textSets.ts";

/** Texts of a leaf; an error for numbers. */
function textsOf(leaf: Plain): StringLayout {
  if (leaf.kind === "string") return leaf;
  if (leaf.kind === "empty") return stringsOf([]);
  throw new DTypeError({
    what: `there are ${leaf.kind === "numpy" ? leaf.dtype : leaf.kind} values among the texts`,
    cure: 'Take fields that hold texts, or use valuesAstype(x, "string")',
  });
}

type TextOp<A extends object> = RaggedOp<A>;

/** `roles`: DATA where lists or nulls of the result are made of the texts. */
const ofTexts = <A extends object>(
  name: string,
  kernel: (texts: StringLayout, attrs: A) => Plain,
  roles: Roles = COMPUTED,
): TextOp<A> =>
  raggedOp(`str.${name}`, always, roles, ([input], attrs) =>
    mapLeaves(input!, (leaf) => kernel(textsOf(leaf), attrs)),
  );

const named = <V, A extends object>(
  table: { readonly [name: string]: V },
  kernel: (texts: StringLayout, entry: V) => Plain,
): TextOp<A>[] =>
  Object.entries(table).map(([name, entry]) => ofTexts(name, (texts) => kernel(texts, entry)));

interface SideAttrs {
  readonly side: parts.Side;
  readonly characters: string | null;
}
interface PadAttrs {
  readonly width: number;
  readonly side: parts.Side;
  readonly padding: string;
}
interface SliceAttrs {
  readonly start: number;
  readonly stop: number;
  readonly by: string;
}
interface SetAttrs {
  readonly set: readonly string[];
}
type SplitAttrs = search.Pattern & search.Splitting;

const ofOne = [
  ...named(PREDICATES, holds),
  ...named(CASES, changed),
  ofTexts("reverse", reversed),
  ofTexts("length", parts.lengths),
  ofTexts("slice", (texts, attrs: parts.Range) => parts.sliced(texts, attrs)),
  ofTexts("replaceSlice", (texts, { start, stop, by }: SliceAttrs) =>
    parts.replacedSlice(texts, start, stop, by),
  ),
  ofTexts("trim", (texts, { side, characters }: SideAttrs) => parts.trimmed(texts, side, characters)),
  ofTexts("pad", (texts, { width, side, padding }: PadAttrs) => parts.padded(texts, width, side, padding)),
  ofTexts("matchSubstring", search.contains),
  ofTexts("matchSubstringRegex", search.matches),
  ofTexts("matchLike", search.like),
  ofTexts("startsWith", (texts, by: search.Pattern) => search.startsOrEnds(texts, by, false)),
  ofTexts("endsWith", (texts, by: search.Pattern) => search.startsOrEnds(texts, by, true)),
  ofTexts("findSubstring", search.foundAt),
  ofTexts("findSubstringRegex", search.regexAt),
  ofTexts("countSubstring", search.counted),
  ofTexts("countSubstringRegex", search.regexCount),
  ofTexts("replaceSubstring", search.replaced),
  ofTexts("replaceSubstringRegex", search.regexReplaced),
  ofTexts("splitPattern", (texts, by: SplitAttrs) => search.splitAt(texts, by.pattern, by), DATA),
  ofTexts("splitPatternRegex", (texts, by: SplitAttrs) => search.splitRegex(texts, by, by), DATA),
  ofTexts("extractRegex", (texts, by: search.Pattern) => sets.extracted(texts, by), DATA),
  ofTexts("isIn", (texts, { set }: SetAttrs) => sets.isIn(texts, set)),
  ofTexts("indexIn", (texts, { set }: SetAttrs) => sets.indexIn(texts, set), DATA),
  ofTexts("toCategorical", (texts) => withLogical(texts, { kind: "categorical" })),
];

/** attrs.times, or how often each of them as a second input. */
const repeat: RaggedOp<{ readonly times?: number }> = raggedOp(
  "str.repeat",
  always,
  COMPUTED,
  (inputs, { times }) => {
    if (times !== undefined) return mapLeaves(inputs[0]!, (leaf) => parts.repeated(textsOf(leaf), [times]));
    return broadcast(inputs, ([texts, counts]) => {
      if (texts!.kind !== "string" && texts!.kind !== "empty") return null;
      if (counts!.kind !== "numpy" && counts!.kind !== "empty") return null;
      const numbers =
        counts!.kind === "numpy" ? Array.from(counts!.data as ArrayLike<number | bigint>, Number) : [];
      return drawnBelow(parts.repeated(textsOf(texts!), numbers), [texts!, counts!]);
    });
  },
);

/** attrs.texts: for each argument a text, or null for the next input; the last one stands between the others. */
const joinElementWise: RaggedOp<{ readonly texts: readonly (string | null)[] }> = raggedOp(
  "str.joinElementWise",
  always,
  COMPUTED,
  (inputs, { texts }) =>
    broadcast(inputs, (nodes) => {
      if (!nodes.every(({ kind }) => kind === "string" || kind === "empty")) return null;
      const rest = [...nodes];
      const columns = texts.map((text) => (text === null ? textsOf(rest.shift()!) : stringsOf([text])));
      return drawnBelow(sets.joinedRows(columns, nodes[0]!.length), nodes);
    }),
);

/** Inputs: lists of texts; attrs.separator, or what stands between those of each list as a second input. */
const join: RaggedOp<{ readonly separator?: string }> = raggedOp(
  "str.join",
  always,
  DATA,
  (inputs, { separator = "" }) => {
    if (inputs.length === 1) return joinedLists(inputs[0]!, stringsOf([separator]));
    return broadcast(inputs, ([lists, by]) =>
      isInnermost(lists!) && by!.kind === "string" ? joinedLists(lists!, by!) : null,
    );
  },
);

const isText = (node: Plain): boolean =>
  node.kind === "string" || node.kind === "empty" || (node.kind === "indexedOption" && isText(node.content));
const isInnermost = (node: Plain): boolean => isList(node) && isText(node.content);

/** The innermost lists, wherever they are. */
function joinedLists(node: Plain, by: StringLayout): Plain {
  if (isList(node) && isText(node.content)) return joinedList(node, by);
  if (isList(node)) {
    const { offsets, content } = viewOf(node);
    return listOf<Plain>(offsets, joinedLists(content, by));
  }
  return throughNode(
    node,
    (child) => joinedLists(child, by),
    () => {
      throw new ValueError({
        what: "there are no lists of texts",
        cure: "Use joinElementWise for texts of several arrays",
      });
    },
  );
}

/** A null among the texts makes the whole null. */
function joinedList(list: PlainList, by: StringLayout): Plain {
  const { offsets, content } = viewOf(list);
  if (content.kind !== "indexedOption")
    return sets.joined(listOf<Plain>(offsets, content), textsOf(content), by);
  const whole = Int32Array.from({ length: list.length }, (_, i) => i).map((i) =>
    content.index.subarray(offsets[i]!, offsets[i + 1]!).includes(-1) ? -1 : i,
  );
  const rows = whole.filter((row) => row >= 0);
  const kept = viewOf(take(listOf<Plain>(offsets, content), rows) as PlainList);
  const texts = kept.content as Extract<Plain, { kind: "indexedOption" }>;
  const own = by.length === 1 ? by : (take(by, rows) as StringLayout);
  const strings = textsOf(take(texts.content, texts.index));
  return indexedOptionOf<Plain>(
    ranksOfValid(whole),
    sets.joined(listOf<Plain>(kept.offsets, strings), strings, own),
  );
}

/** By their names without "str.". */
export const STRING_OPS: ReadonlyMap<string, RaggedOp<object>> = new Map(
  ([...ofOne, repeat, join, joinElementWise] as unknown as RaggedOp<object>[]).map((op) => [
    op.name.slice("str.".length),
    op,
  ]),
);
