// Which ops a pattern can match at its root and at its inputs: what dispatch rejects by, before any matching.

import type { Op } from "../expr/op.ts";
import { full } from "../lazy/sources.ts";
import type { Pattern } from "./pattern.ts";

/** The ops a node may have to match; null: any. */
export function rootOps({ form }: Pattern): readonly Op[] | null {
  switch (form.kind) {
    case "variable":
      return null;
    case "literal":
    case "constant":
      return [full];
    case "op":
      return form.ops;
    case "nary":
      return [form.op];
    case "through": {
      const inner = rootOps(form.inner);
      return inner === null ? null : [...new Set([...form.ops, ...inner])];
    }
    default:
      form satisfies never;
      throw form;
  }
}

/** The ops its inputs may have, by position: for dispatch. */
export function inputOps({ form }: Pattern): readonly (ReadonlySet<Op> | null)[] {
  if (form.kind !== "op") return [];
  const certain = form.rest === null ? form.inputs : form.inputs.slice(0, form.rest.at);
  return certain.map((input) => {
    const ops = rootOps(input);
    return ops === null ? null : new Set(ops);
  });
}
