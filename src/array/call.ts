// Public calls: every function and method that a user calls goes through here. On the way in, the user's
// line is remembered and options are checked; on the way out, an error gets the function's name and a stack
// that begins at that line, and an array that was handed through unchanged becomes a new one.

import { checkFlag } from "../core/check.ts";
import { ChunkwiseError, OutTargetError, ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import { atSite, currentSite, enterCall, leaveCall } from "../expr/site.ts";
import { LazyArray } from "./lazyArray.ts";

/** Where the options object stands among the arguments (null: at the end, if there is one), and what it may hold. */
export type OptionPlace = readonly [at: number | null, ...names: readonly string[]];

export function userCall<Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Result,
  options?: OptionPlace,
): (...args: Args) => Result {
  const call = (...args: Args): Result => {
    const isOutermost = enterCall(name);
    try {
      if (options !== undefined && args.length > (options[0] ?? 0)) checkOptions(args, options);
      const result = body(...args);
      return isOutermost ? asNew(result, args) : result;
    } catch (error) {
      throw isOutermost ? signed(error, name, call) : error;
    } finally {
      leaveCall();
    }
  };
  Object.defineProperty(call, "name", { value: name });
  if (options !== undefined) optionPlaces.set(call, options);
  return call;
}

/** The same for a function that waits: its line is the one that called it, however long it takes. */
export function asyncCall<Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Promise<Result>,
  options: OptionPlace,
): (...args: Args) => Promise<Result> {
  const call = async (...args: Args): Promise<Result> => {
    const isOutermost = enterCall(name);
    const site = currentSite();
    try {
      checkOptions(args, options);
    } catch (error) {
      throw isOutermost ? signed(error, name, call) : error;
    } finally {
      leaveCall();
    }
    try {
      const result = await body(...args);
      return atSite(site, () => withSite(result));
    } catch (error) {
      throw isOutermost ? signed(error, name, call) : error;
    }
  };
  Object.defineProperty(call, "name", { value: name });
  optionPlaces.set(call as (...args: never[]) => unknown, options);
  return call;
}

/** Arrays that were made while nobody's line was known. */
function withSite<Result>(result: Result): Result {
  if (result instanceof LazyArray) return new LazyArray(result.expr) as Result;
  return (Array.isArray(result) ? result.map(withSite) : result) as Result;
}

const optionPlaces = new WeakMap<(...args: never[]) => unknown, OptionPlace>();

/** Where a public function takes its options; undefined where it takes none. */
export const optionPlaceOf = (call: (...args: never[]) => unknown): OptionPlace | undefined =>
  optionPlaces.get(call);

/** The same for a method: `this` comes first. */
export function userMethod<This, Args extends readonly unknown[], Result>(
  name: string,
  body: (self: This, ...args: Args) => Result,
): (this: This, ...args: Args) => Result {
  const call = function (this: This, ...args: Args): Result {
    const isOutermost = enterCall(name);
    try {
      const result = body(this, ...args);
      return isOutermost ? asNew(result, [this, ...args]) : result;
    } catch (error) {
      throw isOutermost ? signed(error, name, call as (...args: never[]) => unknown) : error;
    } finally {
      leaveCall();
    }
  };
  Object.defineProperty(call, "name", { value: name });
  return call;
}

/** Every operation gives a new array: a mark on the result must not be a mark on an operand. */
function asNew<Result>(result: Result, args: readonly unknown[]): Result {
  if (result instanceof LazyArray)
    return (args.includes(result) ? new LazyArray(result.expr, [result]) : result) as Result;
  if (Array.isArray(result)) return result.map((item: unknown) => asNew(item, args)) as Result;
  return result;
}

function signed(error: unknown, name: string, call: (...args: never[]) => unknown): unknown {
  const isOurs = error instanceof ChunkwiseError || error instanceof OutTargetError;
  if (isOurs && error.where === undefined) {
    error.at(name);
    Error.captureStackTrace?.(error, call);
  }
  return error;
}

const FLAGS: ReadonlySet<string> = new Set([
  "keepdims",
  "endpoint",
  "descending",
  "stable",
  "includeInitial",
  "invert",
  "copy",
]);

function checkOptions(args: readonly unknown[], [at, ...names]: OptionPlace): void {
  const place = at ?? args.length - 1;
  const given = args[place];
  if (at !== null && args.length > at + 1) {
    throw new ValueError({
      what: `${args.length} arguments where ${at + 1} are taken`,
      cure: optionsCure(names),
    });
  }
  if (given === undefined || (at === null && !isPlain(given))) return;
  if (!isPlain(given))
    throw new ValueError({ what: `the options are ${describe(given)}`, cure: optionsCure(names) });
  checkNames(given, names);
  for (const [name, value] of Object.entries(given))
    if (FLAGS.has(name) && !(name === "copy" && value === null)) checkFlag(value, name);
}

/** Options of these names and no others. */
export function checkNames(given: object, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ValueError({ what: `there is no option ${describe(unknown)}`, cure: closest(unknown, names) });
}

const optionsCure = (names: readonly string[]): string => `Options go into one object: {${names.join(", ")}}`;

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
