// What is drawn: numbers, what they stand for, and where they lie between the ends of a scale.

/** A picture's numbers: means of so many elements along each axis. */
export interface Drawn {
  readonly values: Float64Array;
  readonly shape: readonly number[];
  /** Elements of the array along each axis. */
  readonly lengths: readonly number[];
  readonly title: string;
  /** What the ends of the scale stand for. */
  readonly range: readonly [low: number, high: number];
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Where a number lies in the range, from 0 to 1; null for what is not finite. */
export const shareOf = (value: number, [low, high]: Drawn["range"]): number | null =>
  Number.isFinite(value) ? Math.min(1, Math.max(0, (value - low) / (high - low))) : null;

export const numberText = (value: number): string => String(Number(value.toPrecision(5)));

export function rangeOf(values: Float64Array): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
