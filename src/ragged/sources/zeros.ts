// Rows that nobody looks at. In: a form and a number of rows. Out: a layout of that form: zeros, empty texts, empty
// lists, no nulls. Must hold: the length is right; nothing is read for it.

import { sizeOf } from "../../core/chunks.ts";
import { allocate } from "../../core/dtype.ts";
import type { Form } from "../../core/form/form.ts";
import { arange } from "../layout/indices.ts";
import type { Layout } from "../layout/layout.ts";
import { probeOf } from "../layout/probe.ts";

type FormOf<K extends Form["kind"]> = Extract<Form, { kind: K }>;

export function zerosOf(form: Form, length: number): Layout {
  if (length === 0) return probeOf(form);
  const { kind, parameters } = form;
  const base = { parameters, length };
  switch (kind) {
    case "empty":
      return { ...base, kind, length: 0 };
    case "numpy": {
      const { dtype, innerShape } = form;
      return { ...base, kind, dtype, innerShape, data: allocate(dtype, length * sizeOf(innerShape)) };
    }
    case "string":
      return {
        ...base,
        kind,
        encoding: form.encoding,
        offsets: nothing(length + 1),
        bytes: new Uint8Array(0),
      };
    case "listOffset":
      return { ...base, kind, offsets: nothing(length + 1), content: probeOf(form.content) };
    case "list":
      return {
        ...base,
        kind,
        starts: nothing(length),
        stops: nothing(length),
        content: probeOf(form.content),
      };
    case "regular":
      return { ...base, kind, size: form.size, content: zerosOf(form.content, length * form.size) };
    case "record":
      return { ...base, kind, fields: form.fields, contents: form.contents.map((c) => zerosOf(c, length)) };
    case "indexed":
      return { ...base, kind, index: nothing(length), content: zerosOf(form.content, 1) };
    case "indexedOption":
      return optionZeros(form, length);
    case "byteMasked": {
      const mask = new Int8Array(length).fill(form.validWhen ? 1 : 0);
      return { ...base, kind, mask, validWhen: form.validWhen, content: zerosOf(form.content, length) };
    }
    case "bitMasked": {
      const mask = new Uint8Array(Math.ceil(length / 8)).fill(form.validWhen ? 255 : 0);
      const { validWhen, lsbOrder } = form;
      return { ...base, kind, mask, validWhen, lsbOrder, content: zerosOf(form.content, length) };
    }
    case "unmasked":
      return { ...base, kind, content: zerosOf(form.content, length) };
    case "union":
      return unionZeros(form, length);
    default:
      form satisfies never;
      throw form;
  }
}

const nothing = (length: number): Int32Array => new Int32Array(length);

/** Nulls only where the content can have no rows. */
function optionZeros({ kind, content, parameters }: FormOf<"indexedOption">, length: number): Layout {
  if (!canHaveRows(content))
    return { kind, parameters, length, index: nothing(length).fill(-1), content: probeOf(content) };
  return { kind, parameters, length, index: arange(length), content: zerosOf(content, length) };
}

function unionZeros({ kind, contents, parameters }: FormOf<"union">, length: number): Layout {
  const chosen = Math.max(0, contents.findIndex(canHaveRows));
  return {
    kind,
    parameters,
    length,
    tags: new Int8Array(length).fill(chosen),
    index: nothing(length),
    contents: contents.map((content, i) => zerosOf(content, i === chosen ? 1 : 0)),
  };
}

function canHaveRows(form: Form): boolean {
  switch (form.kind) {
    case "empty":
      return false;
    case "record":
      return form.contents.every(canHaveRows);
    case "union":
      return form.contents.some(canHaveRows);
    case "regular":
      return form.size === 0 || canHaveRows(form.content);
    case "indexed":
    case "byteMasked":
    case "bitMasked":
    case "unmasked":
      return canHaveRows(form.content);
    default:
      return true;
  }
}
