// A user's function of partitions, as an op. In: partitions. Out: what the function made of them, checked against the form
// that was foretold.

import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { sameForm } from "../../core/form/formJson.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { typeText } from "../../core/form/typeText.ts";
import { assertRagged, type RaggedOp as RaggedNode, raggedOf, raggedType } from "../../expr/op.ts";
import { formOf, fromIter, type Layout, plain, plainForm, plainProbe } from "../../ragged/index.ts";
import { commonPartitions, rowsOf, samePlaces } from "../../ragged/lazy/placewise.ts";
import type { FunctionResource } from "../../runtime/userFunctions.ts";
import { RaggedArray } from "./raggedArrays.ts";

/** Where a partition is. */
export interface PartitionInfo {
  /** Its number, from 0. */
  readonly partition: number;
}

export const mapOp: RaggedNode = {
  name: "rg.mapPartitions",
  class: "ragged",
  isOpaque: true,
  isPlacewise: true,
  infer(types, attrs) {
    assertRagged(types);
    return raggedType(parseElementType(attrs["type"] as string), commonPartitions(types));
  },
  demand: (out, types, _, type) => samePlaces(out, types, type),
  async run(inputs, attrs, { box, type }) {
    const call = (attrs["function"] as FunctionResource).loaded as (...args: unknown[]) => unknown;
    const arrays = inputs.map((input) => new RaggedArray(rowsOf(input)));
    const given = await call(...arrays, { partition: box.start[0]! } satisfies PartitionInfo);
    return checkedRows(given, raggedOf(type).form);
  },
  chunks: () => [1],
};

/** What a function gave as rows of the form that was foretold. */
function checkedRows(given: unknown, form: Form): Layout {
  const layout =
    given instanceof RaggedArray ? given.layout : plain(fromIter(Array.isArray(given) ? given : [given]));
  const own = formOf(layout);
  if (sameForm(own, plainForm(form))) return layout;
  if (layout.length === 0) return plainProbe(form);
  throw new ValueError({
    what: `the function gave rows of type ${typeText(own)} where ${typeText(form)} was foretold`,
    cure: "Give `type`, or make rows of one type in every partition",
  });
}
