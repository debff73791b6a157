// Which lists and nulls of arrays are the same ones. In: operations that take parts out of their input as they are. Out: a name
// for each node of the result's form: that of the source's node which it is.
// Must hold: equal names are the same offsets, or the same nulls, row for row.

import { marksOf } from "../layout/indices.ts";
import type { RaggedOp } from "../ops/op.ts";
import { type Applied, type Structures, traceOf } from "./candidate.ts";
import { formKey, Remembered } from "./needs.ts";
import { inputOfMark, nodeOfMark, outlineOf } from "./outline.ts";

export type { Structures } from "./candidate.ts";

/** True when all that it gives are parts of its first input, as they are. */
export const takesOut = ({ name }: RaggedOp<object>, attrs: object): boolean =>
  name === "field" || (name === "get" && (attrs as { items: readonly unknown[] }).items.every(isField));

const isField = (item: unknown): boolean => Array.isArray(item) && item[0] === "field";

type Marks = readonly (readonly number[])[];
const known = new WeakMap<object, Remembered<Marks>>();

/** The nodes of the input that each node of the result is. */
function marksIn({ op, attrs, inputs }: Pick<Applied, "op" | "inputs" | "attrs">): Marks {
  const own = known.get(op) ?? new Remembered<Marks>();
  known.set(op, own);
  return own.get(`${JSON.stringify(attrs)}(${inputs.map(formKey)})`, () =>
    outlineOf(traceOf(op, inputs, attrs).form).nodes.map((node) => marksOf(node) ?? []),
  );
}

export function structuresOf(
  applied: Pick<Applied, "op" | "inputs" | "attrs">,
  inputs: readonly Structures[],
): Structures {
  return marksIn(applied).map((marks) => {
    const names = marks.map((mark) => inputs[inputOfMark(mark)]?.[nodeOfMark(mark)] ?? null);
    return names.length === 0 || names.includes(null) ? null : [...new Set(names)].sort().join("+");
  });
}
