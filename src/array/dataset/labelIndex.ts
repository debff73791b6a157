// The labels of a dimension, in memory: which places a label means. In: the values of a coordinate along its own dimension. Out:
// places: one, a range or a list. Must hold: a label that is not there is an error that says which are.

import { describe } from "../../core/chunks.ts";
import { isTime, type TimeDType, unitOf } from "../../core/dtype.ts";
import { IndexError } from "../../core/errors.ts";
import { NO_TIME, rangeOfText, stepsOf, storedTime, type TimeRange, timeShown } from "../../core/times.ts";
import { NDArray } from "../../lazy/ndarray.ts";

/** A label: a number, a date as text or Date. */
export type Label = number | bigint | string | Date;

/** Labels along a dimension: one; from one to another, both included (null: to the end); or each of a list. */
export type LabelSelection =
  | Label
  | readonly [from: Label | null, to: Label | null]
  | { readonly labels: readonly Label[] | NDArray };

/** How labels that are not there are taken. */
export interface SelOptions {
  /** "nearest": the one that is closest. Exact ones only unless given. */
  readonly method?: "nearest" | null | undefined;
  /** How far the nearest may be, in units of the label; of times in steps of the coordinate's unit. */
  readonly tolerance?: number | undefined;
}

/** Places along a dimension: one drops it. */
export type Places = number | readonly number[];

type Value = number | bigint;

export class LabelIndex {
  readonly name: string;
  readonly values: NDArray;
  readonly #own: readonly Value[];

  constructor(name: string, values: NDArray) {
    this.name = name;
    this.values = values;
    this.#own = elementsOf(values);
  }

  get length(): number {
    return this.#own.length;
  }

  /** The places of what is selected. */
  places(selection: LabelSelection, options: SelOptions = {}): Places {
    if (Array.isArray(selection)) return this.#between(selection as readonly [Label | null, Label | null]);
    if (typeof selection === "object" && !(selection instanceof Date)) {
      const { labels } = selection as { readonly labels: readonly Label[] | NDArray };
      const list = labels instanceof NDArray ? ([...labels] as Label[]) : labels;
      return list.map((label) => this.#one(label, options));
    }
    const range = this.#partial(selection as Label);
    return range === null ? this.#one(selection as Label, options) : this.#within(range);
  }

  /** A date that says less than the coordinate does: all that lies in it. */
  #partial(label: Label): TimeRange | null {
    const { dtype } = this.values;
    if (typeof label !== "string" || !isTime(dtype)) return null;
    const range = rangeOfText(label);
    if (range === null) return null;
    const [from, to] = this.#steps(range, dtype);
    return to - from > resolutionOf(this.#own as readonly bigint[], dtype) ? range : null;
  }

  #steps({ from, to }: TimeRange, dtype: TimeDType): readonly [bigint, bigint] {
    const unit = unitOf(dtype);
    return [stepsOf(from, unit, "up"), stepsOf(to, unit, "up")];
  }

  #within(range: TimeRange): readonly number[] {
    const [from, to] = this.#steps(range, this.values.dtype as TimeDType);
    return this.#where((value) => value >= from && value < to);
  }

  #where(test: (value: Value) => boolean): number[] {
    return this.#own.flatMap((value, place) => (value !== NO_TIME && test(value) ? [place] : []));
  }

  /** Ends in either order: latitudes go from north to south as often as not. */
  #between([a, b]: readonly [Label | null, Label | null]): readonly number[] {
    const { dtype } = this.values;
    const ends = (label: Label | null): readonly [Value, Value] | null => {
      if (label === null || label === undefined) return null;
      const range = typeof label === "string" && isTime(dtype) ? rangeOfText(label) : null;
      if (range === null) return [this.#valueOf(label), this.#valueOf(label)];
      const [from, to] = this.#steps(range, dtype as TimeDType);
      return [from, to - 1n];
    };
    const [first, second] = [ends(a), ends(b)];
    const isTurned = first !== null && second !== null && first[0] > second[0];
    const [low, high] = isTurned ? [second, first] : [first, second];
    return this.#where((value) => (low === null || value >= low[0]) && (high === null || value <= high[1]));
  }

  #one(label: Label, { method, tolerance }: SelOptions): number {
    const wanted = this.#valueOf(label);
    const place = method === "nearest" ? this.#nearest(wanted) : this.#own.indexOf(wanted);
    const isFar = place >= 0 && tolerance !== undefined && distance(this.#own[place]!, wanted) > tolerance;
    if (place >= 0 && !isFar) return place;
    throw new IndexError({
      what: `${this.name} has no label ${describe(label instanceof Date ? label.toISOString() : label)}${isFar ? ` within ${tolerance}` : ""}: ${this.#text()}`,
      cure: isFar
        ? "Allow a larger tolerance"
        : 'Use a label that is there, [from, to], or {method: "nearest"}',
    });
  }

  #nearest(wanted: Value): number {
    let best = -1;
    this.#own.forEach((value, place) => {
      if (value === NO_TIME || Number.isNaN(value)) return;
      if (best < 0 || distance(value, wanted) < distance(this.#own[best]!, wanted)) best = place;
    });
    return best;
  }

  /** As the coordinate holds it: whole numbers of 64 bits are bigints. */
  #valueOf(label: Label): Value {
    const { dtype, data } = this.values;
    if (isTime(dtype)) return storedTime(label, dtype);
    const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
    if (typeof label === "bigint" || typeof label === "number")
      return isWide && Number.isInteger(Number(label)) ? BigInt(label) : Number(label);
    throw new IndexError({
      what: `${describe(label)} is no label of ${this.name}, which is ${dtype}`,
      cure: "Labels of numbers are numbers",
    });
  }

  #text(): string {
    const shown = (value: Value): string =>
      isTime(this.values.dtype) ? timeShown(this.values.dtype, value as bigint) : String(value);
    const { length } = this.#own;
    if (length === 0) return "there are none";
    return `they go from ${shown(this.#own[0]!)} to ${shown(this.#own[length - 1]!)} (${length} of them)`;
  }
}

const elementsOf = (values: NDArray): Value[] =>
  isTime(values.dtype)
    ? Array.from(values.toContiguous().data as BigInt64Array)
    : [...values].map((value, i) => {
        const { data } = values;
        const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
        if (isWide) return BigInt(value as number | bigint);
        return typeof value === "number" ? value : Number.isNaN(Number(value)) ? i : Number(value);
      });

function distance(a: Value, b: Value): number {
  const d = Number(a) - Number(b);
  if (typeof a === "bigint" && typeof b === "bigint") return Number(a > b ? a - b : b - a);
  return Math.abs(d);
}

/** Steps of the finest of day, hour, minute, second and the unit that all times are whole numbers of. */
function resolutionOf(values: readonly bigint[], dtype: TimeDType): bigint {
  const per = PER_SECOND[unitOf(dtype)];
  if (per === undefined) return 1n;
  for (const seconds of [86_400n, 3600n, 60n, 1n]) {
    const step = seconds * per;
    if (values.every((value) => value === NO_TIME || value % step === 0n)) return step;
  }
  return 1n;
}

const PER_SECOND: { readonly [unit: string]: bigint } = {
  ...{ s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n },
};
