// Packing: the same values in the least memory. In: a plain layout, perhaps a view of a larger one. Out: lists from
// offset 0 on, nothing that nobody can see, every buffer of its own. For writing out and for keeping.

import { arange, compose, ranksOfValid, validOf } from "./indices.ts";
import type { Plain, PlainUnion } from "./layout.ts";
import { overContent, take, viewOf } from "./rows.ts";

export function packed(node: Plain): Plain {
  switch (node.kind) {
    case "empty":
      return node;
    case "numpy":
      return isWhole(node.data) ? node : { ...node, data: node.data.slice() };
    case "string": {
      const { bytes, offsets } = node;
      const isTight =
        offsets[0] === 0 && offsets[node.length] === bytes.length && isWhole(bytes) && isWhole(offsets);
      return isTight ? node : take(node, arange(node.length));
    }
    case "regular":
    case "listOffset": {
      const view = viewOf(node);
      const offsets = isWhole(view.offsets) ? view.offsets : view.offsets.slice();
      return overContent(node, { ...view, offsets }, packed(view.content));
    }
    case "record":
      return { ...node, contents: node.contents.map(packed) };
    case "indexedOption":
      return {
        ...node,
        index: ranksOfValid(node.index),
        content: packed(take(node.content, validOf(node.index))),
      };
    case "union":
      return packedUnion(node);
    default:
      node satisfies never;
      throw node;
  }
}

const isWhole = (data: ArrayBufferView): boolean => data.byteLength === data.buffer.byteLength;

function packedUnion(node: PlainUnion): Plain {
  const index = new Int32Array(node.length);
  const contents = node.contents.map((content, tag) => {
    const rows = rowsOfTag(node, tag);
    let at = 0;
    for (let i = 0; i < node.length; i++) if (node.tags[i] === tag) index[i] = at++;
    return packed(take(content, compose(node.index, rows)));
  });
  return { ...node, tags: node.tags.slice(), index, contents };
}

/** Which rows of a union have a tag. */
export function rowsOfTag({ tags, length }: PlainUnion, tag: number): Int32Array {
  let count = 0;
  for (let i = 0; i < length; i++) if (tags[i] === tag) count++;
  const rows = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < length; i++) if (tags[i] === tag) rows[at++] = i;
  return rows;
}
