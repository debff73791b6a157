// Layouts as one piece of bytes, for keeping and sending. In: a layout. Out: a header (the length of every node and of
// every buffer, in preorder, as float64) and the buffers behind it, each at a multiple of eight. Reading it back shares
// its memory. It is ours alone: what reads it trusts who wrote it.

import { infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import type { Layout, Plain } from "./layout.ts";
import { packed } from "./pack.ts";
import { plain } from "./plainLayout.ts";
import { plainForm } from "./probe.ts";
import { sliceRows } from "./rows.ts";

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

function buffersOf(node: Plain): readonly TypedArray[] {
  switch (node.kind) {
    case "numpy":
      return [node.data];
    case "string":
      return [node.offsets, node.bytes];
    case "listOffset":
      return [node.offsets];
    case "indexedOption":
      return [node.index];
    case "union":
      return [node.tags, node.index];
    default:
      return [];
  }
}

const childrenOf = (node: Plain): readonly Plain[] =>
  "contents" in node ? node.contents : "content" in node ? [node.content] : [];

function nodesOf(layout: Plain): Plain[] {
  const nodes: Plain[] = [];
  const visit = (node: Plain): void => {
    nodes.push(node);
    childrenOf(node).forEach(visit);
  };
  visit(layout);
  return nodes;
}

/** Bytes of all buffers of a layout, whether others share them or not. */
export const bytesOfLayout = (layout: Layout): number =>
  viewsOfLayout(layout).reduce((sum, { byteLength }) => sum + byteLength, 0);

/** All typed arrays that a layout is made of. */
export function viewsOfLayout(layout: Layout): TypedArray[] {
  const views: TypedArray[] = [];
  const visit = (node: object): void => {
    for (const value of Object.values(node)) {
      if (ArrayBuffer.isView(value)) views.push(value as TypedArray);
      else if (Array.isArray(value)) for (const child of value) if (isNode(child)) visit(child);
      if (isNode(value)) visit(value);
    }
  };
  visit(layout);
  return views;
}

/** What rows take: of lists, strings and options only what they show. */
export function bytesOfRows(node: Plain): number {
  switch (node.kind) {
    case "empty":
      return 0;
    case "numpy":
      return Math.max(node.data.byteLength, 8 * node.length);
    case "string":
      return 4 * node.length + (node.length === 0 ? 0 : node.offsets.at(-1)! - node.offsets[0]!);
    case "regular":
      return bytesOfRows(sliceRows(node.content, 0, node.length * node.size));
    case "listOffset": {
      const { offsets, content, length } = node;
      return 4 * length + bytesOfRows(sliceRows(content, offsets[0]!, offsets[length]!));
    }
    case "record":
      return node.contents.reduce((sum, content) => sum + bytesOfRows(sliceRows(content, 0, node.length)), 0);
    case "indexedOption":
      return node.length * (4 + bytesOfRow(node.content));
    case "union":
      return node.length * (5 + Math.max(0, ...node.contents.map(bytesOfRow)));
    default:
      node satisfies never;
      throw node;
  }
}

const bytesOfRow = (node: Plain): number => (node.length === 0 ? 0 : bytesOfRows(node) / node.length);

const isNode = (value: unknown): value is object =>
  typeof value === "object" && value !== null && "kind" in value;

export function packLayout(layout: Layout): Uint8Array {
  const nodes = nodesOf(packed(plain(layout)));
  const buffers = nodes.flatMap(buffersOf);
  const header = Float64Array.from([
    ...nodes.map(({ length }) => length),
    ...buffers.map(({ byteLength }) => byteLength),
  ]);
  const total = buffers.reduce((sum, { byteLength }) => sum + aligned(byteLength), header.byteLength);
  const bytes = new Uint8Array(total);
  bytes.set(new Uint8Array(header.buffer));
  let at = header.byteLength;
  for (const { buffer, byteOffset, byteLength } of buffers) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return bytes;
}

export function unpackLayout(bytes: Uint8Array, form: Form): Plain {
  return new Unpacker(bytes, plainForm(form)).layout();
}

/** How many nodes and buffers a plain form has. */
function countsOf(form: Form): { nodes: number; buffers: number } {
  const own = { numpy: 1, string: 2, listOffset: 1, indexedOption: 1, union: 2 }[form.kind as string] ?? 0;
  const children = "contents" in form ? form.contents : "content" in form ? [form.content] : [];
  return children
    .map(countsOf)
    .reduce((a, b) => ({ nodes: a.nodes + b.nodes, buffers: a.buffers + b.buffers }), {
      nodes: 1,
      buffers: own,
    });
}

class Unpacker {
  readonly #bytes: Uint8Array;
  readonly #form: Form;
  readonly #header: Float64Array;
  #node = 0;
  #buffer: number;
  #at: number;

  constructor(bytes: Uint8Array, form: Form) {
    const { nodes, buffers } = countsOf(form);
    this.#form = form;
    // Views need memory that is aligned.
    this.#bytes = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    this.#header = new Float64Array(this.#bytes.buffer, this.#bytes.byteOffset, nodes + buffers);
    this.#buffer = nodes;
    this.#at = this.#header.byteLength;
  }

  layout(): Plain {
    return this.#layout(this.#form);
  }

  #layout(form: Form): Plain {
    const { parameters } = form;
    const base = { parameters, length: this.#header[this.#node++]! };
    switch (form.kind) {
      case "empty":
        return { ...base, kind: "empty" };
      case "numpy": {
        const { dtype, innerShape } = form;
        return { ...base, kind: "numpy", dtype, innerShape, data: this.#next(infoOf(dtype).array) };
      }
      case "string": {
        const [offsets, data] = [this.#next(Int32Array), this.#next(Uint8Array)];
        return { ...base, kind: "string", encoding: form.encoding, offsets, bytes: data };
      }
      case "regular":
        return { ...base, kind: "regular", size: form.size, content: this.#layout(form.content) };
      case "listOffset": {
        const offsets = this.#next(Int32Array);
        return { ...base, kind: "listOffset", offsets, content: this.#layout(form.content) };
      }
      case "record": {
        const contents = form.contents.map((content) => this.#layout(content));
        return { ...base, kind: "record", fields: form.fields, contents };
      }
      case "indexedOption": {
        const index = this.#next(Int32Array);
        return { ...base, kind: "indexedOption", index, content: this.#layout(form.content) };
      }
      case "union": {
        const [tags, index] = [this.#next(Int8Array), this.#next(Int32Array)];
        return { ...base, kind: "union", tags, index, contents: form.contents.map((c) => this.#layout(c)) };
      }
      default:
        throw new InvariantError({ what: `${form.kind} is no form that is kept in bytes` });
    }
  }

  #next<T extends TypedArray>(ArrayOf: {
    new (buffer: ArrayBufferLike, at: number, length: number): T;
    readonly BYTES_PER_ELEMENT: number;
  }): T {
    const length = this.#header[this.#buffer++]!;
    const { buffer, byteOffset } = this.#bytes;
    const view = new ArrayOf(buffer, byteOffset + this.#at, length / ArrayOf.BYTES_PER_ELEMENT);
    this.#at += aligned(length);
    return view;
  }
}
