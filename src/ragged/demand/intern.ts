// Equal forms as one object. In: forms, which operations make anew each time. Out: for each the first one seen that has
// the same nodes, so that what was found out for one computation is found again for the next. Keys do not count, nor
// how wide stored integers are: no operation sees them.

import type { Form } from "../../core/form/form.ts";

/** Beyond this everything is forgotten: it costs no more than finding it out again. */
const MOST = 1000;

const numbers = new WeakMap<Form, number>();
const numbersByText = new Map<string, number>();
const firstSeen = new Map<number, Form>();
let next = 0;

/** Equal for equal forms, unless everything was forgotten in between. */
export function formNumber(form: Form): number {
  const known = numbers.get(form);
  if (known !== undefined) return known;
  const text = textOf(form);
  const number = numbersByText.get(text) ?? next++;
  if (numbersByText.size > MOST) forget();
  numbersByText.set(text, number);
  numbers.set(form, number);
  if (!firstSeen.has(number)) firstSeen.set(number, form);
  return number;
}

export const internedForm = (form: Form): Form => firstSeen.get(formNumber(form)) ?? form;

function textOf(form: Form): string {
  if ("content" in form) return `${ownText(form)}(${textOf(form.content)})`;
  if (!("contents" in form)) return ownText(form);
  let text = `${ownText(form)}(`;
  for (const content of form.contents) text += `${textOf(content)},`;
  return `${text})`;
}

function forget(): void {
  numbersByText.clear();
  firstSeen.clear();
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
