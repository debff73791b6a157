// Lists of either kind, seen as offsets over a content that begins with the first list and ends with the last.
// In: a list node. Out: offsets from 0 on, and exactly the content they name.

import { fromZero, regularOffsets } from "./indices.ts";
import type { Plain, PlainList } from "./layout.ts";
import { sliceRows } from "./rows.ts";

export interface ListView {
  readonly offsets: Int32Array;
  readonly content: Plain;
}

export function viewOf(list: PlainList): ListView {
  if (list.kind === "regular") {
    const total = list.length * list.size;
    return { offsets: regularOffsets(list.length, list.size), content: sliceRows(list.content, 0, total) };
  }
  const { offsets, content } = list;
  const last = offsets[offsets.length - 1]!;
  return { offsets: fromZero(offsets), content: sliceRows(content, offsets[0]!, last) };
}

/** The same lists with the content that `viewOf` shows replaced by one as long; regular lists stay regular. */
export function overContent(list: PlainList, { offsets }: ListView, content: Plain): PlainList {
  if (list.kind === "regular") return { ...list, content };
  return { ...list, offsets, content };
}
