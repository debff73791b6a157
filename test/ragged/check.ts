// How operations are tried. In: an op, JavaScript values and attributes. Out: the result as JavaScript values, after
// its form was found to be the one that the op foretold and its layout valid.

import { expect } from "vitest";
import { typeText } from "../../src/core/form/typeText.ts";
import {
  formOf,
  formText,
  fromIter,
  type Layout,
  plainForm,
  type RaggedOp,
  toList,
  validate,
} from "../../src/ragged/index.ts";

export function run<A extends object>(op: RaggedOp<A>, inputs: readonly Layout[], attrs: A): Layout {
  const result = op.run(inputs, attrs);
  validate(result);
  const foretold = op.form(inputs.map(formOf), attrs);
  expect(formText(foretold), `${op.name}: the form foretold is ${typeText(foretold)}`).toBe(
    formText(formOf(result)),
  );
  // A result is plain, so that the next operation has nothing to change.
  expect(formText(plainForm(foretold))).toBe(formText(foretold));
  return result;
}

/** The rows of the result, or its only value. */
export function evaluate<A extends object>(
  op: RaggedOp<A>,
  values: readonly (readonly unknown[])[],
  attrs: A,
): unknown {
  const inputs = values.map((rows) => fromIter(rows));
  return unwrapped(op, inputs, attrs);
}

export function unwrapped<A extends object>(op: RaggedOp<A>, inputs: readonly Layout[], attrs: A): unknown {
  const rows = toList(run(op, inputs, attrs));
  return op.isItem(inputs.map(formOf), attrs) ? rows[0] : rows;
}

/** The type of the result, as text. */
export const typeOf = <A extends object>(
  op: RaggedOp<A>,
  values: readonly (readonly unknown[])[],
  attrs: A,
): string =>
  typeText(
    formOf(
      run(
        op,
        values.map((rows) => fromIter(rows)),
        attrs,
      ),
    ),
  );
