// Forms as JSON, in Awkward's spelling. In: a form, or JSON from outside. Out: the other one; for JSON that is no
// form, a typed error that names the place in it. Must hold: formOfJson(jsonOfForm(f)) is f.

import { describe, isLength } from "../chunks.ts";
import { isDType } from "../dtype.ts";
import { ValueError } from "../errors.ts";
import { closest } from "../suggest.ts";
import {
  type Form,
  type IndexType,
  type Json,
  NO_PARAMETERS,
  type Parameters,
  type StringForm,
} from "./form.ts";

type JsonObject = { readonly [name: string]: Json };

/** The JSON of a form: `rg.jsonOfForm(x.form)`. */
export function jsonOfForm(form: Form): JsonObject {
  switch (form.kind) {
    case "empty":
      return { class: "EmptyArray", ...tailOf(form) };
    case "numpy":
      return { class: "NumpyArray", primitive: form.dtype, inner_shape: form.innerShape, ...tailOf(form) };
    case "string":
      return stringJson(form);
    case "regular":
    case "listOffset":
    case "list":
      return listJson(form);
    case "indexed":
      return { class: "IndexedArray", index: form.index, ...contentOf(form) };
    case "indexedOption":
    case "byteMasked":
    case "bitMasked":
    case "unmasked":
      return optionJson(form);
    case "record":
      return { class: "RecordArray", fields: form.fields, ...contentsOf(form) };
    case "union":
      return { class: "UnionArray", tags: form.tags, index: form.index, ...contentsOf(form) };
    default:
      form satisfies never;
      throw form;
  }
}

const tailOf = ({ parameters, key }: Form): JsonObject => ({ parameters, form_key: key });

const contentOf = (form: Extract<Form, { content: Form }>): JsonObject => ({
  content: jsonOfForm(form.content),
  ...tailOf(form),
});

const contentsOf = (form: Extract<Form, { contents: readonly Form[] }>): JsonObject => ({
  contents: form.contents.map(jsonOfForm),
  ...tailOf(form),
});

function listJson(form: Extract<Form, { kind: "regular" | "listOffset" | "list" }>): JsonObject {
  switch (form.kind) {
    case "regular":
      return { class: "RegularArray", size: form.size, ...contentOf(form) };
    case "listOffset":
      return { class: "ListOffsetArray", offsets: form.offsets, ...contentOf(form) };
    case "list":
      return { class: "ListArray", starts: form.starts, stops: form.stops, ...contentOf(form) };
    default:
      form satisfies never;
      throw form;
  }
}

type OptionForm = Extract<Form, { kind: "indexedOption" | "byteMasked" | "bitMasked" | "unmasked" }>;

function optionJson(form: OptionForm): JsonObject {
  switch (form.kind) {
    case "indexedOption":
      return { class: "IndexedOptionArray", index: form.index, ...contentOf(form) };
    case "byteMasked":
      return {
        class: "ByteMaskedArray",
        mask: form.mask,
        valid_when: form.validWhen,
        ...contentOf(form),
      };
    case "bitMasked":
      return {
        class: "BitMaskedArray",
        mask: form.mask,
        valid_when: form.validWhen,
        lsb_order: form.lsbOrder,
        ...contentOf(form),
      };
    case "unmasked":
      return { class: "UnmaskedArray", ...contentOf(form) };
    default:
      form satisfies never;
      throw form;
  }
}

function stringJson({ encoding, offsets, parameters, key, charKey }: StringForm): JsonObject {
  const [list, char] = encoding === "utf8" ? ["string", "char"] : ["bytestring", "byte"];
  const content: JsonObject = {
    class: "NumpyArray",
    primitive: "uint8",
    inner_shape: [],
    parameters: { __array__: char! },
    form_key: charKey,
  };
  return {
    class: "ListOffsetArray",
    offsets,
    content,
    parameters: { __array__: list!, ...parameters },
    form_key: key,
  };
}

/** The same structure, names and parameters; keys do not matter. */
export const sameForm = (a: Form, b: Form): boolean => formText(a) === formText(b);

/** One text per form, without keys: for comparing and for hashing. */
export const formText = (form: Form): string =>
  JSON.stringify(jsonOfForm(form), (name, value) => (name === "form_key" ? undefined : value));

/** Nobody nests deeper, and recursion must end. */
const MAX_DEPTH = 100;

/** A form of its JSON, which is Awkward's: `rg.formOfJson({class: "NumpyArray", primitive: "int64"})`. */
export const formOfJson = (json: unknown): Form => new FormReader().form(json, "form", 0);

const CLASSES = [
  ...["EmptyArray", "NumpyArray", "RegularArray", "ListOffsetArray", "ListArray", "RecordArray"],
  ...[
    "IndexedArray",
    "IndexedOptionArray",
    "ByteMaskedArray",
    "BitMaskedArray",
    "UnmaskedArray",
    "UnionArray",
  ],
];

class FormReader {
  form(json: unknown, at: string, depth: number): Form {
    if (depth > MAX_DEPTH) throw wrong(at, `is nested deeper than ${MAX_DEPTH}`);
    // A primitive alone stands for its array.
    if (typeof json === "string") return this.form({ class: "NumpyArray", primitive: json }, at, depth);
    const node = objectOf(json, at);
    const parameters = parametersOf(node["parameters"], at);
    const key = node["form_key"] ?? null;
    if (key !== null && typeof key !== "string") throw wrong(`${at}.form_key`, `is ${describe(key)}`);
    return this.#node(node, { parameters, key }, at, depth);
  }

