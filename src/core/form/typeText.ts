// Types as people write them: `3 * var * {pt: float32, q: ?int64}`. In: a form, and a length if there is one. Out:
// text that parseType reads. How something is stored (masks or indexes, offsets or starts) is not part of its type.

import { type Form, OPTION_KINDS, type RecordForm } from "./form.ts";
import { type Logical, logicalOf, logicalText, withLogical } from "./logical.ts";

/**
 * With a length the type of an array, without one the type of its elements: `rg.typeText(x.form)`, as "var * int64".
 */
export const typeText = (form: Form, length?: number): string =>
  length === undefined ? elementText(form) : `${length} * ${elementText(form)}`;

function elementText(form: Form): string {
  const logical = logicalOf(form);
  if (logical !== null) return meaningText(form, logical);
  switch (form.kind) {
    case "empty":
      return "unknown";
    case "numpy":
      return [...form.innerShape, form.dtype].join(" * ");
    case "string":
      return form.encoding === "utf8" ? "string" : "bytes";
    case "regular":
      return textName(form) ?? `${form.size} * ${elementText(form.content)}`;
    case "listOffset":
    case "list":
      return textName(form) ?? `var * ${elementText(form.content)}`;
    case "record":
      return recordText(form);
    case "indexed":
      return elementText(form.content);
    case "indexedOption":
    case "byteMasked":
    case "bitMasked":
    case "unmasked":
      return optionText(form.content);
    case "union":
      return `union[${form.contents.map(elementText).join(", ")}]`;
    default:
      form satisfies never;
      throw form;
  }
}

/** What the form means. Of a map, what its keys and values are. */
function meaningText(form: Form, logical: Logical): string {
  if (logical.kind !== "map") return logicalText(logical);
  const entry = "content" in form ? form.content : form;
  if (entry.kind === "record" && entry.contents.length === 2)
    return `map[${entry.contents.map(elementText).join(", ")}]`;
  return elementText(withLogical(form, null));
}

/** Lists of characters are strings, whichever kind of list they are. */
const TEXTS: { readonly [name: string]: string } = { string: "string", bytestring: "bytes" };

const textName = ({ parameters, content }: Form & { readonly content: Form }): string | null =>
  content.kind === "numpy" && content.dtype === "uint8"
    ? (TEXTS[String(parameters["__array__"])] ?? null)
    : null;

/** `?` binds to one word; what has more is put in brackets. An option of an option is one. */
function optionText(content: Form): string {
  if (content.kind === "indexed" || OPTION_KINDS.has(content.kind))
    return optionText((content as { content: Form }).content);
  const isList = content.kind === "regular" || content.kind === "list" || content.kind === "listOffset";
  const isLists = isList
    ? textName(content) === null
    : content.kind === "numpy" && content.innerShape.length > 0;
  const text = elementText(content);
  return isLists && !text.startsWith("map[") ? `option[${text}]` : `?${text}`;
}

function recordText({ fields, contents, parameters }: RecordForm): string {
  const name = parameters["__record__"];
  const types = contents.map(elementText);
  const parts = fields === null ? types : fields.map((field, i) => `${fieldText(field)}: ${types[i]}`);
  const inside = parts.join(", ");
  if (typeof name === "string" && IDENTIFIER.test(name)) return `${name}[${inside}]`;
  return fields === null ? `(${inside})` : `{${inside}}`;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z_0-9]*$/;
const fieldText = (field: string): string => (IDENTIFIER.test(field) ? field : JSON.stringify(field));
