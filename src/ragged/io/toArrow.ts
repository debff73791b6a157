// Layouts → Arrow. In: a layout, and apache-arrow (an optional peer, loaded only now). Out: a vector of it, over the
// same memory where Arrow lays things out as we do: numbers, strings and lists without nulls.

import { type DType, infoOf, isComplex, isFloat } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import { type Logical, logicalOf, withLogical } from "../../core/form/logical.ts";
import { rowsWithDefaults } from "../layout/defaults.ts";
import type { Layout, NumpyLayout, Plain, PlainOption, PlainUnion, StringLayout } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { takeOption, viewOf } from "../layout/rows.ts";
import { stringsOf } from "../ops/strings.ts";
import type { ArrowData, ArrowVector } from "./arrowParts.ts";
import { arrowOfLeaf, metadataOf } from "./logicalArrow.ts";
import { toList } from "./nestedLists.ts";

type Make<T> = new (...args: never[]) => T;
/** What is used of the package apache-arrow. */
export interface ArrowModule {
  /** Makes the data of a vector. */
  readonly makeData: (parts: object) => ArrowData;
  /** A vector of such data. */
  readonly Vector: Make<ArrowVector>;
  /** A named field of a type. */
  readonly Field: Make<object>;
  readonly [type: string]: unknown;
}

/** The package apache-arrow is not there. */
export class ArrowMissingError extends DTypeError {}

/** By a name that bundlers do not follow: whoever does not ask for this needs no such package. */
export async function loadArrow(name = "apache-arrow"): Promise<ArrowModule> {
  try {
    return (await import(/* @vite-ignore */ name)) as ArrowModule;
  } catch (cause) {
    throw new ArrowMissingError(
      { what: "the package apache-arrow is not there", cure: "npm install apache-arrow" },
      { cause },
    );
  }
}

export async function toArrow(layout: Layout): Promise<ArrowVector> {
  return arrowVector(layout, await loadArrow());
}

/** The same with the package at hand. */
export function arrowVector(layout: Layout, arrow: ArrowModule): ArrowVector {
  const Vector = arrow.Vector as new (data: readonly ArrowData[]) => ArrowVector;
  return new Vector([new ArrowWriter(arrow).data(plain(layout))]);
}

class ArrowWriter {
  readonly #arrow: ArrowModule;

  constructor(arrow: ArrowModule) {
    this.#arrow = arrow;
  }

  data(node: Plain): ArrowData {
    if (node.kind !== "indexedOption") return this.#make(node, {});
    if (node.content.kind === "union") return this.#make(nullsInside(node.index, node.content), {});
    return this.#make(rowsWithDefaults(node), validity(node));
  }

  #make(node: Plain, nulls: object): ArrowData {
    const { length } = node;
    const make = (type: object, parts: object): ArrowData =>
      this.#arrow.makeData({ type, length, nullCount: 0, ...nulls, ...parts });
    const logical = logicalOf(node);
    if (logical !== null && (node.kind === "numpy" || node.kind === "string")) {
      if (logical.kind === "categorical") return this.#dictionary(node as StringLayout, nulls);
      const leaf = arrowOfLeaf(node, logical);
      if (leaf !== null) return make(this.#type(leaf.type, ...leaf.args), { data: leaf.data });
    }
    switch (node.kind) {
      case "empty":
        return make(this.#type("Null"), {});
      case "numpy":
        return make(this.#type(numberType(node.dtype)), {
          data: node.dtype === "bool" ? packBits(node) : ownData(node),
        });
      case "string":
        return make(this.#type(node.encoding === "utf8" ? "Utf8" : "Binary"), {
          valueOffsets: node.offsets,
          data: node.bytes,
        });
      case "regular": {
        const child = this.data(viewOf(node).content);
        return make(this.#type("FixedSizeList", node.size, this.#field("item", child)), { child });
      }
      case "listOffset": {
        const view = viewOf(node);
        const child = this.data(view.content);
        if (logical?.kind === "map" && view.content.kind === "record" && view.content.contents.length === 2)
          return make(this.#type("Map_", this.#field("entries", child, null, false)), {
            valueOffsets: view.offsets,
            child,
          });
        return make(this.#type("List", this.#field("item", child)), { valueOffsets: view.offsets, child });
      }
      case "record": {
        const children = node.contents.map((content) => this.data(content));
        const names = node.fields ?? children.map((_, i) => String(i));
        return make(
          this.#type(
            "Struct",
            children.map((child, i) => this.#field(names[i]!, child, logicalOfRows(node.contents[i]!))),
          ),
          { children },
        );
      }
      case "union":
        return this.#union(node, make);
      case "indexedOption":
        return this.data(node);
      default:
        node satisfies never;
        throw node;
    }
  }

