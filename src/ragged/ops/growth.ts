// What an operation makes of its inputs, in bytes, before it is made. In: a record, and its inputs. Out: a count where the
// record has one, else what follows from how broadcasting goes: everything as often as there are elements in the deepest.

import type { Growth } from "../../expr/op.ts";
import { bytesOfRows } from "../layout/bytes.ts";
import type { Plain } from "../layout/layout.ts";
import { sliceRows } from "../layout/rows.ts";
import type { RaggedOp } from "./op.ts";

/** What it makes, and as much in between. */
const COPIES = 2;

/** `areItems`: single values, which go with every row. */
export function growthOf(
  record: RaggedOp<object>,
  inputs: readonly Plain[],
  areItems: readonly boolean[],
  attrs: object,
): Growth {
  const rows = Math.max(1, ...inputs.filter((_, i) => !areItems[i]).map(({ length }) => length));
  if (record.growth !== undefined) {
    const items = inputs.reduce((sum, input, i) => sum + (areItems[i] ? rows * bytesOfRows(input) : 0), 0);
    return { bytes: items + record.growth(inputs, attrs), isCounted: true };
  }
  const counts = inputs.map((input, i) => elementsOf(input) * (areItems[i] ? rows : 1));
  const most = Math.max(1, ...counts);
  const spread = inputs.reduce((sum, input, i) => {
    const bytes = bytesOfRows(input) * (areItems[i] ? rows : 1);
    return sum + bytes * Math.max(1, most / Math.max(1, counts[i]!));
  }, 0);
  return { bytes: COPIES * spread, isCounted: false };
}

/** Of the longest of its leaves, as far as rows show them. */
function elementsOf(node: Plain): number {
  switch (node.kind) {
    case "regular":
      return Math.max(node.length, elementsOf(sliceRows(node.content, 0, node.length * node.size)));
    case "listOffset": {
      const { offsets, content, length } = node;
      return Math.max(length, elementsOf(sliceRows(content, offsets[0]!, offsets[length]!)));
    }
    case "record":
      return Math.max(
        node.length,
        ...node.contents.map((content) => elementsOf(sliceRows(content, 0, node.length))),
      );
    case "indexedOption":
    case "union": {
      const below = node.kind === "union" ? node.contents : [node.content];
      const ratio = Math.max(1, ...below.map((content) => elementsOf(content) / Math.max(1, content.length)));
      return node.length * ratio;
    }
    default:
      return node.length;
  }
}
