// What an operation on ragged arrays is: a record with a name, what it does to data and what it does to forms.
// In: a kernel on plain layouts. Out: the record. The form is inferred by running the kernel on no rows (probe.ts), so
// must hold: what a kernel gives has a form that depends on the forms of its inputs and its attributes alone.

import type { Attrs } from "../../core/block.ts";
import { AxisError, ChunkwiseError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import type { Demand } from "../demand/outline.ts";
import { isList, type Layout, type Plain } from "../layout/layout.ts";
import { plain } from "../layout/plainLayout.ts";
import { formOfProbe, plainProbe } from "../layout/probe.ts";
import { viewOf } from "../layout/rows.ts";
import type { Rowwise } from "./broadcast.ts";

export interface RaggedOp<A extends object = Attrs> {
  readonly name: string;
  run(inputs: readonly Layout[], attrs: A): Plain;
  /** The form of the result, without data. */
  form(inputs: readonly Form[], attrs: A): Form;
  /** True when the result is one value: the only row of the layout that `run` gives. */
  isItem(inputs: readonly Form[], attrs: A): boolean;
  /** What of the attributes forms depend on; all of them unless it says. */
  formText?(attrs: A): string;
  /** Both at once. */
  infer(inputs: readonly Form[], attrs: A): { readonly form: Form; readonly isItem: boolean };
  /** True when the rows of the result follow from the same rows of the inputs, one partition at a time. */
  isRowwise(inputs: readonly Form[], attrs: A): boolean;
  /** True when it is so, and row i of the result is made of row i. */
  keepsRows(inputs: readonly Form[], attrs: A): boolean;
  /** What it needs of its inputs. */
  readonly demand: Demand<A>;
  /** How many bytes it makes, temporaries with them, of these inputs: said where that may be more than they are, or nothing. */
  growth?(inputs: readonly Plain[], attrs: A): number;
}

/** One value, as a layout of one row (of none, when it is a probe). */
export class Item {
  readonly row: Plain;

  constructor(row: Plain) {
    this.row = row;
  }
}

/** `isProbe` says that rows are missing because only the form is wanted: no row can be out of range then. */
export type Kernel<A> = (inputs: readonly Plain[], attrs: A, isProbe: boolean) => Plain | Item;

export function raggedOp<A extends object>(
  name: string,
  rowwise: Rowwise<NoInfer<A>>,
  demand: Demand<NoInfer<A>>,
  kernel: Kernel<A>,
  growth?: RaggedOp<NoInfer<A>>["growth"],
): RaggedOp<A> {
  const compute = (inputs: readonly Plain[], attrs: A, isProbe: boolean): Plain | Item => {
    try {
      return kernel(inputs, attrs, isProbe);
    } catch (error) {
      throw error instanceof ChunkwiseError ? error.at(name) : error;
    }
  };
  const probe = (inputs: readonly Form[], attrs: A): Plain | Item =>
    compute(inputs.map(plainProbe), attrs, true);
  return {
    name,
    run: (inputs, attrs) => rowsOf(compute(inputs.map(plain), attrs, false)),
    form: (inputs, attrs) => formOfProbe(rowsOf(probe(inputs, attrs))),
    isItem: (inputs, attrs) => probe(inputs, attrs) instanceof Item,
    infer: (inputs, attrs) => {
      const result = probe(inputs, attrs);
      return { form: formOfProbe(rowsOf(result)), isItem: result instanceof Item };
    },
    isRowwise: (inputs, attrs) => rowwise(inputs.map(plainProbe), attrs) !== false,
    keepsRows: (inputs, attrs) => rowwise(inputs.map(plainProbe), attrs) === true,
    demand,
    ...(growth === undefined ? {} : { growth }),
  };
}

/** Of what gives its inputs, or parts of them, as they lie. */
export const nothingMade = (): number => 0;

const rowsOf = (result: Plain | Item): Plain => (result instanceof Item ? result.row : result);

// One row of a layout as what it is: a list becomes an array, anything else is one value. In: a layout of one row (of
// none, when it is a probe). Out: an array or an item. Which of them depends on the form alone: a list that may be
// null is an item.

export function unwrapRow(rows: Plain): Plain | Item {
  return isList(rows) ? viewOf(rows).content : new Item(rows);
}

/** Whole numbers of lists, negative ones counted from the end; an error where there is no such axis. */
export function checkCount(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new AxisError({ what: `${name} is ${String(value)}`, cure: "Use a whole number, 0 or more" });
}
