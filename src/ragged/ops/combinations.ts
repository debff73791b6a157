// Combinations: n elements of every list, in the order they have there. In: an array, n and an axis. Out: lists of
// tuples (or records), (0, 1), (0, 2), … first; with replacement an element may come again.

import { ValueError } from "../../core/errors.ts";
import { MOVED, STRUCTURE } from "../demand/outline.ts";
import { bytesOfRows } from "../layout/bytes.ts";
import { checkLength, drawnFrom, int64Of, localPlaces, newIndex } from "../layout/indices.ts";
import { listOf, numpyOf, type Plain, type PlainList, recordOf } from "../layout/layout.ts";
import { take, viewOf } from "../layout/rows.ts";
import { atAxis, frontAxis } from "./axis.ts";
import { belowRows } from "./broadcast.ts";
import { type Item, type RaggedOp, raggedOp, unwrapRow } from "./op.ts";

export interface CombinationAttrs {
  readonly n: number;
  readonly replacement?: boolean;
  readonly axis?: number;
  readonly fields?: readonly string[] | null;
}

const choosing = (name: string, wantsPlaces: boolean): RaggedOp<CombinationAttrs> =>
  raggedOp(
    name,
    belowRows(1),
    wantsPlaces ? STRUCTURE : MOVED,
    ([input], attrs) => chosenAlong(input!, attrs, wantsPlaces),
    grown(wantsPlaces),
  );

function chosenAlong(input: Plain, attrs: CombinationAttrs, wantsPlaces: boolean): Plain | Item {
  const { n, axis = 1, fields = null } = attrs;
  if (!Number.isSafeInteger(n) || n < 1)
    throw new ValueError({ what: `n is ${n}`, cure: "Use a whole number of 1 or more" });
  if (fields !== null && (fields.length !== n || new Set(fields).size !== n))
    throw new ValueError({
      what: `${fields.length} names for ${n} elements`,
      cure: "Name every element once",
    });
  const choose = (list: PlainList): Plain => chosenOf(list, attrs, wantsPlaces);
  if (frontAxis(input, axis, 0) === 0)
    return unwrapRow(choose(listOf(Int32Array.of(0, input.length), input)));
  return atAxis(input, axis, { list: choose });
}

/** The elements of every list along the axis. */
function listsAlong(input: Plain, axis: number, look: (list: PlainList) => void): void {
  const seen = (list: PlainList): Plain => {
    look(list);
    return list;
  };
  if (frontAxis(input, axis, 0) === 0) seen(listOf(Int32Array.of(0, input.length), input));
  else atAxis(input, axis, { list: seen });
}

/** For each slot of each combination its place, and the element there. */
const grown =
  (wantsPlaces: boolean) =>
  ([input]: readonly Plain[], { n, replacement = false, axis = 1 }: CombinationAttrs): number => {
    let bytes = 0;
    listsAlong(input!, axis, (list) => {
      const { offsets, content } = viewOf(list);
      let total = 0;
      for (let i = 0; i < list.length; i++)
        total += combinationCount(offsets[i + 1]! - offsets[i]!, n, replacement);
      const element = wantsPlaces ? 8 : bytesOfRows(content) / Math.max(1, content.length);
      bytes += 8 * list.length + total * n * (4 + element);
    });
    return bytes;
  };

export const combinations: RaggedOp<CombinationAttrs> = choosing("combinations", false);
export const argcombinations: RaggedOp<CombinationAttrs> = choosing("argcombinations", true);

function chosenOf(
  list: PlainList,
  { n, replacement = false, fields = null }: CombinationAttrs,
  wantsPlaces: boolean,
): Plain {
  const view = viewOf(list);
  const offsets = combinationOffsets(view.offsets, n, replacement);
  const places =
    n === 2
      ? pairPlaces(view.offsets, offsets.at(-1)!, replacement)
      : combinationPlaces(view.offsets, offsets, n, replacement);
  const content = wantsPlaces ? drawnFrom(numpyOf(int64Of(localPlaces(view.offsets))), list) : view.content;
  const total = offsets[offsets.length - 1]!;
  return listOf(
    offsets,
    recordOf(
      fields,
      places.map((index) => take(content, index)),
      total,
    ),
  );
}

/** n of m; with replacement n of m + n − 1. */
function combinationCount(count: number, n: number, replacement: boolean): number {
  const from = replacement && count > 0 ? count + n - 1 : count;
  let ways = 1;
  for (let k = 1; k <= n; k++) ways = (ways * (from - n + k)) / k;
  return from < n ? 0 : Math.round(ways);
}

function combinationOffsets(lists: Int32Array, n: number, replacement: boolean): Int32Array {
  const offsets = new Int32Array(lists.length);
  let total = 0;
  for (let i = 0; i + 1 < lists.length; i++) {
    total += combinationCount(lists[i + 1]! - lists[i]!, n, replacement);
    offsets[i + 1] = checkLength(total, "the combinations");
  }
  return offsets;
}

/** The same for pairs, which most ask for. */
function pairPlaces(lists: Int32Array, total: number, replacement: boolean): Int32Array[] {
  const [first, second] = [newIndex(total), newIndex(total)];
  const apart = replacement ? 0 : 1;
  let at = 0;
  for (let i = 0; i + 1 < lists.length; i++) {
    const stop = lists[i + 1]!;
    for (let a = lists[i]!; a < stop; a++)
      for (let b = a + apart; b < stop; b++) {
        first[at] = a;
        second[at++] = b;
      }
  }
  return [first, second];
}

/** For each of the n slots the element in it. */
function combinationPlaces(
  lists: Int32Array,
  offsets: Int32Array,
  n: number,
  replacement: boolean,
): Int32Array[] {
  const places = Array.from({ length: n }, () => newIndex(offsets[offsets.length - 1]!));
  const slots = new Int32Array(n);
  for (let i = 0; i + 1 < lists.length; i++) {
    const stop = offsets[i + 1]!;
    for (let k = 0; k < n; k++) slots[k] = lists[i]! + (replacement ? 0 : k);
    for (let at = offsets[i]!; at < stop; at++) {
      for (let k = 0; k < n; k++) places[k]![at] = slots[k]!;
      advance(slots, lists[i + 1]!, replacement);
    }
  }
  return places;
}

/** The next combination: the last slot that can move moves, and those after it begin behind it. */
function advance(slots: Int32Array, end: number, replacement: boolean): void {
  const n = slots.length;
  let slot = n - 1;
  while (slot >= 0 && slots[slot]! >= (replacement ? end - 1 : end - n + slot)) slot--;
  if (slot < 0) return;
  let next = slots[slot]! + 1;
  for (let k = slot; k < n; k++) slots[k] = replacement ? next : next++;
}
