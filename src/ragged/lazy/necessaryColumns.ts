// Necessary columns: the pass that narrows the sources of ragged arrays to what results need.
// Equation: results(graph) = results(graph over sources narrowed by demand).
// In: a graph, and what to do where nobody can say what an operation needs. Out: the graph with narrower sources.

import { ChunkwiseError } from "../../core/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { lineOf } from "../../expr/site.ts";
import type { GlobalContext, GlobalRewrite } from "../../rewrite/rule.ts";
import { type Projection, projected, projectionOf } from "./project.ts";

/** An operation of which nobody can say what it needs. */
export interface ProjectionFailure {
  readonly op: string;
  readonly line: string | null;
  readonly reason: string;
}

/** A computation's columns could not be found out, and `onFail` says "raise". */
export class ProjectionError extends ChunkwiseError {}

const reasonText = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);

export function failuresOf({ exprs, failures }: Projection): ProjectionFailure[] {
  return [...failures].map(([at, failure]) => {
    const { op, site } = exprs[at]!;
    return { op: op.name, line: lineOf(site) ?? null, reason: reasonText(failure) };
  });
}

export function tell(projection: Projection, { onFail = "warn", told }: GlobalContext): void {
  if (onFail === "pass") return;
  for (const { op, line, reason } of failuresOf(projection)) {
    const where = `${op}${line === null ? "" : ` at ${line}`}`;
    const what = `nobody can say which columns it needs: ${reason}`;
    if (onFail === "raise")
      throw new ProjectionError({
        where,
        what,
        cure: 'Use onFail: "warn" to read all columns of its arguments',
      });
    if (!told.has(where)) console.warn(`chunkwise: ${where}: ${what}; all columns of its arguments are read`);
    told.add(where);
  }
}

/** Narrows the sources of ragged arrays. */
export const necessaryColumnsPass: GlobalRewrite = {
  name: "necessaryColumns",
  apply(graph, context = { onFail: undefined, told: new Set() }) {
    const roots = graph.outputs;
    if (!graph.toposort().some(({ type }) => type.kind === "ragged")) return;
    const projection = projectionOf(roots);
    tell(projection, context);
    const least = projected(roots, projection);
    const changed = roots.flatMap((root, i): [Expr, Expr][] =>
      root === least[i] ? [] : [[root, least[i]!]],
    );
    if (changed.length > 0) graph.replaceAll(new Map(changed), "necessaryColumns");
  },
};
