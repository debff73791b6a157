// customPullback: a function with a pullback of its own, as jax.custom_vjp. In: a function of lazy arrays, and what takes a cotangent of
// its value to those of its arguments. Out: a function that gives the same, and is differentiated as it was told.

import { describe, sameShape, shapeText } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { built } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { CallMark } from "./signs.ts";

/** What comes back to the arguments: an array for each, in a list where there are several; null where nothing does. */
export type ArgumentCotangents = LazyArray | null | readonly (LazyArray | null)[];

type CustomPullback = <Args extends readonly LazyArray[], Value extends LazyArray>(
  fn: (...args: Args) => Value,
  pullback: (cotangent: LazyArray, value: LazyArray, ...args: Args) => ArgumentCotangents,
) => (...args: Args) => Value;

/**
 * A function with a pullback of its own, which says what comes back of a cotangent to each argument: `const step =
 * cw.customPullback((x) => x.round(), (g) => g)` rounds, and lets gradients through.
 */
export const customPullback: CustomPullback = userCall(
  "customPullback",
  (
    fn: (...args: readonly LazyArray[]) => LazyArray,
    pullback: (...args: readonly LazyArray[]) => ArgumentCotangents,
  ) => {
    for (const given of [fn, pullback])
      if (typeof given !== "function")
        throw new ValueError({
          what: `${describe(given)} is not a function`,
          cure: "Pass the function and its pullback",
        });
    return userCall("customPullback", (...args: readonly LazyArray[]) =>
      withPullback(fn, pullback, args),
    ) as never;
  },
) as never;

/** A call of a function, with what is to come back through it. */
export function withPullback(
  fn: (...args: readonly LazyArray[]) => LazyArray,
  pullback: (...args: readonly LazyArray[]) => ArgumentCotangents,
  args: readonly LazyArray[],
): LazyArray {
  const wrong = args.find((arg) => !(arg instanceof LazyArray));
  if (wrong !== undefined)
    throw new ValueError({
      what: `${describe(wrong)} is not a lazy array`,
      cure: "Such functions take lazy arrays; let them know other things by themselves",
    });
  const lazy = (expr: Expr): LazyArray => new LazyArray(expr);
  const call = new CallMark(args.length, ({ cotangent, value, inputs }) =>
    checkParts(pullback(lazy(cotangent!), lazy(value), ...inputs.map(lazy)), inputs),
  );
  const marked = args.map((arg, k) => built(call.argument(arg.expr, k), [arg]) as LazyArray);
  const value = fn(...marked);
  if (value instanceof LazyArray) return built(call.result(value.expr), [value]);
  throw new ValueError({
    what: `the function gives ${describe(value)}, not a lazy array`,
    cure: "A function with a pullback gives one lazy array",
  });
}

function checkParts(given: ArgumentCotangents, inputs: readonly Expr[]): (Expr | null)[] {
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (parts.length !== inputs.length)
    throw new ValueError({
      what: `the pullback gives ${parts.length} arrays for ${inputs.length} arguments`,
      cure: "Give one for each, or null where nothing comes back",
    });
  return parts.map((part, k) => {
    if (part === null) return null;
    if (!(part instanceof LazyArray))
      throw new ValueError({
        what: `the pullback gives ${describe(part)}`,
        cure: "It gives lazy arrays, or null",
      });
    if (sameShape(part.expr.shape, inputs[k]!.shape)) return part.expr;
    throw new ShapeError({
      what: `the pullback gives shape ${shapeText(part.expr.shape)} for argument ${k} of shape ${shapeText(inputs[k]!.shape)}`,
      cure: "A cotangent has the shape of what it belongs to",
    });
  });
}
