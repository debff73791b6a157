// Is a layout what it says it is? In: a layout from outside (buffers, a file, another program). Out: nothing, or a
// typed error that names the path to the first node that is wrong. Kernels read without looking afterwards.

import { sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { ChunkwiseError, type ErrorParts } from "../../core/errors.ts";
import type { Layout } from "./layout.ts";

/** A layout whose parts contradict each other; `path` says which node. */
export class LayoutError extends ChunkwiseError {
  readonly path: string;

  constructor(parts: ErrorParts & { path: string }) {
    super({ ...parts, where: parts.where ?? parts.path });
    this.path = parts.path;
  }
}

export function validate(layout: Layout, path = "layout"): void {
  const wrong = problemOf(layout);
  if (wrong !== null)
    throw new LayoutError({ path, what: wrong, cure: "Check the buffers that it was made of" });
  if ("content" in layout) validate(layout.content, `${path}.content`);
  if (!("contents" in layout)) return;
  const names = layout.kind === "record" ? layout.fields : null;
  layout.contents.forEach((content, i) => {
    validate(content, names === null ? `${path}.contents[${i}]` : `${path}.${names[i]}`);
  });
}

function problemOf(layout: Layout): string | null {
  if (!Number.isSafeInteger(layout.length) || layout.length < 0) return `the length is ${layout.length}`;
  switch (layout.kind) {
    case "empty":
      return layout.length === 0 ? null : `an empty layout has length ${layout.length}`;
    case "numpy":
      return needs(
        "data",
        layout.data.length,
        layout.length * sizeOf(layout.innerShape) * infoOf(layout.dtype).slots,
      );
    case "string":
      return offsetsProblem(layout.offsets, layout.length, layout.bytes.length);
    case "listOffset":
      return offsetsProblem(layout.offsets, layout.length, layout.content.length);
    case "regular":
      return needs("content", layout.content.length, layout.length * layout.size);
    case "list":
      return startsProblem(layout.starts, layout.stops, layout.length, layout.content.length);
    case "record":
      return recordProblem(layout);
    case "indexed":
      return indexProblem(layout.index, layout.length, layout.content.length, 0);
    case "indexedOption":
      return indexProblem(layout.index, layout.length, layout.content.length, -Infinity);
    case "byteMasked":
      return (
        needs("mask", layout.mask.length, layout.length) ??
        needs("content", layout.content.length, layout.length)
      );
    case "bitMasked":
      return (
        needs("mask", 8 * layout.mask.length, layout.length) ??
        needs("content", layout.content.length, layout.length)
      );
    case "unmasked":
      return needs("content", layout.content.length, layout.length);
    case "union":
      return unionProblem(layout);
    default:
      layout satisfies never;
      return null;
  }
}

const needs = (what: string, has: number, needed: number): string | null =>
  has >= needed ? null : `the ${what} has ${has} elements and ${needed} are needed`;

function offsetsProblem(offsets: Int32Array, length: number, content: number): string | null {
  if (offsets.length !== length + 1) return `${offsets.length} offsets for ${length} lists`;
  if (offsets[0]! < 0) return `the first offset is ${offsets[0]}`;
  for (let i = 1; i < offsets.length; i++)
    if (offsets[i]! < offsets[i - 1]!) return `offset ${i} is ${offsets[i]} after ${offsets[i - 1]}`;
  const last = offsets[length]!;
  return last <= content ? null : `the last offset is ${last} and the content has ${content} elements`;
}

function startsProblem(
  starts: Int32Array,
  stops: Int32Array,
  length: number,
  content: number,
): string | null {
  if (starts.length < length || stops.length < length)
    return `${starts.length} starts and ${stops.length} stops for ${length} lists`;
  for (let i = 0; i < length; i++) {
    const start = starts[i]!;
    const stop = stops[i]!;
    // An empty list may begin anywhere.
    if (start === stop && start >= 0) continue;
    if (start < 0 || stop < start || stop > content)
      return `list ${i} goes from ${start} to ${stop} and the content has ${content} elements`;
  }
  return null;
}

function recordProblem({ fields, contents, length }: Extract<Layout, { kind: "record" }>): string | null {
  if (fields !== null && (fields.length !== contents.length || new Set(fields).size !== fields.length))
    return `${fields.length} field names (${new Set(fields).size} different) for ${contents.length} contents`;
  const short = contents.findIndex((content) => content.length < length);
  if (short < 0) return null;
  return `field ${fields?.[short] ?? short} has ${contents[short]!.length} elements and the record ${length}`;
}

function indexProblem(index: Int32Array, length: number, content: number, least: number): string | null {
  if (index.length < length) return `${index.length} indexes for ${length} elements`;
  for (let i = 0; i < length; i++)
    if (index[i]! < least || index[i]! >= content)
      return `index ${i} is ${index[i]} and the content has ${content} elements`;
  return null;
}

function unionProblem({ tags, index, contents, length }: Extract<Layout, { kind: "union" }>): string | null {
  if (tags.length < length || index.length < length)
    return `${tags.length} tags and ${index.length} indexes for ${length} elements`;
  for (let i = 0; i < length; i++) {
    const content = contents[tags[i]!];
    if (content === undefined) return `tag ${i} is ${tags[i]} and there are ${contents.length} contents`;
    if (index[i]! < 0 || index[i]! >= content.length)
      return `index ${i} is ${index[i]} and content ${tags[i]} has ${content.length} elements`;
  }
  return null;
}
