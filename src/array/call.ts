// Public calls: every function and method that a user calls goes through here. On the way in, the user's
// line is remembered; on the way out, an error gets the function's name and a stack that begins at that line.

import { ChunkwiseError } from "../core/errors.ts";
import { enterCall, leaveCall } from "../expr/site.ts";

export function userCall<Args extends readonly unknown[], Result>(
  name: string,
  body: (...args: Args) => Result,
): (...args: Args) => Result {
  const call = (...args: Args): Result => {
    enterCall();
    try {
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
    enterCall();
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
  if (error instanceof ChunkwiseError && error.where === undefined) {
    error.at(name);
    Error.captureStackTrace?.(error, call);
  }
  return error;
}