  #node(
    node: JsonObject,
    base: { parameters: Parameters; key: string | null },
    at: string,
    depth: number,
  ): Form {
    const content = (): Form => this.form(node["content"], `${at}.content`, depth + 1);
    const index = (name: string): IndexType => indexTypeOf(node[name], `${at}.${name}`);
    const flag = (name: string): boolean => flagOf(node[name], `${at}.${name}`);
    switch (node["class"]) {
      case "EmptyArray":
        return { ...base, kind: "empty" };
      case "NumpyArray":
        return { ...base, kind: "numpy", ...numpyParts(node, at) };
      case "RegularArray":
        return { ...base, kind: "regular", size: lengthOf(node["size"], `${at}.size`), content: content() };
      case "ListOffsetArray":
        return stringOr({ ...base, kind: "listOffset", offsets: index("offsets"), content: content() });
      case "ListArray":
        return { ...base, kind: "list", starts: index("starts"), stops: index("stops"), content: content() };
      case "RecordArray":
        return { ...base, kind: "record", ...this.#recordParts(node, at, depth) };
      case "IndexedArray":
        return { ...base, kind: "indexed", index: index("index"), content: content() };
      case "IndexedOptionArray":
        return { ...base, kind: "indexedOption", index: index("index"), content: content() };
      case "ByteMaskedArray":
        return {
          ...base,
          kind: "byteMasked",
          mask: index("mask"),
          validWhen: flag("valid_when"),
          content: content(),
        };
      case "BitMaskedArray":
        return {
          ...base,
          kind: "bitMasked",
          mask: index("mask"),
          validWhen: flag("valid_when"),
          lsbOrder: flag("lsb_order"),
          content: content(),
        };
      case "UnmaskedArray":
        return { ...base, kind: "unmasked", content: content() };
      case "UnionArray":
        return {
          ...base,
          kind: "union",
          tags: index("tags"),
          index: index("index"),
          contents: this.#contents(node["contents"], `${at}.contents`, depth),
        };
      default:
        throw wrong(`${at}.class`, `is ${describe(node["class"])}`, closest(String(node["class"]), CLASSES));
    }
  }

  #contents(json: unknown, at: string, depth: number): Form[] {
    if (!Array.isArray(json)) throw wrong(at, `is ${describe(json)}`, "It must be a list of forms");
    return json.map((item, i) => this.form(item, `${at}[${i}]`, depth + 1));
  }

  #recordParts(node: JsonObject, at: string, depth: number): { fields: string[] | null; contents: Form[] } {
    const contents = this.#contents(node["contents"], `${at}.contents`, depth);
    const fields: unknown = node["fields"] ?? null;
    if (fields === null) return { fields, contents };
    const isNames = Array.isArray(fields) && fields.every((name) => typeof name === "string");
    if (!isNames || fields.length !== contents.length || new Set(fields).size !== fields.length)
      throw wrong(`${at}.fields`, "does not name every content once");
    return { fields: fields as string[], contents };
  }
}

/** A list of characters is a string. */
function stringOr(form: Extract<Form, { kind: "listOffset" }>): Form {
  const { __array__: name, ...parameters } = form.parameters;
  if (name !== "string" && name !== "bytestring") return form;
  const { key, offsets, content } = form;
  if (content.kind !== "numpy" || content.dtype !== "uint8" || content.innerShape.length > 0) return form;
  const encoding = name === "string" ? "utf8" : "bytes";
  return { kind: "string", encoding, offsets, parameters, key, charKey: content.key };
}

function numpyParts(
  node: JsonObject,
  at: string,
): { dtype: Extract<Form, { kind: "numpy" }>["dtype"]; innerShape: number[] } {
  const { primitive, inner_shape: inner = [] } = node;
  if (!isDType(primitive))
    throw wrong(`${at}.primitive`, `is ${describe(primitive)}`, "Use a dtype, as float64");
  if (!Array.isArray(inner) || !inner.every(isLength)) throw wrong(`${at}.inner_shape`, "is no shape");
  return { dtype: primitive, innerShape: inner };
}

function objectOf(json: unknown, at: string): JsonObject {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as JsonObject;
  throw wrong(at, `is ${describe(json)}`, "It must be an object with a class");
}

function parametersOf(json: unknown, at: string): Parameters {
  if (json === undefined || json === null) return NO_PARAMETERS;
  const parameters = objectOf(json, `${at}.parameters`);
  return Object.keys(parameters).length === 0 ? NO_PARAMETERS : parameters;
}

function indexTypeOf(json: unknown, at: string): IndexType {
  const known = ["i8", "u8", "i32", "u32", "i64"];
  if (typeof json === "string" && known.includes(json)) return json as IndexType;
  throw wrong(at, `is ${describe(json)}`, `Use one of ${known.join(", ")}`);
}

function flagOf(json: unknown, at: string): boolean {
  if (typeof json === "boolean") return json;
  throw wrong(at, `is ${describe(json)}`, "Use true or false");
}

function lengthOf(json: unknown, at: string): number {
  if (isLength(json)) return json;
  throw wrong(at, `is ${describe(json)}`, "Use a whole number, 0 or more");
}

const wrong = (at: string, what: string, cure = "Use a form as Awkward writes it"): ValueError =>
  new ValueError({ where: "formOfJson", what: `${at} ${what}`, cure });
