// How many inputs nodes have. In: an op, a number of inputs. Out: an error where they do not fit.

import { InvariantError } from "../core/errors.ts";
import type { Op } from "./op.ts";

/** How many inputs a node of an op has; undefined where that differs from node to node. */
export function arityOf(op: Op): number | undefined {
  switch (op.class) {
    case "elementwise":
      return op.arity;
    case "source":
      return 0;
    case "reduce":
    case "scan":
      return 1;
    case "contract":
      return 2;
    case "move":
    case "routine":
    case "staged":
    case "ragged":
      return undefined;
    default:
      throw op satisfies never;
  }
}

export function checkArity(op: Op, count: number): void {
  const arity = arityOf(op);
  if (arity === undefined || arity === count) return;
  throw new InvariantError({
    what: `${op.name} is given ${count} ${count === 1 ? "input" : "inputs"} and has ${arity}`,
    cure: "Make nodes with as many inputs as their op has",
  });
}
