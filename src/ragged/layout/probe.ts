// Probes: layouts without rows. In: a form. Out: the layout of that form with length 0. An operation that runs on
// probes computes nothing and gives a probe of its result, whose form is the form of every result: that is how forms
// are inferred, by the code that computes, so the two cannot differ.

import { allocate, type DType, type TypedArray } from "../../core/dtype.ts";
import type { Form } from "../../core/form/form.ts";
import { formOf, type Layout, type Plain } from "./layout.ts";
import { plain } from "./plain.ts";

/** Nobody writes to what has no elements, so all probes share it: making typed arrays is what probes would cost. */
const NONE = new Int32Array(0);
const NO_OFFSETS = new Int32Array(1);
const NO_BYTES = new Uint8Array(0);
const NO_TAGS = new Int8Array(0);
const noData = new Map<DType, TypedArray>();

function emptyData(dtype: DType): TypedArray {
  const data = noData.get(dtype) ?? allocate(dtype, 0);
  noData.set(dtype, data);
  return data;
}

/** Written out field by field: it is asked for all the time. */
export function probeOf(form: Form): Layout {
  const length = 0;
  const { parameters } = form;
  switch (form.kind) {
    case "empty":
      return { kind: "empty", length, parameters };
    case "numpy":
      return {
        kind: "numpy",
        length,
        parameters,
        dtype: form.dtype,
        data: emptyData(form.dtype),
        innerShape: form.innerShape,
      };
    case "string":
      return {
        kind: "string",
        length,
        parameters,
        encoding: form.encoding,
        offsets: NO_OFFSETS,
        bytes: NO_BYTES,
      };
    case "regular":
      return { kind: "regular", length, parameters, size: form.size, content: probeOf(form.content) };
    case "listOffset":
      return { kind: "listOffset", length, parameters, offsets: NO_OFFSETS, content: probeOf(form.content) };
    case "list":
      return { kind: "list", length, parameters, starts: NONE, stops: NONE, content: probeOf(form.content) };
    case "record":
      return {
        kind: "record",
        length,
        parameters,
        fields: form.fields,
        contents: form.contents.map(probeOf),
      };
    case "indexed":
      return { kind: "indexed", length, parameters, index: NONE, content: probeOf(form.content) };
    case "indexedOption":
      return { kind: "indexedOption", length, parameters, index: NONE, content: probeOf(form.content) };
    case "byteMasked": {
      const { validWhen } = form;
      return {
        kind: "byteMasked",
        length,
        parameters,
        mask: NO_TAGS,
        validWhen,
        content: probeOf(form.content),
      };
    }
    case "bitMasked": {
      const { validWhen, lsbOrder } = form;
      const mask = NO_BYTES;
      return {
        kind: "bitMasked",
        length,
        parameters,
        mask,
        validWhen,
        lsbOrder,
        content: probeOf(form.content),
      };
    }
    case "unmasked":
      return { kind: "unmasked", length, parameters, content: probeOf(form.content) };
    case "union":
      return {
        kind: "union",
        length,
        parameters,
        tags: NO_TAGS,
        index: NONE,
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
