// Groups: which elements belong together along an axis. In: lists, seen from an axis inward. Out: for every group its
// elements, in the order of the axis. Reducing and sorting along any axis is this: go inward, one level of lists at a
// time, and at the leaves there are groups of plain values.
// Must hold: elements of group g are order[offsets[g]] … order[offsets[g + 1] − 1]; without an order, those themselves.

import { offsetsOfCounts } from "../layout/indices.ts";

export interface Groups {
  readonly offsets: Int32Array;
  /** Rows of the node; null where groups lie one after another. */
  readonly order: Int32Array | null;
  /** Where along the axis each element is; null where that is its place in the group. */
  readonly positions: Int32Array | null;
}

export const groupsOfLists = (offsets: Int32Array): Groups => ({ offsets, order: null, positions: null });

/** All rows are one group. */
export const oneGroup = (length: number): Groups => groupsOfLists(Int32Array.of(0, length));

/** The groups without nulls, over the content of an option. */
export function withoutNulls({ offsets, order, positions }: Groups, index: Int32Array): Groups {
  const counts = new Int32Array(offsets.length - 1);
  const rows = new Int32Array(index.length);
  const places = new Int32Array(index.length);
  let at = 0;
  for (let g = 0; g < counts.length; g++) {
    const before = at;
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++) {
      const row = index[order === null ? q : order[q]!]!;
      if (row < 0) continue;
      rows[at] = row;
      places[at++] = positions === null ? q - offsets[g]! : positions[q]!;
    }
    counts[g] = at - before;
  }
  return { offsets: offsetsOfCounts(counts), order: rows.subarray(0, at), positions: places.subarray(0, at) };
}

export interface InnerGroups {
  /** Elements at the same place of lists of one group. */
  readonly groups: Groups;
  /** For every outer group, which inner groups are its: as many as its longest list has elements. */
  readonly columns: Int32Array;
}

/** One level inward: lists of a group are laid over each other, element by element. */
export function innerGroups(outer: Groups, lists: Int32Array, size: number | null): InnerGroups {
  const columns = columnsOf(outer, lists, size);
  const offsets = offsetsOfCounts(columnCounts(outer, lists, columns));
  return { groups: columnOrder(outer, lists, columns, offsets), columns };
}

function columnsOf({ offsets, order }: Groups, lists: Int32Array, size: number | null): Int32Array {
  const longest = new Int32Array(offsets.length - 1);
  for (let g = 0; g < longest.length; g++) {
    let most = size ?? 0;
    for (let q = offsets[g]!; size === null && q < offsets[g + 1]!; q++) {
      const row = order === null ? q : order[q]!;
      most = Math.max(most, lists[row + 1]! - lists[row]!);
    }
    longest[g] = most;
  }
  return offsetsOfCounts(longest);
}

/** How many lists reach each column. */
function columnCounts({ offsets, order }: Groups, lists: Int32Array, columns: Int32Array): Int32Array {
  const counts = new Int32Array(columns[columns.length - 1]!);
  for (let g = 0; g + 1 < offsets.length; g++) {
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++) {
      const row = order === null ? q : order[q]!;
      const stop = columns[g]! + lists[row + 1]! - lists[row]!;
      for (let inner = columns[g]!; inner < stop; inner++) counts[inner]!++;
    }
  }
  return counts;
}

/** The elements of each column, in the order of the lists. */
function columnOrder(outer: Groups, lists: Int32Array, columns: Int32Array, inner: Int32Array): Groups {
  const cursor = inner.slice();
  const order = new Int32Array(inner[inner.length - 1]!);
  const positions = new Int32Array(order.length);
  for (let g = 0; g + 1 < outer.offsets.length; g++) {
    const start = outer.offsets[g]!;
    for (let q = start; q < outer.offsets[g + 1]!; q++) {
      const row = outer.order === null ? q : outer.order[q]!;
      const position = outer.positions === null ? q - start : outer.positions[q]!;
      let column = columns[g]!;
      for (let element = lists[row]!; element < lists[row + 1]!; element++) {
        const at = cursor[column++]!++;
        order[at] = element;
        positions[at] = position;
      }
    }
  }
  return { offsets: inner, order, positions };
}
