// Probes: layouts without rows. In: a form. Out: the layout of that form with length 0. An operation that runs on
// probes computes nothing and gives a probe of its result, whose form is the form of every result: that is how forms
// are inferred, by the code that computes, so the two cannot differ.

import { allocate, DTYPES, type DType, type TypedArray } from "../../core/dtype.ts";
import type { Form } from "../../core/form/form.ts";
import { formOf, type Layout, type Plain } from "./layout.ts";
import { plain } from "./plainLayout.ts";

/** Nobody writes to what has no elements, so all probes share it: making typed arrays is what probes would cost. */
const NONE = new Int32Array(0);
const NO_OFFSETS = new Int32Array(1);
const NO_BYTES = new Uint8Array(0);
const NO_TAGS = new Int8Array(0);
const NO_DATA: ReadonlyMap<DType, TypedArray> = new Map(DTYPES.map((dtype) => [dtype, allocate(dtype, 0)]));

/** Written out field by field: it is asked for all the time. */
export function probeOf(form: Form): Layout {
  const length = 0;
  const { kind, parameters } = form;
  switch (kind) {
    case "empty":
      return { kind, length, parameters };
    case "numpy": {
      const { dtype, innerShape } = form;
      return { kind, length, parameters, dtype, data: NO_DATA.get(dtype)!, innerShape };
    }
    case "string":
      return { kind, length, parameters, encoding: form.encoding, offsets: NO_OFFSETS, bytes: NO_BYTES };
    case "record":
      return { kind, length, parameters, fields: form.fields, contents: form.contents.map(probeOf) };
    case "union":
      return { kind, length, parameters, tags: NO_TAGS, index: NONE, contents: form.contents.map(probeOf) };
    default:
      return probeAround(form, probeOf(form.content));
  }
}

/** Of a form with one content. */
function probeAround(form: Extract<Form, { content: Form }>, content: Layout): Layout {
  const length = 0;
  const { kind, parameters } = form;
  switch (kind) {
    case "regular":
      return { kind, length, parameters, size: form.size, content };
    case "listOffset":
      return { kind, length, parameters, offsets: NO_OFFSETS, content };
    case "list":
      return { kind, length, parameters, starts: NONE, stops: NONE, content };
    case "indexed":
    case "indexedOption":
      return { kind, length, parameters, index: NONE, content };
    case "byteMasked":
      return { kind, length, parameters, mask: NO_TAGS, validWhen: form.validWhen, content };
    case "bitMasked": {
      const { validWhen, lsbOrder } = form;
      return { kind, length, parameters, mask: NO_BYTES, validWhen, lsbOrder, content };
    }
    case "unmasked":
      return { kind, length, parameters, content };
    default:
      throw kind satisfies never;
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
