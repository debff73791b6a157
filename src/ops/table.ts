// A table of ops: what the names in a plan mean. In: ops. Out: an op by its name, or an error with a suggestion.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Op } from "../expr/op.ts";

export class OpTable {
  readonly #ops = new Map<string, Op>();

  constructor(ops: Iterable<Op>) {
    for (const op of ops) this.add(op);
  }

  /** Makes an op known by its name, so that plans that are loaded can use it. */
  add<T extends Op>(op: T): T {
    if ((this.#ops.get(op.name) ?? op) !== op)
      throw new ValueError({ what: `there is an op ${op.name} already`, cure: "Give it another name" });
    this.#ops.set(op.name, op);
    return op;
  }

  named(name: string): Op {
    const op = this.#ops.get(name);
    if (op !== undefined) return op;
    throw new ValueError({
      what: `there is no op ${JSON.stringify(name)}`,
      cure: closest(name, [...this.#ops.keys()]),
    });
  }
}
