// Probes: layouts without rows. In: a form. Out: the layout of that form with length 0. An operation that runs on
// probes computes nothing and gives a probe of its result, whose form is the form of every result: that is how forms
// are inferred, by the code that computes, so the two cannot differ.

import { allocate } from "../../core/dtype.ts";
import { type Form, NO_PARAMETERS } from "../form/form.ts";
import { formOf, type Layout, type Plain } from "./layout.ts";
import { plain } from "./plain.ts";

const none = (): Int32Array => new Int32Array(0);
const noOffsets = (): Int32Array => new Int32Array(1);

export function probeOf(form: Form): Layout {
  const base = { length: 0, parameters: form.parameters ?? NO_PARAMETERS };
  switch (form.kind) {
    case "empty":
      return { ...base, kind: "empty" };
    case "numpy":
      return {
        ...base,
        kind: "numpy",
        dtype: form.dtype,
        data: allocate(form.dtype, 0),
        innerShape: form.innerShape,
      };
    case "string":
      return {
        ...base,
        kind: "string",
        encoding: form.encoding,
        offsets: noOffsets(),
        bytes: new Uint8Array(0),
      };
    case "regular":
      return { ...base, kind: "regular", size: form.size, content: probeOf(form.content) };
    case "listOffset":
      return { ...base, kind: "listOffset", offsets: noOffsets(), content: probeOf(form.content) };
    case "list":
      return { ...base, kind: "list", starts: none(), stops: none(), content: probeOf(form.content) };
    case "record":
      return { ...base, kind: "record", fields: form.fields, contents: form.contents.map(probeOf) };
    case "indexed":
      return { ...base, kind: "indexed", index: none(), content: probeOf(form.content) };
    case "indexedOption":
      return { ...base, kind: "indexedOption", index: none(), content: probeOf(form.content) };
    case "byteMasked": {
      const { validWhen } = form;
      return {
        ...base,
        kind: "byteMasked",
        mask: new Int8Array(0),
        validWhen,
        content: probeOf(form.content),
      };
    }
    case "bitMasked": {
      const { validWhen, lsbOrder } = form;
      const mask = new Uint8Array(0);
      return { ...base, kind: "bitMasked", mask, validWhen, lsbOrder, content: probeOf(form.content) };
    }
    case "unmasked":
      return { ...base, kind: "unmasked", content: probeOf(form.content) };
    case "union":
      return {
        ...base,
        kind: "union",
        tags: new Int8Array(0),
        index: none(),
        contents: form.contents.map(probeOf),
      };
    default:
      form satisfies never;
      throw form;
  }
}

const probes = new WeakMap<Form, Plain>();

/** The probe that operations run on. A form is used many times while a computation is built: its probe is kept. */
export function plainProbe(form: Form): Plain {
  const known = probes.get(form) ?? plain(probeOf(form));
  probes.set(form, known);
  return known;
}

/** The form of an operation's result on probes, which is itself the probe of that form. */
export function formOfProbe(probe: Plain): Form {
  const form = formOf(probe);
  if (probe.length === 0) probes.set(form, probe);
  return form;
}

/** The form that data of a form has after `plain`. */
export const plainForm = (form: Form): Form => formOf(plainProbe(form));
