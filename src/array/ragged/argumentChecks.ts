// Arguments of ragged functions, checked where they are given. In: what the user wrote. Out: the same, typed, or an
// error that says what may stand there.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { formOfJson } from "../../core/form/formJson.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import type { WriteTarget } from "../../storage/parquet/index.ts";
import { asRagged, LazyRagged, type RaggedArray } from "./raggedArrays.ts";

/** With undefined where there are holes. */
export const withoutHoles = (list: readonly unknown[]): unknown[] => Array.from(list);

export function checkCount(name: string, value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new ValueError({
    what: `${name} is ${describe(value)}`,
    cure: `Use a whole number of ${least} or more`,
  });
}

export function checkScalar(value: unknown): Scalar {
  if (isScalar(value)) return value;
  throw new ValueError({ what: `${describe(value)} is no single value`, cure: "Use a number or a boolean" });
}

export const checkConstant = (value: unknown): Scalar | string =>
  typeof value === "string" ? value : checkScalar(value);

/** One name, or the names on the way to a field. */
export function checkPath(name: unknown): readonly string[] {
  const path = Array.isArray(name) ? withoutHoles(name) : [name];
  if (path.length > 0 && path.every((part) => typeof part === "string")) return path as string[];
  throw new ValueError({
    what: `${describe(name)} names no field`,
    cure: 'Use a name, as "pt", or names on the way, as ["jets", "pt"]',
  });
}

/** An array in memory. */
export function inMemory(value: unknown): RaggedArray {
  const array = asRagged(value);
  if (array instanceof LazyRagged)
    throw new ValueError({ what: "a lazy array has no values yet", cure: "Compute it first" });
  return array;
}

export function checkTarget(target: unknown): WriteTarget {
  const isPath = typeof target === "string" && target !== "";
  const place = target as { readonly store?: unknown; readonly key?: unknown } | null;
  const isObject = typeof target === "object" && place !== null && typeof place.key === "string";
  if (isPath || (isObject && typeof place.store === "object" && place.store !== null))
    return target as WriteTarget;
  throw new ValueError({
    what: `${describe(target)} is no place to write to`,
    cure: 'Use a path, or {store, key: "/name"}',
  });
}

/** A form, or its JSON as Awkward writes it, as an object or as text. */
export function checkForm(form: unknown): Form {
  if (typeof form === "string") return formOfJson(parsedJson(form));
  if (typeof form === "object" && form !== null && "class" in form) return formOfJson(form);
  if (typeof form === "object" && form !== null && typeof (form as Form).kind === "string")
    return form as Form;
  throw new ValueError({
    what: `${describe(form)} is no form`,
    cure: "Use the form of an array, or its JSON",
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ValueError(
      { what: `${describe(text)} is no JSON of a form`, cure: "Use what Awkward writes" },
      { cause },
    );
  }
}
