// Public calls: every function and method that a user calls goes through here. On the way in, the user's
// line is remembered; on the way out, an error gets the function's name and a stack that begins at that line.

import { ChunkwiseError, OutTargetError, ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { enterCall, leaveCall } from "../expr/site.ts";

/** `options` names what the trailing options object may hold: a mistyped name is an error, not a surprise. */
export function userCall<Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Result,
  options?: readonly string[],
): (...args: Args) => Result {
  const call = (...args: Args): Result => {
    enterCall(name);
    try {
      if (options !== undefined) checkOptions(args.at(-1), options);
      return body(...args);
    } catch (error) {
      throw signed(error, name, call);
    } finally {
      leaveCall();
    }
  };
  Object.defineProperty(call, "name", { value: name });
  return call;
}

/** The same for a method: `this` comes first. */
export function userMethod<This, Args extends readonly unknown[], Result>(
  name: string,
  body: (self: This, ...args: Args) => Result,
): (this: This, ...args: Args) => Result {
  const call = function (this: This, ...args: Args): Result {
    enterCall(name);
    try {
      return body(this, ...args);
    } catch (error) {
      throw signed(error, name, call as (...args: never[]) => unknown);
    } finally {
      leaveCall();
    }
  };
  Object.defineProperty(call, "name", { value: name });
  return call;
}

function signed(error: unknown, name: string, call: (...args: never[]) => unknown): unknown {
  const isOurs = error instanceof ChunkwiseError || error instanceof OutTargetError;
  if (isOurs && error.where === undefined) {
    error.at(name);
    Error.captureStackTrace?.(error, call);
  }
  return error;
}

function checkOptions(last: unknown, known: readonly string[]): void {
  if (typeof last !== "object" || last === null || !isPlain(last)) return;
  for (const name of Object.keys(last)) {
    if (known.includes(name)) continue;
    throw new ValueError({ what: `there is no option ${JSON.stringify(name)}`, cure: closest(name, known) });
  }
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
