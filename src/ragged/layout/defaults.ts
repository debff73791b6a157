// Something in the place of nulls, where a format wants a value in every row. In: an option. Out: its rows with zeros,
// empty lists and empty strings where it is null.

import { allocate } from "../../core/dtype.ts";
import { numpyOf, type Plain, type PlainOption } from "./layout.ts";
import { mergeRows } from "./mergedLayouts.ts";
import { take } from "./rows.ts";

export function rowsWithDefaults({ index, content }: PlainOption): Plain {
  if (content.kind === "empty") return numpyOf(allocate("float64", index.length));
  if (index.every((at) => at >= 0)) return take(content, index);
  const last = content.length;
  const all = mergeRows([content, defaultRow(content)]);
  return take(
    all,
    index.map((at) => (at < 0 ? last : at)),
  );
}

/** One row of the same form. */
function defaultRow(node: Plain): Plain {
  switch (node.kind) {
    case "empty":
      return node;
    case "numpy":
      return { ...numpyOf(allocate(node.dtype, 1), node.dtype), parameters: node.parameters };
    case "string":
      return { ...node, offsets: new Int32Array(2), bytes: new Uint8Array(0), length: 1 };
    case "listOffset":
      return {
        ...node,
        offsets: new Int32Array(2),
        content: take(node.content, new Int32Array(0)),
        length: 1,
      };
    case "regular": {
      const row = defaultRow(node.content);
      return { ...node, content: take(row, new Int32Array(row.length === 0 ? 0 : node.size)), length: 1 };
    }
    case "record":
      return { ...node, contents: node.contents.map(defaultRow), length: 1 };
    case "indexedOption":
      return { ...node, index: Int32Array.of(-1), content: take(node.content, new Int32Array(0)), length: 1 };
    case "union":
      return {
        ...node,
        tags: new Int8Array(1),
        index: new Int32Array(1),
        contents: node.contents.map(defaultRow),
        length: 1,
      };
    default:
      node satisfies never;
      throw node;
  }
}
