// One call of an operation: at once where everything is in memory, as a node where something is lazy. In: a record of
// the ragged op table, arrays, attributes. Out: an array, or one value. Operations that look at several rows at once
// become what can be done partition by partition, where there is a way; else the rows are gathered first.

import type { Attrs } from "../../core/attrs.ts";
import type { DType } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { raggedOf } from "../../expr/op.ts";
import { type RaggedOp, REDUCTIONS, reduceFinish, toList } from "../../ragged/index.ts";
import { depthOfForm } from "../../ragged/lazy/depth.ts";
import { areKnown, rowsOfExpr } from "../../ragged/lazy/partitionRows.ts";
import { nodeOfRecord } from "../../ragged/lazy/placewise.ts";
import { allRows, combine, partial } from "../../ragged/lazy/structure.ts";
import { aligned } from "./align.ts";
import { asLazyRagged } from "./operands.ts";
import { LazyRagged, lazyFrom, type Ragged, RaggedArray, type RaggedValue } from "./raggedArrays.ts";
import { selectRows } from "./selectRows.ts";

/** What functions give: an array of the kind that they were given, or a value. */
export type Applied = Ragged | RaggedValue;

export function apply(record: RaggedOp<never>, inputs: readonly Ragged[], attrs: object = {}): Applied {
  const op = record as unknown as RaggedOp<object>;
  const given = withoutUndefined(attrs);
  return inputs.some((input) => input instanceof LazyRagged)
    ? lazyFrom(lazily(op, inputs.map(asLazyRagged), given))
    : eagerly(op, inputs as readonly RaggedArray[], given);
}

/** Only what was said, so that equal calls are equal nodes. */
function withoutUndefined(attrs: object): Attrs {
  if (!Object.values(attrs).includes(undefined)) return attrs as Attrs;
  return Object.fromEntries(Object.entries(attrs).filter(([, value]) => value !== undefined)) as Attrs;
}

function eagerly(record: RaggedOp<object>, inputs: readonly RaggedArray[], attrs: Attrs): Applied {
  const layouts = inputs.map(({ layout }) => layout);
  const result = record.run(layouts, attrs);
  const isItem = record.isItem(
    inputs.map(({ form }) => form),
    attrs,
  );
  return isItem ? (toList(result)[0] as RaggedValue) : new RaggedArray(result);
}

function lazily(record: RaggedOp<object>, arrays: readonly LazyRagged[], attrs: Attrs): Expr {
  const inputs = arrays.map(({ expr }) => expr);
  const types = inputs.map(({ type }) => raggedOf(type));
  const forms = types.map(({ form }) => form);
  if (types.every(({ partitions }) => partitions === 1)) return makeExpr(nodeOfRecord(record), inputs, attrs);
  if (record.isRowwise(forms, attrs))
    return isStretched(inputs)
      ? gathered(record, inputs, attrs)
      : makeExpr(nodeOfRecord(record), aligned(arrays), attrs);
  const reduced = REDUCTIONS[record.name] === record ? reduceAll(record, inputs[0]!, attrs) : null;
  if (reduced !== null) return reduced;
  return selectRows(record, inputs, attrs) ?? gathered(record, inputs, attrs);
}

/** Is there one row that goes with all rows of the others? */
function isStretched(inputs: readonly Expr[]): boolean {
  if (inputs.length === 1) return false;
  const counts = inputs
    .filter(({ type }) => !raggedOf(type).isItem)
    .map(rowsOfExpr)
    .map((rows) => (areKnown(rows) ? rows.reduce((sum, n) => sum + n, 0) : null));
  return counts.includes(1) && counts.some((count) => count !== 1);
}

/** All rows in one partition. */
export function gather(input: Expr): Expr {
  const { partitions } = raggedOf(input.type);
  return partitions === 1 ? input : makeExpr(allRows, [input], { first: 0, last: partitions });
}

const gathered = (record: RaggedOp<object>, inputs: readonly Expr[], attrs: Attrs): Expr =>
  makeExpr(nodeOfRecord(record), inputs.map(gather), attrs);

/** How many states become one: few enough to be held, many enough for few levels. */
const SPLIT_EVERY = 8;

/** A state for each partition, combined in a tree; null for what has no such states: strings, records. */
function reduceAll(record: RaggedOp<object>, input: Expr, attrs: Attrs): Expr | null {
  const { name } = record;
  const { axis = null } = attrs as { axis?: number | null };
  const { form } = raggedOf(input.type);
  const depth = depthOfForm(form);
  const over = axis === null ? null : 0;
  let state = partialOf(input, { name, axis: over });
  if (state === null) return null;
  while (raggedOf(state.type).partitions > 1)
    state = makeExpr(combine, [state], { name, axis: over, every: SPLIT_EVERY });
  const dtype = leafDType(record.form([form], attrs));
  return makeExpr(nodeOfRecord(reduceFinish), [state], {
    ...attrs,
    name,
    axis: over,
    depth,
    dtype,
  });
}

function partialOf(input: Expr, attrs: Attrs): Expr | null {
  try {
    return makeExpr(partial, [input], attrs);
  } catch (error) {
    if (error instanceof DTypeError) return null;
    throw error;
  }
}

function leafDType(form: Form): DType {
  let node = form;
  while ("content" in node) node = node.content;
  return node.kind === "numpy" ? node.dtype : "float64";
}
