// Functions of the op table on nested arrays: what such an array does when one of them is called with it. Elementwise, lists
// are matched with lists, nulls in any make nulls in the result, and scalars go with every element. Reductions leave nulls out;
// over all axes (as when nothing is said) the result is one value.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { checkNames } from "../../lazy/call.ts";
import { CALLED } from "../../lazy/lazyArray.ts";
import { ownMethod } from "../../ragged/behaviors.ts";
import { ELEMENTWISE, REDUCTIONS } from "../../ragged/index.ts";
import { ownOptions, reducerNamed } from "../../ragged/ops/reduce.ts";
import { apply } from "./apply.ts";
import { where } from "./listFunctions.ts";
import { asRagged, LazyRagged, RaggedArray, splitOperands } from "./raggedArrays.ts";

function calledElementwise(name: string, args: readonly unknown[]): unknown {
  const { arrays, operands } = splitOperands(args);
  const hasConstants = operands.some((value) => value !== null);
  return apply(ELEMENTWISE[name] as never, arrays, hasConstants ? { operands } : {});
}

function calledReduction(name: string, [x, options = {}, ...more]: readonly unknown[]): unknown {
  if (more.length > 0 || typeof options !== "object" || options === null)
    throw new ValueError({ what: `the options are ${describe(options)}`, cure: "Write {axis: 1}" });
  checkNames(options, ["axis", "keepdims", "maskIdentity", ...ownOptions(reducerNamed(name))]);
  return apply(REDUCTIONS[name] as never, [asRagged(x)], options);
}

function called(name: string, args: readonly unknown[]): unknown {
  const own = ownMethod(args[0], name);
  if (own !== null) return own.apply(args[0], args.slice(1));
  if (Object.hasOwn(ELEMENTWISE, name)) return calledElementwise(name, args);
  if (Object.hasOwn(REDUCTIONS, name)) return calledReduction(name, args);
  if (name === "where") return where(...(args as Parameters<typeof where>));
  throw new ValueError({
    what: `there is no ${name} of nested arrays`,
    cure: "Make a dense array of it first, with toNumpy",
  });
}

/** Doors call it; a second call changes nothing. */
export function installTwins(): void {
  for (const { prototype } of [RaggedArray, LazyRagged])
    Object.defineProperty(prototype, CALLED, {
      value: (name: string, args: readonly unknown[]) => called(name, args),
      writable: true,
      configurable: true,
    });
}
