// One text for equal forms. In: forms, which operations make anew each time. Out: for those with the same nodes the same
// text, so that what was found out for one computation is found again for the next. Keys do not count, nor how wide stored
// integers are: no operation sees them.

import type { Form } from "../../core/form/form.ts";

const keys = new WeakMap<Form, string>();

export function formKey(form: Form): string {
  let key = keys.get(form);
  if (key === undefined) {
    key = textOf(form);
    keys.set(form, key);
  }
  return key;
}

function textOf(form: Form): string {
  if ("content" in form) return `${ownText(form)}(${textOf(form.content)})`;
  if (!("contents" in form)) return ownText(form);
  let text = `${ownText(form)}(`;
  for (const content of form.contents) text += `${textOf(content)},`;
  return `${text})`;
}

function ownText(form: Form): string {
  const named = hasAny(form.parameters) ? JSON.stringify(form.parameters) : "";
  switch (form.kind) {
    case "numpy":
      return form.innerShape.length === 0
        ? `${form.dtype}${named}`
        : `${form.dtype}[${form.innerShape}]${named}`;
    case "regular":
      return `regular${form.size}${named}`;
    case "string":
      return `string${form.encoding}${named}`;
    case "record":
      return form.fields === null ? `tuple${named}` : `record${JSON.stringify(form.fields)}${named}`;
    case "byteMasked":
      return `byteMasked${form.validWhen}${named}`;
    case "bitMasked":
      return `bitMasked${form.validWhen}${form.lsbOrder}${named}`;
    default:
      return `${form.kind}${named}`;
  }
}

function hasAny(parameters: object): boolean {
  for (const _ in parameters) return true;
  return false;
}
