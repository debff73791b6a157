// What `fill` is given, and what comes of it. In: axes, what was counted before, arrays and values for axes. Out: what is counted then:
// in memory where all arrays are, else lazily, a state for each partition and states combined in a tree.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import { closest } from "../../../core/suggest.ts";
import { makeExpr } from "../../../expr/expr.ts";
import { raggedOf } from "../../../expr/op.ts";
import { type AxisSpec, axesText } from "../../../ragged/hist/axes.ts";
import { type FillAttrs, histFill } from "../../../ragged/hist/fill.ts";
import { type HistState, mergedStates, rowOfState, statesOfRows } from "../../../ragged/hist/histState.ts";
import { zip } from "../../../ragged/index.ts";
import { append, histCombine, histPartial } from "../../../ragged/lazy/structure.ts";
import { apply, SPLIT_EVERY } from "../apply.ts";
import {
  asLazyRagged,
  asRagged,
  isConstant,
  LazyRagged,
  type Ragged,
  RaggedArray,
  type RaggedOperand,
} from "../raggedArrays.ts";

/** Arrays and values by the names of axes, and the weight: `{ met: x, weight: w }`. */
export interface FillNames {
  readonly [name: string]: RaggedOperand;
}
/** What `fill` takes: arrays (or one value for all) in the order of the axes, and behind them some by their names. */
export type FillArguments = readonly (RaggedOperand | FillNames)[];
interface Given {
  /** For each axis, and the weight behind them. */
  readonly constants: readonly (number | string | boolean | null)[];
  readonly arrays: readonly Ragged[];
  readonly weighted: boolean;
}

export function isNames(value: unknown): value is FillNames {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function givenTo(axes: readonly AxisSpec[], args: FillArguments): Given {
  const last = args.at(-1);
  const named = isNames(last) ? last : {};
  const placed = isNames(last) ? args.slice(0, -1) : args;
  const names = axes.map(({ name }) => name);
  const wrong = Object.keys(named).find((name) => ![...names, "weight"].includes(name));
  if (wrong !== undefined)
    throw new ValueError({
      what: `there is no axis ${JSON.stringify(wrong)}`,
      cure: closest(wrong, [...names, "weight"]),
    });
  const values = names.map((name, k) => (k < placed.length ? placed[k] : named[name]));
  const missing = values.indexOf(undefined);
  const twice = names.slice(0, placed.length).find((name) => Object.hasOwn(named, name));
  if (missing >= 0 || twice !== undefined || placed.length > axes.length)
    throw new ValueError({
      what:
        missing >= 0
          ? `nothing is given for the axis ${JSON.stringify(names[missing])}`
          : `${args.length} arguments for ${axes.length} axes`,
      cure: `Give one array for each axis, in order or by name: ${names.join(", ")}`,
    });
  const weighted = named["weight"] !== undefined;
  const all = [...values, ...(weighted ? [named["weight"]] : [])].map((value) =>
    value instanceof Date ? value.toISOString() : value,
  );
  const constants = all.map((value) => (isConstant(value) ? constantOf(value) : null));
  return { constants, arrays: all.filter((value) => !isConstant(value)).map(asRagged), weighted };
}

function constantOf(value: unknown): number | string | boolean {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object") return value as number | string | boolean;
  throw new ValueError({ what: `${describe(value)} cannot be counted`, cure: "Use real numbers" });
}

/** Records of what is counted together. */
function together(arrays: readonly Ragged[]): Ragged {
  if (arrays.length === 0) return asRagged([0]);
  return arrays.length === 1 ? arrays[0]! : (apply(zip as never, arrays, { fields: null }) as Ragged);
}

/** The state of rows, in one partition. */
function lazyState(rows: LazyRagged, attrs: FillAttrs): LazyRagged {
  return combined(new LazyRagged(makeExpr(histPartial, [rows.expr], { ...attrs })), attrs.axes);
}

function combined(states: LazyRagged, axes: string): LazyRagged {
  let state = states.expr;
  while (raggedOf(state.type).partitions > 1)
    state = makeExpr(histCombine, [state], { axes, every: SPLIT_EVERY });
  return new LazyRagged(state);
}

/** A state as a lazy array of one row. */
export const lazyRow = (state: HistState): LazyRagged => asLazyRagged(new RaggedArray(rowOfState(state)));

/** `before` and what is given now. */
export function counted(
  axes: readonly AxisSpec[],
  before: HistState | LazyRagged,
  args: FillArguments,
): HistState | LazyRagged {
  const { constants, arrays, weighted } = givenTo(axes, args);
  const attrs = { axes: axesText(axes), constants: JSON.stringify(constants), weighted };
  const input = together(arrays);
  if (input instanceof RaggedArray && !(before instanceof LazyRagged))
    return mergedStates(axes, [before, ...statesOfRows(histFill.run([input.layout], attrs))]);
  const state = lazyState(asLazyRagged(input), attrs);
  if (before instanceof LazyRagged) return sumOf(axes, before, state);
  const isEmpty = !before.values.some((value) => value !== 0);
  return isEmpty ? state : sumOf(axes, lazyRow(before), state);
}

/** Of two states. */
export const sumOf = (axes: readonly AxisSpec[], a: LazyRagged, b: LazyRagged): LazyRagged =>
  combined(new LazyRagged(makeExpr(append, [a.expr, b.expr], {})), axesText(axes));
