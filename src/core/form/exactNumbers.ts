// Exact numbers: n · 10^−exponent, in whole numbers of any size. In: text as people write it, or what is stored. Out: text, and
// numbers to compare and to compute with. What decimals, dates and times stand for; times in seconds.

/** digits · 10^−exponent. */
export interface Exact {
  readonly digits: bigint;
  readonly exponent: number;
}

const TEN = 10n;
const powerOfTen = (exponent: number): bigint => TEN ** BigInt(exponent);

/** The digits of a number at an exponent that is no smaller than its own. */
export const digitsAt = ({ digits, exponent }: Exact, at: number): bigint =>
  digits * powerOfTen(at - exponent);

/** Below 0, 0 or above 0. */
export function compareExact(a: Exact, b: Exact): number {
  const at = Math.max(a.exponent, b.exponent);
  const [x, y] = [digitsAt(a, at), digitsAt(b, at)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The same number with the fewest digits behind the point, but `least`. */
export function shortened({ digits, exponent }: Exact, least = 0): Exact {
  let [n, at] = [digits, exponent];
  while (at > least && n % TEN === 0n) {
    n /= TEN;
    at--;
  }
  return { digits: n, exponent: at };
}

/** How many digits there are before and behind the point together, and how many behind it. */
export function sizeOfExact({ digits, exponent }: Exact): { precision: number; scale: number } {
  const length = String(digits < 0n ? -digits : digits).length;
  return { precision: Math.max(length, exponent, 1), scale: exponent };
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Of "-1.05", "1e3"; null for what is no number. */
export function exactOfText(text: string): Exact | null {
  const [, sign, whole = "", fraction = "", power = "0"] = NUMBER.exec(text.trim()) ?? [];
  if (sign === undefined || whole.length + fraction.length === 0) return null;
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const exponent = fraction.length - Number(power);
  return exponent >= 0 ? { digits, exponent } : { digits: digits * powerOfTen(-exponent), exponent: 0 };
}

/** What its shortest text says: 0.1 is one tenth. Null for NaN and infinities. */
export function exactOfNumber(value: number | bigint): Exact | null {
  if (typeof value === "bigint") return { digits: value, exponent: 0 };
  return Number.isFinite(value) ? exactOfText(String(value)) : null;
}

/** With all its digits: "-1.05". */
export function textOfExact({ digits, exponent }: Exact): string {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(exponent + 1, "0");
  const point = text.length - exponent;
  return exponent === 0 ? `${sign}${text}` : `${sign}${text.slice(0, point)}.${text.slice(point)}`;
}

/** Digits that any double of that many says exactly. */
const SAFE_DIGITS = 15;

/** A number where one says it exactly, as text otherwise. */
export function valueOfExact(exact: Exact): number | string {
  const text = textOfExact(exact);
  return text.replace(/^-?0*\.?0*|\./g, "").length <= SAFE_DIGITS ? Number(text) : text;
}

/** Rounded down, and what is left of 1. */
function split({ digits, exponent }: Exact): { whole: bigint; rest: Exact } {
  const one = powerOfTen(exponent);
  const rest = ((digits % one) + one) % one;
  return { whole: (digits - rest) / one, rest: { digits: rest, exponent } };
}

const two = (value: number): string => String(value).padStart(2, "0");

/** ".5", ".123456", or nothing: in threes, as units go. */
function fractionText(rest: Exact): string {
  if (rest.digits === 0n) return "";
  const text = String(rest.digits).padStart(rest.exponent, "0");
  return `.${text.slice(0, 3 * Math.ceil(text.replace(/0+$/, "").length / 3))}`;
}

/** Seconds since midnight as "12:34:56.789". */
export function timeText(seconds: Exact): string {
  const { whole, rest } = split(seconds);
  const [s, m, h] = [
    Number(whole) % 60,
    Math.floor(Number(whole) / 60) % 60,
    Math.floor(Number(whole) / 3600),
  ];
  return `${two(h)}:${two(m)}:${two(s)}${fractionText(rest)}`;
}

const DAY = 86_400n;

/** Days since 1970-01-01 as "2024-02-29", in the Gregorian calendar, as long as there were days. */
export function dateText(days: number): string {
  // Years begin in March, so that what is counted ends with the leap day (H. Hinnant, days_from_civil).
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const day = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365,
  );
  const dayOfYear = day - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  const dayText = two(dayOfYear - Math.floor((153 * month + 2) / 5) + 1);
  return `${yearText(year)}-${two(month < 10 ? month + 3 : month - 9)}-${dayText}`;
}

/** Years of more or less than four digits have a sign, as ISO 8601 has it. */
function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/** Seconds since 1970-01-01 as "2024-02-29T12:34:56.789". */
export function instantText(seconds: Exact): string {
  const { whole, rest } = split(seconds);
  const ofDay = ((whole % DAY) + DAY) % DAY;
  const time = timeText({
    digits: digitsAt({ digits: ofDay, exponent: 0 }, rest.exponent) + rest.digits,
    exponent: rest.exponent,
  });
  return `${dateText(Number((whole - ofDay) / DAY))}T${time}`;
}

/** Seconds as ISO 8601 has spans: "P1DT2H3M4.5S", "-PT0.5S", "PT0S". */
export function spanText(seconds: Exact): string {
  const isNegative = seconds.digits < 0n;
  const { whole, rest } = split(isNegative ? { ...seconds, digits: -seconds.digits } : seconds);
  const parts = { D: whole / DAY, H: (whole % DAY) / 3600n, M: (whole % 3600n) / 60n };
  const day = parts.D === 0n ? "" : `${parts.D}D`;
  const s = `${whole % 60n}${fractionText(rest)}`;
  const time = `${parts.H === 0n ? "" : `${parts.H}H`}${parts.M === 0n ? "" : `${parts.M}M`}${s === "0" ? "" : `${s}S`}`;
  const text = `P${day}${time === "" ? "" : `T${time}`}`;
  return `${isNegative ? "-" : ""}${text === "P" ? "PT0S" : text}`;
}

const CLOCK = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?`;
const TIME = new RegExp(`^${CLOCK}Z?$`);
const INSTANT = new RegExp(String.raw`^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[T ]${CLOCK})?(Z|[+-]\d\d:?\d\d)?$`);
const SPAN = /^([+-]?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9}))?S)?)?$/;

function clock(h: string | undefined, m: string | undefined, s = "0", fraction = ""): Exact | null {
  const [hours, minutes, seconds] = [Number(h ?? 0), Number(m ?? 0), Number(s)];
  if (hours > 24 || minutes > 59 || seconds > 59) return null;
  const whole = BigInt(3600 * hours + 60 * minutes + seconds);
  return {
    digits: whole * powerOfTen(fraction.length) + BigInt(fraction === "" ? 0 : fraction),
    exponent: fraction.length,
  };
}

/** Seconds since midnight; null for what is no time. */
export function timeOfText(text: string): Exact | null {
  const [found, h, m, s, fraction] = TIME.exec(text.trim()) ?? [];
  return found === undefined ? null : clock(h, m, s, fraction);
}

/** Seconds since 1970-01-01, in UTC unless the text has an offset; null for what is no date or point in time. */
export function instantOfText(text: string): Exact | null {
  const [found, year, month, day, h, m, s, fraction, zone] = INSTANT.exec(text.trim()) ?? [];
  const time = found === undefined ? null : clock(h, m, s, fraction);
  const days = found === undefined ? null : daysOf(Number(year), Number(month), Number(day));
  if (time === null || days === null) return null;
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? "") ?? [];
  const offset = BigInt(60 * Number(hours) + Number(minutes)) * 60n * (sign === "-" ? -1n : 1n);
  const whole = { digits: BigInt(days) * DAY - offset, exponent: 0 };
  return { digits: digitsAt(whole, time.exponent) + time.digits, exponent: time.exponent };
}

/** Null where there is no such day. */
function daysOf(year: number, month: number, day: number): number | null {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const days = era * 146_097 + dayOfEra - 719_468;
  return dateText(days) === `${yearText(year)}-${two(month)}-${two(day)}` ? days : null;
}

/** Seconds; null for what is no span of days, hours, minutes and seconds. */
export function spanOfText(text: string): Exact | null {
  const [found, sign, d = "0", h = "0", m = "0", s = "0", fraction = ""] = SPAN.exec(text.trim()) ?? [];
  if (found === undefined || /[PT]$/.test(found)) return null;
  const whole = BigInt(d) * DAY + BigInt(h) * 3600n + BigInt(m) * 60n + BigInt(s);
  const digits = whole * powerOfTen(fraction.length) + BigInt(fraction === "" ? 0 : fraction);
  return { digits: sign === "-" ? -digits : digits, exponent: fraction.length };
}
