// Dates and times of dense arrays: what a stored step stands for, as text and back. In: whole numbers of a dtype's unit, or ISO
// 8601 texts, parts of which may be left out at the end. Out: the other. Must hold: what is shown, parsed again, is the same.

import { kindOf, type TimeDType, type TimeUnit, unitOf } from "./dtype.ts";
import { DTypeError, ValueError } from "./errors.ts";
import { dateText, digitsAt, type Exact, instantOfText, spanOfText, spanText } from "./form/exactNumbers.ts";

/** The least int64 stands for no time at all. */
export const NO_TIME: bigint = -(2n ** 63n);

/** How long a step is: so many months, or factor · 10^−exponent seconds. */
type Step =
  | { readonly months: bigint }
  | { readonly months: null; readonly factor: bigint; readonly exponent: number };

const seconds = (factor: number, exponent = 0): Step => ({ months: null, factor: BigInt(factor), exponent });

const STEPS: { readonly [U in TimeUnit]: Step } = {
  Y: { months: 12n },
  M: { months: 1n },
  W: seconds(604_800),
  D: seconds(86_400),
  h: seconds(3600),
  m: seconds(60),
  s: seconds(1),
  ms: seconds(1, 3),
  us: seconds(1, 6),
  ns: seconds(1, 9),
};

/** How many steps of the finer unit one of the coarser is; null where months are no number of days. */
export function stepsIn(coarse: TimeUnit, fine: TimeUnit): bigint | null {
  const [a, b] = [STEPS[coarse], STEPS[fine]];
  if (a.months !== null || b.months !== null)
    return a.months !== null && b.months !== null && a.months % b.months === 0n ? a.months / b.months : null;
  const at = Math.max(a.exponent, b.exponent);
  const [x, y] = [a.factor * 10n ** BigInt(at - a.exponent), b.factor * 10n ** BigInt(at - b.exponent)];
  return x % y === 0n ? x / y : null;
}

const floorDivide = (x: bigint, by: bigint): bigint => (x - (((x % by) + by) % by)) / by;

/** Months since the year 0 as "2024-02". */
function monthText(months: bigint): string {
  const year = floorDivide(months, 12n);
  const years = year >= 0n && year <= 9999n ? String(year).padStart(4, "0") : signedYear(year);
  return `${years}-${String(months - 12n * year + 1n).padStart(2, "0")}`;
}

const signedYear = (year: bigint): string =>
  `${year < 0n ? "-" : "+"}${String(year < 0n ? -year : year).padStart(6, "0")}`;

/** So much of "05:30:00.123" is shown of a unit. */
const SHOWN: { readonly [U in TimeUnit]: number } = {
  ...{ Y: 0, M: 0, W: 0, D: 0 },
  ...{ h: 2, m: 5, s: 8, ms: 12, us: 15, ns: 18 },
};

function instantShown(stored: bigint, unit: TimeUnit): string {
  const step = STEPS[unit];
  if (step.months !== null) {
    const text = monthText(stored * step.months + MONTHS_AT_ZERO);
    return unit === "Y" ? text.slice(0, -3) : text;
  }
  const perDay = 86_400n * 10n ** BigInt(step.exponent);
  const all = stored * step.factor;
  const day = floorDivide(all, perDay);
  const date = dateText(Number(day));
  if (SHOWN[unit] === 0) return date;
  const rest = all - day * perDay;
  const one = 10n ** BigInt(step.exponent);
  const [h, m, s] = [rest / (3600n * one), (rest / (60n * one)) % 60n, (rest / one) % 60n];
  const clock = [h, m, s].map((part) => String(part).padStart(2, "0")).join(":");
  const fraction = step.exponent === 0 ? "" : `.${String(rest % one).padStart(step.exponent, "0")}`;
  return `${date}T${`${clock}${fraction}`.slice(0, SHOWN[unit])}`;
}

/** January of the year 1970, in months since the year 0. */
const MONTHS_AT_ZERO = 12n * 1970n;

function spanShown(stored: bigint, unit: TimeUnit): string {
  const step = STEPS[unit];
  if (step.months === null) return spanText({ digits: stored * step.factor, exponent: step.exponent });
  return `${stored < 0n ? "-" : ""}P${stored < 0n ? -stored : stored}${unit}`;
}

/** As ISO 8601 has it: "2020-07-01T05:30", "P3D"; "NaT" for none. */
export function timeShown(dtype: TimeDType, stored: bigint): string {
  if (stored === NO_TIME) return "NaT";
  return (kindOf(dtype) === "instant" ? instantShown : spanShown)(stored, unitOf(dtype));
}

