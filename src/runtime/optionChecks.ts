// What options must be: checks with the words that messages use, and how each is read from the environment's text.
// In: a value from anywhere. Out: whether it will do.

import { parseBytes } from "../core/counts.ts";

export interface Check<T> {
  /** For messages: "It must be …". */
  readonly wanted: string;
  readonly accepts: (value: unknown) => boolean;
  /** From the environment's text; undefined for what cannot be written there, as functions. */
  readonly parse: ((text: string) => unknown) | undefined;
  /** For types only: what it is then. */
  readonly "~type"?: T;
}

function check<T>(
  wanted: string,
  accepts: (value: unknown) => boolean,
  parse?: (text: string) => unknown,
): Check<T> {
  return { wanted, accepts, parse };
}

const asItIs = (text: string): string => text;
const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const flag: Check<boolean> = check("true or false", (value) => typeof value === "boolean", asJson);

export const text = <T extends string = string>(wanted: string): Check<T> =>
  check(wanted, (value) => typeof value === "string" && value !== "", asItIs);

export const choice = <const T extends string>(...known: readonly T[]): Check<T> =>
  check(
    known.map((name) => JSON.stringify(name)).join(" or "),
    (value) => known.includes(value as T),
    asItIs,
  );

export const names = (wanted: string): Check<readonly string[]> =>
  check(wanted, isNames, (list) => list.split(",").filter((name) => name !== ""));

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** A whole number between two. */
export const count = (least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> =>
  check(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of ${least} or more`
      : `a whole number from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    asJson,
  );

export const orNull = <T>({ wanted, accepts, parse }: Check<T>): Check<T | null> =>
  check(`${wanted}, or null`, (value) => value === null || accepts(value), parse && asJson);

/** Bytes: a number, or a text such as "500MB". */
export const size: Check<number | string> = check(
  'a number of bytes, or a size such as "500MB" or "2GiB"',
  (value) => parseBytes(value as number | string) !== null,
  asItIs,
);

/** What other code checks: `fits` throws an error of its own that says more. */
export const data = <T>(wanted: string, fits: (value: T) => void): Check<T> =>
  check(
    wanted,
    (value) => {
      fits(value as T);
      return true;
    },
    asJson,
  );

export const instanceOf = <T>(wanted: string, made: abstract new (...args: never[]) => T): Check<T> =>
  check(wanted, (value) => value instanceof made);

export const functionOf = <T>(wanted: string): Check<T> =>
  check(wanted, (value) => typeof value === "function");

export const either = <A, B>(wanted: string, a: Check<A>, b: Check<B>): Check<A | B> =>
  check(wanted, (value) => a.accepts(value) || b.accepts(value), a.parse ?? b.parse);

/** An object with a method of this name. */
export const having = <T>(method: keyof T & string): Check<T> =>
  check(`an object with ${method}()`, (value) => typeof (value as T | null)?.[method] === "function");
