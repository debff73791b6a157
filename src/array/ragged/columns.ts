// Necessary columns, for users: which columns a computation reads, and why. The pass itself (ragged/lazy/project.ts)
// is one of the pipeline: `exclude: ["necessaryColumns"]` turns it off.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { type Form, NEEDED, type Need } from "../../core/form/form.ts";
import { lineOf } from "../../expr/site.ts";
import { userCall } from "../../lazy/call.ts";
import { reasonOf } from "../../ragged/demand/index.ts";
import { outlineOf } from "../../ragged/demand/outline.ts";
import { Reading } from "../../ragged/lazy/placewise.ts";
import {
  failuresOf,
  type Projection,
  type ProjectionFailure,
  projectionOf,
  tell,
} from "../../ragged/lazy/project.ts";
import type { OnFail } from "../../runtime/settings.ts";
import { checkRun } from "../../runtime/spec.ts";
import { engine } from "../defaultEngine.ts";
import { LazyRagged } from "./raggedArrays.ts";

/** Options of `rg.necessaryColumns` and `rg.explainColumns`. */
export interface ProjectOptions {
  /** What happens when nobody can say which columns an operation needs: "warn" unless given, "pass" or "raise". */
  readonly onFail?: OnFail | undefined;
}

/** By the name of each source the columns that are read. */
export type NecessaryColumns = { readonly [source: string]: readonly string[] };

/** A column that is read, and why. */
export interface ColumnReason {
  /** The name of the source it is read from. */
  readonly source: string;
  /** Its name: "jets.pt". */
  readonly column: string;
  /** Why it is read. */
  readonly reason: string;
  /** The operation that looks at it, and the user's line, where they are known. */
  readonly op: string | null;
  /** The user's line, where it is known. */
  readonly line: string | null;
  /** Stored bytes, where the source can tell. */
  readonly bytes: number | null;
}

/** Which columns are read, and why, as `rg.explainColumns` gives it; it prints as a list. */
export interface ColumnReport {
  /** The columns that are read. */
  readonly columns: readonly ColumnReason[];
  /** Stored bytes of these, and of all columns. */
  readonly bytesRead: number;
  /** Stored bytes of all columns. */
  readonly bytesInAll: number;
  /** Operations of which nobody can say what they need, with the reason. */
  readonly failures: readonly ProjectionFailure[];
  /** A line for each column, and the bytes. */
  toString(): string;
}

function listOf(arrays: LazyRagged | readonly LazyRagged[]): LazyRagged[] {
  const list: unknown[] = Array.isArray(arrays) ? [...arrays] : [arrays];
  const wrong = list.findIndex((array) => !(array instanceof LazyRagged));
  if (wrong < 0) return list as LazyRagged[];
  throw new ValueError({
    what: `${describe(list[wrong])} is not a lazy ragged array`,
    cure: "Pass one, or a list of them",
  });
}

/** Sources of a projection with their numbers, each with a name of its own. */
function sourcesOf({ exprs, nodes }: Projection): { at: number; reading: Reading; name: string }[] {
  const seen = new Map<string, number>();
  return exprs.flatMap(({ attrs }, at) => {
    const reading = attrs["data"];
    if (!(reading instanceof Reading) || nodes[at]!.op !== null) return [];
    const { name } = reading.source;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return [{ at, reading, name: before === 0 ? name : `${name} (${before + 1})` }];
  });
}

/**
 * Which columns are read of each source: `rg.necessaryColumns(events.field("jets", "pt").sum())` is {"events.parquet":
 * ["jets.pt"]}.
 */
export const necessaryColumns: (
  arrays: LazyRagged | readonly LazyRagged[],
  options?: ProjectOptions,
) => NecessaryColumns = userCall(
  "necessaryColumns",
  (arrays: LazyRagged | readonly LazyRagged[], options: ProjectOptions = {}) => {
    const { columns } = explained(arrays, options);
    const names: { [source: string]: string[] } = {};
    for (const { source, column } of columns) names[source] = [...(names[source] ?? []), column];
    return names;
  },
  [1, "onFail"],
);

/**
 * The same with the reason, the operation, its line and the stored bytes of every column:
 * `console.log(String(rg.explainColumns(x)))`.
 */
export const explainColumns: (
  arrays: LazyRagged | readonly LazyRagged[],
  options?: ProjectOptions,
) => ColumnReport = userCall(
  "explainColumns",
  (arrays: LazyRagged | readonly LazyRagged[], options: ProjectOptions = {}) => explained(arrays, options),
  [1, "onFail"],
);

function explained(arrays: LazyRagged | readonly LazyRagged[], options: ProjectOptions): ColumnReport {
  const roots = [...new Set(listOf(arrays).map(({ expr }) => expr))];
  const projection = projectionOf(roots);
  const { onFail } = checkRun(options, "necessaryColumns", "plan", engine.spec);
  tell(projection, { onFail, told: new Set() });
  let bytesInAll = 0;
  const columns = sourcesOf(projection).flatMap(({ at, reading, name }) => {
    const costs = reading.source.costs();
    bytesInAll += costs.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
    return columnsOf(projection, at, reading, name);
  });
  const bytesRead = columns.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  return {
    columns,
    bytesRead,
    bytesInAll,
    failures: failuresOf(projection),
    toString: () => reportText(columns, bytesRead, bytesInAll),
  };
}

/** Each column once: a list's offsets are read with a leaf's. */
function columnsOf(projection: Projection, at: number, reading: Reading, source: string): ColumnReason[] {
  const need = projection.demand.needs[at]!;
  const costs = reading.source.costs();
  const found = new Map<string, ColumnReason>();
  for (const node of reading.source.touched(need)) {
    const { column, bytes } = costs[node]!;
    if (column === null || found.has(column)) continue;
    found.set(column, {
      source,
      column,
      bytes,
      ...whyOf(projection, at, asked(reading.form, need, node), need[node] === NEEDED),
    });
  }
  return [...found.values()];
}

/** The node itself, or the list or option above it that it is read for. */
function asked(form: Form, need: Need, node: number): number {
  const { parents } = outlineOf(form);
  let at = node;
  while (at > 0 && need[at] !== NEEDED) at = parents[at]!;
  return at;
}

function whyOf(
  { exprs, nodes, demand }: Projection,
  at: number,
  node: number,
  isRead: boolean,
): Pick<ColumnReason, "reason" | "op" | "line"> {
  const reason = reasonOf(nodes, demand, at, node);
  const consumer = reason === null ? null : exprs[reason.consumer]!;
  const what = isRead ? "its values" : "only where its lists and nulls are";
  return {
    reason: consumer === null ? `${what}: they are asked for` : `${what}, for ${consumer.op.name}`,
    op: consumer?.op.name ?? null,
    line: consumer === null ? null : (lineOf(consumer.site) ?? null),
  };
}

function reportText(columns: readonly ColumnReason[], read: number, all: number): string {
  const lines = columns.map(
    ({ source, column, reason, line, bytes }) =>
      `${source}: ${column} (${bytes ?? "?"} B): ${reason}${line === null ? "" : ` at ${line}`}`,
  );
  return [...lines, `${read} of ${all} B`].join("\n");
}
