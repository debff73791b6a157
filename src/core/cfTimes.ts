// "days since 1850-01-01": how climate data count time (the CF conventions). In: the attributes `units` and `calendar`. Out: how long
// a step is and when step 0 was, or null for what is no time here. Must hold: a count of days is the same instant as everywhere.

import type { TimeUnit } from "./dtype.ts";
import { instantOfText } from "./form/exactNumbers.ts";

/** A counted time: value · factor + offset steps of a unit, since 1970. */
export interface CountedTime {
  readonly kind: "instant" | "span";
  /** The unit that whole steps are told in without loss. */
  readonly unit: TimeUnit;
  readonly factor: bigint;
  readonly offset: bigint;
}

/** In the finest unit each is told in: [unit, how many of it]. */
const STEPS: { readonly [name: string]: readonly [TimeUnit, bigint] } = {
  day: ["s", 86_400n],
  hour: ["s", 3600n],
  minute: ["s", 60n],
  second: ["s", 1n],
  millisecond: ["ms", 1n],
  microsecond: ["us", 1n],
  nanosecond: ["ns", 1n],
};

const SHORT: { readonly [name: string]: string } = {
  ...{ d: "day", h: "hour", hr: "hour", min: "minute", sec: "second", s: "second" },
  ...{
    msec: "millisecond",
    millisec: "millisecond",
    ms: "millisecond",
    microsec: "microsecond",
    us: "microsecond",
  },
  ns: "nanosecond",
};

function stepNamed(word: string): readonly [TimeUnit, bigint] | undefined {
  const name = word.toLowerCase();
  const single = name.length > 3 || name in SHORT ? name.replace(/s$/, "") : name;
  return STEPS[SHORT[name] ?? SHORT[single] ?? single];
}

const SINCE = /^\s*(\w+)\s+since\s+(.+)$/i;
const DATE =
  /^([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?\s*(?:Z|UTC|GMT|([+-])(\d{1,2}):?(\d{2})?)?$/i;

const PER_SECOND: { readonly [unit: string]: bigint } = {
  s: 1n,
  ms: 1000n,
  us: 1_000_000n,
  ns: 1_000_000_000n,
};

/** Null for what is no count of a fixed step, and for calendars in which days are others. */
export function countedTime(units: string, calendar = "standard"): CountedTime | null {
  const [, word, date] = SINCE.exec(units) ?? [];
  if (word === undefined) {
    const step = /s$/.test(units) ? STEPS[units.replace(/s$/, "")] : undefined;
    return step === undefined ? null : { kind: "span", unit: step[0], factor: step[1], offset: 0n };
  }
  const step = stepNamed(word);
  const seconds = step === undefined ? null : secondsOf(date!.trim(), calendar.toLowerCase());
  if (step === undefined || seconds === null) return null;
  return { kind: "instant", unit: step[0], factor: step[1], offset: seconds * PER_SECOND[step[0]]! };
}

/** When it was, in whole seconds since 1970; null where nobody can tell. */
function secondsOf(text: string, calendar: string): bigint | null {
  const [found, y, m, d, h = "0", min = "0", s = "0", fraction = "", sign, zh = "0", zm = "0"] =
    DATE.exec(text) ?? [];
  if (found === undefined || Number(fraction) > 0) return null;
  const days = daysIn(calendar, Number(y), Number(m), Number(d));
  if (days === null) return null;
  const zone = 60n * (60n * BigInt(zh) + BigInt(zm ?? "0")) * (sign === "-" ? -1n : 1n);
  return BigInt(days) * 86_400n + 3600n * BigInt(h) + 60n * BigInt(min) + BigInt(s) - zone;
}

/** The day on which the Gregorian calendar began: 1582-10-15. */
const REFORM = -141_427;

function daysIn(calendar: string, y: number, m: number, d: number): number | null {
  if (!["standard", "gregorian", "proleptic_gregorian"].includes(calendar)) return null;
  const gregorian = gregorianDays(y, m, d);
  // Before the reform "standard" means the Julian calendar.
  if (calendar === "proleptic_gregorian" || gregorian === null || gregorian >= REFORM) return gregorian;
  return julianDays(y, m, d);
}

function gregorianDays(y: number, m: number, d: number): number | null {
  const year =
    y >= 0 && y <= 9999
      ? String(y).padStart(4, "0")
      : `${y < 0 ? "-" : "+"}${String(Math.abs(y)).padStart(6, "0")}`;
  const at = instantOfText(`${year}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`);
  return at === null ? null : Number(at.digits / 86_400n);
}

/** Days since 1970-01-01 of the Gregorian calendar: a year has 365.25 days; 0001-01-01 was 0000-12-30. */
function julianDays(y: number, m: number, d: number): number {
  const [year, month] = m > 2 ? [y, m - 3] : [y - 1, m + 9];
  return Math.floor(365.25 * year) + Math.floor((153 * month + 2) / 5) + d - 1 - 719_470;
}
