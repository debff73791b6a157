// Types as people write them: `3 * var * {pt: float32, q: ?int64}`. In: a form, and a length if there is one. Out:
// text that parseType reads. How something is stored (masks or indexes, offsets or starts) is not part of its type.

import { type Form, OPTION_KINDS, type RecordForm } from "./form.ts";

/**
 * With a length the type of an array, without one the type of its elements: `rg.typeText(x.form)`, as "var * int64".
 */
export const typeText = (form: Form, length?: number): string =>
  length === undefined ? elementText(form) : `${length} * ${elementText(form)}`;

function elementText(form: Form): string {
  switch (form.kind) {
    case "empty":
      return "unknown";
    case "numpy":
      return [...form.innerShape, form.dtype].join(" * ");
    case "string":
      return form.encoding === "utf8" ? "string" : "bytes";
    case "regular":
      return `${form.size} * ${elementText(form.content)}`;
    case "listOffset":
    case "list":
      return `var * ${elementText(form.content)}`;
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

/** `?` binds to one word; what has more is put in brackets. An option of an option is one. */
function optionText(content: Form): string {
  if (content.kind === "indexed" || OPTION_KINDS.has(content.kind))
    return optionText((content as { content: Form }).content);
  const isLists =
    content.kind === "regular" ||
    content.kind === "list" ||
    content.kind === "listOffset" ||
    (content.kind === "numpy" && content.innerShape.length > 0);
  return isLists ? `option[${elementText(content)}]` : `?${elementText(content)}`;
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
