// Functions of the op table on nested arrays: what such an array does when one of them is called with it. Elementwise, lists
// are matched with lists, nulls in any make nulls in the result, and scalars go with every element. Reductions leave nulls out;
// over all axes (as when nothing is said) the result is one value.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Scalar } from "../../core/numbers.ts";
import { checkNames } from "../../lazy/call.ts";
import { CALLED } from "../../lazy/lazyArray.ts";
import { ownMethod } from "../../ragged/behaviors.ts";
import { ELEMENTWISE, REDUCTIONS } from "../../ragged/index.ts";
import { ownOptions, reducerNamed } from "../../ragged/ops/reduce.ts";
import { apply } from "./apply.ts";
import { weighted } from "./correlations.ts";
import { fillNone, where } from "./listFunctions.ts";
import { asRagged, LazyRagged, RaggedArray, type RaggedInput, splitOperands } from "./raggedArrays.ts";

function calledElementwise(name: string, args: readonly unknown[]): unknown {
  const { arrays, operands } = splitOperands(args);
  const hasConstants = operands.some((value) => value !== null);
  return apply(ELEMENTWISE[name] as never, arrays, hasConstants ? { operands } : {});
}

function calledReduction(name: string, [x, options = {}, ...more]: readonly unknown[]): unknown {
  if (more.length > 0 || typeof options !== "object" || options === null)
    throw new ValueError({ what: `the options are ${describe(options)}`, cure: "Write {axis: 1}" });
  const besides = Object.hasOwn(BESIDES, name) ? BESIDES[name]! : [];
  checkNames(options, ["axis", "keepdims", "maskIdentity", ...ownOptions(reducerNamed(name)), ...besides]);
  const given = options as { readonly weight?: unknown; readonly initial?: Scalar };
  if (given.weight !== undefined) return weighted(name, x as RaggedInput, checkedWeighted(options));
  if (given.initial !== undefined) return fromInitial(name, x, given as never);
  return apply(REDUCTIONS[name] as never, [asRagged(x)], options);
}

/** Options that reductions have here and dense ones have not. */
const BESIDES: { readonly [name: string]: readonly string[] } = {
  ...{ mean: ["weight"], var: ["weight"], std: ["weight"], max: ["initial"], min: ["initial"] },
};

function checkedWeighted(options: object): object {
  checkNames(options, ["axis", "weight", "ddof"]);
  return options;
}

/** max(max(x), initial), and the same of min; what has no elements is that where `maskIdentity` is false. */
function fromInitial(
  name: string,
  x: unknown,
  { initial, ...options }: { readonly initial: Scalar; readonly maskIdentity?: boolean },
): unknown {
  const reduced = apply(REDUCTIONS[name] as never, [asRagged(x)], { ...options, maskIdentity: true });
  const isFilled = options.maskIdentity === false;
  if (reduced === null || !(reduced instanceof RaggedArray || reduced instanceof LazyRagged)) {
    if (reduced === null) return isFilled ? initial : null;
    const isInitial =
      name === "max" ? (initial as number) > (reduced as number) : (initial as number) < (reduced as number);
    return isInitial ? initial : reduced;
  }
  const bounded = calledElementwise(name === "max" ? "maximum" : "minimum", [reduced, initial]);
  return isFilled ? fillNone(bounded as RaggedInput, initial as number) : bounded;
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