  #union(node: PlainUnion, make: (type: object, parts: object) => ArrowData): ArrowData {
    const children = node.contents.map((content) => this.data(content));
    const type = this.#type(
      "DenseUnion",
      Int32Array.from(children.keys()),
      children.map((child, i) => this.#field(String(i), child)),
    );
    return make(type, { typeIds: node.tags, valueOffsets: node.index, children });
  }

  #type(name: string, ...args: readonly unknown[]): object {
    const Type = this.#arrow[name] as new (...args: readonly unknown[]) => object;
    return new Type(...args);
  }

  #field(name: string, { type }: ArrowData, logical: Logical | null = null, isNullable = true): object {
    const Field = this.#arrow.Field as new (...args: readonly unknown[]) => object;
    return new Field(name, type, isNullable, metadataOf(logical));
  }

  /** Each text once, and for each row its number. */
  #dictionary(node: StringLayout, nulls: object): ArrowData {
    const texts = toList(withLogical(node, null)) as string[];
    const numbers = new Map<string, number>();
    const data = Int32Array.from(texts, (text) => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    });
    const Vector = this.#arrow.Vector as new (data: readonly ArrowData[]) => ArrowVector;
    const dictionary = new Vector([this.data(stringsOf([...numbers.keys()]))]);
    const type = this.#type("Dictionary", this.#type("Utf8"), this.#type("Int32"));
    return this.#arrow.makeData({ type, length: node.length, nullCount: 0, ...nulls, data, dictionary });
  }
}

/** What values mean, null or not. */
const logicalOfRows = (node: Plain): Logical | null =>
  logicalOf(node.kind === "indexedOption" ? node.content : node);

function numberType(dtype: DType): string {
  if (dtype === "bool") return "Bool";
  if (isComplex(dtype))
    throw new DTypeError({
      where: "toArrow",
      what: "Arrow has no complex numbers",
      cure: "Use real and imag",
    });
  const bits = 8 * infoOf(dtype).bytes;
  if (isFloat(dtype)) return `Float${bits}`;
  return dtype.startsWith("u") ? `Uint${bits}` : `Int${bits}`;
}

/** Memory that kernels work in is shared, and Arrow's readers may not expect that. */
function ownData({ data }: NumpyLayout): NumpyLayout["data"] {
  return data.buffer instanceof ArrayBuffer ? data : data.slice();
}

function packBits({ data, length }: NumpyLayout): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < length; i++) if (data[i] !== 0) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

/** Arrow's unions are never null themselves: their first content has a null for it. */
function nullsInside(index: Int32Array, union: PlainUnion): PlainUnion {
  const [first, ...others] = union.contents;
  const last = first!.length;
  const places = Int32Array.from({ length: last + 1 }, (_, i) => (i < last ? i : -1));
  return {
    ...union,
    length: index.length,
    tags: Int8Array.from(index, (at) => (at < 0 ? 0 : union.tags[at]!)),
    index: index.map((at) => (at < 0 ? last : union.index[at]!)),
    contents: [takeOption(first!, places), ...others],
  };
}

function validity({ index, length }: PlainOption): { nullBitmap: Uint8Array; nullCount: number } {
  const nullBitmap = new Uint8Array(Math.ceil(length / 8));
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (index[i]! < 0) nullCount++;
    else nullBitmap[i >> 3]! |= 1 << (i & 7);
  }
  return { nullBitmap, nullCount };
}
