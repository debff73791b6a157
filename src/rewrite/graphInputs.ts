// The inputs of a function graph: arrays that it is a function of, perhaps with names. In: what was given. Out: nodes, and
// their names. Must hold: an input is an array that nothing computes; every array that holds data is an input.

import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { Expr, postOrder } from "../expr/expr.ts";
import { lineText, shortText } from "./matchText.ts";

/** In order, or by name. */
export type GraphInputs = readonly Expr[] | { readonly [name: string]: Expr };

const entriesOf = (inputs: GraphInputs): readonly (readonly [string, Expr])[] =>
  Array.isArray(inputs) ? inputs.map((input, i) => [`input ${i}`, input]) : Object.entries(inputs);

export function checkedInputs(inputs: GraphInputs): readonly Expr[] {
  const seen = new Map<Expr, string>();
  for (const [name, input] of entriesOf(inputs)) {
    if (!(input instanceof Expr))
      throw new ValueError({
        what: `${name} of the graph is ${describe(input)}, no node`,
        cure: "Give nodes: of a lazy array that is x.expr",
      });
    if (input.inputs.length > 0)
      throw new ValueError({
        what: `${name} of the graph is computed: ${lineText(input)}`,
        cure: "Inputs are what nothing computes; leave it out, or give what it is made of",
      });
    if (seen.has(input))
      throw new ValueError({
        what: `${name} of the graph is the same as ${seen.get(input)}`,
        cure: "Give it once",
      });
    seen.set(input, name);
  }
  return [...seen.keys()];
}

export const namesOf = (inputs: GraphInputs): ReadonlyMap<Expr, string> =>
  Array.isArray(inputs) ? new Map() : new Map(Object.entries(inputs).map(([name, node]) => [node, name]));

/** An array that holds data and is no input is one that was forgotten. */
export function checkSources(inputs: readonly Expr[], outputs: readonly Expr[]): void {
  for (const output of outputs)
    if (!(output instanceof Expr))
      throw new ValueError({
        what: `an output of the graph is ${describe(output)}, no node`,
        cure: "Give nodes",
      });
  const given = new Set(inputs);
  const missing = postOrder(outputs).find(
    (node) => node.op.class === "source" && node.op.body === null && !given.has(node),
  );
  if (missing === undefined) return;
  throw new ValueError({
    what: `the graph needs ${shortText(missing)}, which is not among its ${inputs.length} inputs`,
    cure: "Give it as an input too",
  });
}
