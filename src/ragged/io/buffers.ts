// Layouts ⇄ named buffers, by Awkward's convention: every node has a key (node0, node1, …), every buffer is called
// `key-role` (node0-offsets, node1-data). In: a form, a length and buffers from anywhere. Out: a valid layout, or a
// typed error that names the buffer. Must hold: nothing is allocated by what a buffer says; views share its memory.

import { isLength, sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { childrenOf, type Form, type IndexType, withKeys } from "../../core/form/form.ts";
import { indexOf } from "../layout/indices.ts";
import { formOf, type Layout } from "../layout/layout.ts";
import { LayoutError, validate } from "../layout/validate.ts";

export type BufferSource = ArrayBufferLike | ArrayBufferView;
/** Buffers by name, or a function that finds them. */
export type Container =
  | { readonly [name: string]: BufferSource }
  | ((name: string) => BufferSource | undefined);

/** A form, how many rows there are, and buffers by the names that the form's keys say. */
export interface Buffers {
  /** The type, with a key for each node. */
  readonly form: Form;
  /** How many rows there are. */
  readonly length: number;
  /** The buffers: "node0-offsets", "node1-data". */
  readonly container: { readonly [name: string]: TypedArray };
}

/** The form with keys, the length, and every buffer under its name. Nothing is copied. */
export function toBuffers(layout: Layout): Buffers {
  const form = withKeys(formOf(layout));
  const container: { [name: string]: TypedArray } = {};
  collect(layout, form, container);
  return { form, length: layout.length, container };
}

function collect(layout: Layout, form: Form, into: { [name: string]: TypedArray }): void {
  for (const [role, data] of Object.entries(buffersOf(layout))) into[`${form.key}-${role}`] = data;
  if (layout.kind === "string" && form.kind === "string") into[`${form.charKey}-data`] = layout.bytes;
  const children = "contents" in layout ? layout.contents : "content" in layout ? [layout.content] : [];
  childrenOf(form).forEach((child, i) => {
    collect(children[i]!, child, into);
  });
}

function buffersOf(layout: Layout): { readonly [role: string]: TypedArray } {
  switch (layout.kind) {
    case "numpy":
      return { data: layout.data };
    case "string":
    case "listOffset":
      return { offsets: layout.offsets };
    case "list":
      return { starts: layout.starts, stops: layout.stops };
    case "indexed":
    case "indexedOption":
      return { index: layout.index };
    case "byteMasked":
    case "bitMasked":
      return { mask: layout.mask };
    case "union":
      return { tags: layout.tags, index: layout.index };
    default:
      return {};
  }
}

const INDEX_DTYPES: { readonly [I in IndexType]: DType } = {
  i8: "int8",
  u8: "uint8",
  i32: "int32",
  u32: "uint32",
  i64: "int64",
};

/** A layout over buffers. Forms without keys have those of `withKeys`. */
export function fromBuffers(form: Form, length: number, container: Container): Layout {
  if (!isLength(length)) throw new LayoutError({ path: "fromBuffers", what: `the length is ${length}` });
  const reader = new BufferReader(container);
  const layout = reader.layout(form.key === null ? withKeys(form) : form, length);
  validate(layout);
  return layout;
}

type FormOf<K extends Form["kind"]> = Extract<Form, { kind: K }>;

class BufferReader {
  readonly #find: (name: string) => BufferSource | undefined;

  constructor(container: Container) {
    this.#find = typeof container === "function" ? container : (name) => container[name];
  }

  layout(form: Form, length: number): Layout {
    const { kind, parameters } = form;
    switch (kind) {
      case "empty":
        return { kind, parameters, length };
      case "numpy": {
        const { dtype, innerShape } = form;
        const data = this.#data(`${form.key}-data`, dtype, length * sizeOf(innerShape));
        return { kind, parameters, length, dtype, innerShape, data };
      }
      case "string":
      case "listOffset":
      case "list":
        return this.#lists(form, length);
      case "regular":
        return {
          kind,
          parameters,
          length,
          size: form.size,
          content: this.layout(form.content, length * form.size),
        };
      case "record": {
        const contents = form.contents.map((child) => this.layout(child, length));
        return { kind, parameters, length, fields: form.fields, contents };
      }
      case "indexed":
      case "indexedOption": {
        const index = this.#index(form.key, "index", form.index, length);
        return { kind, parameters, length, index, content: this.layout(form.content, greatest(index) + 1) };
      }
      case "byteMasked":
      case "bitMasked":
      case "unmasked":
        return this.#masked(form, length);
      case "union":
        return this.#union(form, length);
      default:
        form satisfies never;
        throw form;
    }
  }

  /** As much content as the lists reach. */
  #lists(form: FormOf<"string" | "listOffset" | "list">, length: number): Layout {
    const { parameters } = form;
    if (form.kind === "list") {
      const starts = this.#index(form.key, "starts", form.starts, length);
      const stops = this.#index(form.key, "stops", form.stops, length);
      const content = this.layout(form.content, reachOf(starts, stops));
      return { kind: "list", parameters, length, starts, stops, content };
    }
    const offsets = this.#index(form.key, "offsets", form.offsets, length + 1);
    const reach = Math.max(0, offsets[length]!);
    if (form.kind === "listOffset")
      return { kind: "listOffset", parameters, length, offsets, content: this.layout(form.content, reach) };
    const bytes = this.#data(`${form.charKey}-data`, "uint8", reach) as Uint8Array;
    return { kind: "string", parameters, length, encoding: form.encoding, offsets, bytes };
  }

  #masked(form: FormOf<"byteMasked" | "bitMasked" | "unmasked">, length: number): Layout {
    const { parameters } = form;
    const content = this.layout(form.content, length);
    if (form.kind === "unmasked") return { kind: "unmasked", parameters, length, content };
    const { validWhen } = form;
    if (form.kind === "byteMasked") {
      const mask = new Int8Array(this.#index(form.key, "mask", form.mask, length));
      return { kind: "byteMasked", parameters, length, mask, validWhen, content };
    }
    const mask = this.#data(`${form.key}-mask`, "uint8", Math.ceil(length / 8)) as Uint8Array;
    return { kind: "bitMasked", parameters, length, mask, validWhen, lsbOrder: form.lsbOrder, content };
  }

  #union(form: FormOf<"union">, length: number): Layout {
    const tags = new Int8Array(this.#index(form.key, "tags", form.tags, length));
    const index = this.#index(form.key, "index", form.index, length);
    const contents = form.contents.map((child, tag) =>
      this.layout(child, greatestOfTag(index, tags, tag) + 1),
    );
    return { kind: "union", parameters: form.parameters, length, tags, index, contents };
  }

  #index(key: string | null, role: string, type: IndexType, count: number): Int32Array {
    const name = `${key}-${role}`;
    try {
      return indexOf(this.#data(name, INDEX_DTYPES[type], count), name);
    } catch (error) {
      if (error instanceof LayoutError) throw error;
      throw new LayoutError({ path: name, what: (error as { what?: string }).what ?? String(error) });
    }
  }

  /** A view of a buffer's first elements; copied only where they are not aligned. */
  #data(name: string, dtype: DType, count: number): TypedArray {
    const source = this.#find(name);
    if (source === undefined)
      throw new LayoutError({ path: name, what: "there is no such buffer", cure: "Look at the form's keys" });
    const bytes = bytesOf(source);
    const needed = count * infoOf(dtype).bytes;
    if (!(needed <= bytes.byteLength)) {
      throw new LayoutError({
        path: name,
        what: `the buffer has ${bytes.byteLength} bytes and ${count} elements of ${dtype} need ${needed}`,
        cure: "Check the length and the buffers",
      });
    }
    return viewOfBytes(bytes, dtype, count);
  }
}

const bytesOf = (source: BufferSource): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);

function viewOfBytes(bytes: Uint8Array, dtype: DType, count: number): TypedArray {
  const { array: ArrayOf, slots } = infoOf(dtype);
  const isAligned = bytes.byteOffset % ArrayOf.BYTES_PER_ELEMENT === 0;
  const own = isAligned ? bytes : bytes.slice(0, count * slots * ArrayOf.BYTES_PER_ELEMENT);
  return new ArrayOf(own.buffer, own.byteOffset, count * slots);
}

/** How much content lists name; an empty one names nothing, wherever it begins. */
function reachOf(starts: Int32Array, stops: Int32Array): number {
  let most = 0;
  for (let i = 0; i < stops.length; i++) if (stops[i]! > most && starts[i] !== stops[i]) most = stops[i]!;
  return most;
}

function greatest(values: Int32Array): number {
  let most = -1;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return most;
}

function greatestOfTag(index: Int32Array, tags: Int8Array, tag: number): number {
  let most = -1;
  for (let i = 0; i < index.length; i++) if (tags[i] === tag && index[i]! > most) most = index[i]!;
  return most;
}