const PARTS =
  /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?)?(Z)?$/;

/** Points in time that a text stands for: from the first to before the second, in seconds; and months where it says no day. */
export interface TimeRange {
  readonly from: Exact;
  readonly to: Exact;
  /** Since 1970-01, where the text ends with a year or a month. */
  readonly months: bigint | null;
}

const firstOf = (year: number, month: number): Exact => {
  const [y, m] = month > 12 ? [year + 1, month - 12] : [year, month];
  const text = `${y >= 0 && y <= 9999 ? String(y).padStart(4, "0") : signedYear(BigInt(y))}-${String(m).padStart(2, "0")}-01`;
  return instantOfText(text)!;
};

const after = (from: Exact, by: Exact): Exact => {
  const at = Math.max(from.exponent, by.exponent);
  return { digits: digitsAt(from, at) + digitsAt(by, at), exponent: at };
};

/** Of "2020", "2020-07", "2020-07-01", "2020-07-01T05", …; null for what is no date. */
export function rangeOfText(text: string): TimeRange | null {
  const trimmed = text.trim();
  const [found, y, month, day, h, m, s, fraction] = PARTS.exec(trimmed) ?? [];
  if (found === undefined || y === undefined) {
    const at = instantOfText(trimmed);
    return at === null
      ? null
      : { from: at, to: after(at, { digits: 1n, exponent: at.exponent }), months: null };
  }
  const year = Number(y);
  const months = BigInt(12 * (year - 1970) + Number(month ?? 1) - 1);
  if (month !== undefined && (Number(month) < 1 || Number(month) > 12)) return null;
  if (day === undefined) {
    const count = month === undefined ? 12 : 1;
    const first = Number(month ?? 1);
    return { from: firstOf(year, first), to: firstOf(year, first + count), months };
  }
  const clock =
    h === undefined ? "" : `T${h}:${m ?? "00"}:${s ?? "00"}${fraction === undefined ? "" : `.${fraction}`}`;
  const from = instantOfText(`${y}-${month}-${day}${clock}`);
  if (from === null) return null;
  const length = h === undefined ? 86_400n : m === undefined ? 3600n : s === undefined ? 60n : 1n;
  return { from, to: after(from, { digits: length, exponent: fraction?.length ?? 0 }), months: null };
}

/** Steps of a unit, rounded down or up. */
export function stepsOf(exact: Exact, unit: TimeUnit, way: "down" | "up"): bigint {
  const step = STEPS[unit];
  if (step.months !== null) return monthsAt(exact, step.months, way);
  const at = Math.max(step.exponent, exact.exponent);
  const digits = digitsAt(exact, at);
  const one = step.factor * 10n ** BigInt(at - step.exponent);
  return way === "down" ? floorDivide(digits, one) : -floorDivide(-digits, one);
}

function monthsAt(exact: Exact, per: bigint, way: "down" | "up"): bigint {
  const day = floorDivide(exact.digits, 86_400n * 10n ** BigInt(exact.exponent));
  const text = dateText(Number(day));
  const [year, month] = [Number(text.slice(0, -6)), Number(text.slice(-5, -3))];
  const whole = floorDivide(BigInt(12 * (year - 1970) + month - 1), per);
  const first = firstOf(year, Number(whole * per - 12n * BigInt(year - 1970)) + 1);
  const isThere = digitsAt(first, exact.exponent) === exact.digits;
  return way === "down" || isThere ? whole : whole + 1n;
}

/** What a user writes as a date, a time or a span, as it is stored; an error where the unit cannot say it. */
export function storedTime(value: unknown, dtype: TimeDType): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (value === "NaT" || value === null) return NO_TIME;
  const unit = unitOf(dtype);
  const text = value instanceof Date && Number.isFinite(value.getTime()) ? value.toISOString() : value;
  const exact = typeof text === "string" ? exactOf(text, dtype) : null;
  if (exact === null)
    throw new ValueError({
      what: `${typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : typeof value} is no value of ${dtype}`,
      cure:
        kindOf(dtype) === "instant"
          ? 'Write it as "2020-07-01T05:30", or "NaT"'
          : 'Write it as "P3DT2H", or "NaT"',
    });
  const stored = stepsOf(exact, unit, "down");
  if (stored === stepsOf(exact, unit, "up")) return stored;
  throw new DTypeError({
    what: `${JSON.stringify(text)} is no whole number of steps of ${dtype}`,
    cure: "Use a finer unit",
  });
}

function exactOf(text: string, dtype: TimeDType): Exact | null {
  return kindOf(dtype) === "instant" ? (rangeOfText(text)?.from ?? null) : spanOfText(text);
}
