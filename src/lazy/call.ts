// Public calls: every function and method that a user calls goes through here. On the way in, the user's
// line is remembered and options are checked; on the way out, an error gets the function's name and a stack
// that begins at that line, and an array that was handed through unchanged becomes a new one.

import { checkFlag } from "../core/check.ts";
import { describe } from "../core/chunks.ts";
import { AxisError, ChunkwiseError, OutTargetError, ValueError } from "../core/errors.ts";
import { axisNamed, type DimNames } from "../core/labels.ts";
import { closest } from "../core/suggest.ts";
import { dimsOf } from "../expr/axisNames.ts";
import type { Op } from "../expr/op.ts";
import { atSite, currentSite, enterCall, leaveCall } from "../expr/site.ts";
import { CALLED, LazyArray, otherAmong } from "./lazyArray.ts";

/**
 * Where the options object stands among the arguments, and what it may hold. A number: at that place. null: at the end,
 * if there is one. Names of the parameters before it: wherever the arguments stop, and those left out may stand in it.
 */
export type OptionPlace = readonly [at: number | null | readonly string[], ...names: readonly string[]];

export function userCall<Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Result,
  options?: OptionPlace,
  others: typeof otherAmong | null = null,
): (...args: Args) => Result {
  const call = (...args: Args): Result => {
    const isOutermost = enterCall(name);
    try {
      const other = others?.(args) ?? null;
      if (other !== null) return other[CALLED](name, args) as Result;
      const placed =
        options === undefined ? args : (numbered(arranged(args, options), options) as unknown as Args);
      const result = body(...placed);
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

/** The function of an op is the op's record, called. Arrays of another kind among the arguments take the call over. */
export function opCall<Entry extends Op>(
  op: Op,
  body: (...args: never[]) => LazyArray,
  options: OptionPlace,
): Entry {
  const call = userCall(op.name, body, options, otherAmong);
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors(op)) as unknown as Entry;
}

/** The same for a function whose arguments may stop early: what may stand where is for its own type to say. */
export const looseCall = <Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Result,
  options: readonly [parameters: readonly string[], ...names: readonly string[]],
): ((...args: readonly unknown[]) => Result) =>
  userCall(name, body, options) as (...args: readonly unknown[]) => Result;

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
      arranged(args, options);
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

/** The options that a public function takes, by name. */
export const optionNames = (call: (...args: never[]) => unknown): readonly string[] =>
  (optionPlaces.get(call)?.slice(1) as string[] | undefined) ?? [];

/** The arguments of a public function when some are given by name. */
export function namedArguments(
  call: (...args: never[]) => unknown,
  args: readonly unknown[],
  named: Options,
): unknown[] {
  const at = optionPlaces.get(call)?.[0] ?? args.length;
  if (typeof at === "object") return withNamed(args, named, at);
  const missing = Math.max(0, at - args.length);
  return [...args, ...new Array<undefined>(missing).fill(undefined), named];
}

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
  if (isPlain(result))
    return Object.fromEntries(
      Object.entries(result).map(([name, item]) => [name, asNew(item, args)]),
    ) as Result;
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
  "largest",
  "density",
  "returned",
  "rowvar",
  "bias",
]);

interface Options {
  readonly [name: string]: unknown;
}

/** Every argument at its place, options checked. */
function arranged(args: readonly unknown[], [at, ...names]: OptionPlace): readonly unknown[] {
  if (at === null) {
    const last = args.at(-1);
    if (isPlain(last)) checkOptions(last, names);
    return args;
  }
  const isNamed = typeof at === "object";
  const count = isNamed ? at.length : at;
  if (args.length > count + 1) {
    throw new ValueError({
      what: `${args.length} arguments where ${count + 1} are taken`,
      cure: optionsCure(names),
    });
  }
  const last = args.at(-1);
  // The first argument is never the options: it may be any object.
  if (isNamed && args.length > 1 && isPlain(last)) {
    checkOptions(last, [...at.slice(args.length - 1), ...names]);
    return withNamed(args.slice(0, -1), last, at);
  }
  if (args.length > count) checkOptions(args[count], names);
  return args;
}

// Axes by name. In: arguments at their places, some of which are names of axes of the first array. Out: the same with the
// axes' numbers. So every function that takes an axis takes its name.

const AXES: ReadonlySet<string> = new Set(["axis", "axes"]);

const isName = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.some((item) => typeof item === "string"));

function numbered(args: readonly unknown[], [at]: OptionPlace): readonly unknown[] {
  const parameters = typeof at === "object" && at !== null ? at : [];
  const last = args.at(-1);
  const inOptions =
    args.length > 1 && isPlain(last)
      ? Object.keys(last).filter((name) => AXES.has(name) && isName(last[name]))
      : [];
  const inPlaces = parameters.flatMap((name, i) => (AXES.has(name) && isName(args[i]) ? [i] : []));
  if (inOptions.length === 0 && inPlaces.length === 0) return args;
  const placed = args.map((arg, i) => (inPlaces.includes(i) ? axesNamed(args[0], arg) : arg));
  if (inOptions.length === 0) return placed;
  const options = last as Options;
  const named = inOptions.map((name) => [name, axesNamed(args[0], options[name])]);
  return [...placed.slice(0, -1), { ...options, ...Object.fromEntries(named) }];
}

/** Of an array, or of the first of a list of them. */
function axesNamed(first: unknown, axes: unknown): unknown {
  const array = Array.isArray(first) ? first.find((item) => item instanceof LazyArray) : first;
  if (!(array instanceof LazyArray))
    throw new AxisError({
      what: `the axis is named ${describe(axes)}, and the array has no names`,
      cure: "Wrap it and name its axes: asarray(x).withDims([…])",
    });
  return axesIn(dimsOf(array.expr), axes);
}

/** Numbers for names; what is no name is as it was. */
export function axesIn(dims: DimNames, axes: unknown): unknown {
  if (typeof axes === "string") return axisNamed(dims, axes);
  return Array.isArray(axes)
    ? axes.map((axis) => (typeof axis === "string" ? axisNamed(dims, axis) : axis))
    : axes;
}

/** Parameters that options name go to their places; the options that are left follow them. */
function withNamed(given: readonly unknown[], named: Options, parameters: readonly string[]): unknown[] {
  const placed = parameters.map((name, i) => (i < given.length ? given[i] : named[name]));
  const twice = parameters.slice(0, given.length).find((name) => Object.hasOwn(named, name));
  if (twice !== undefined)
    throw new ValueError({ what: `${twice} is given twice`, cure: "Give it by its place or by its name" });
  const others = Object.entries(named).filter(([name]) => !parameters.includes(name));
  return [...placed, Object.fromEntries(others)];
}

function checkOptions(given: unknown, names: readonly string[]): void {
  if (given === undefined) return;
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

function isPlain(value: unknown): value is Options {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
