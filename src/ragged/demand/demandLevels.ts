// Levels of an input's nodes, rising while demands come in. In: which node, how much, and for which node of the
// result. Out: a need that holds, and for each node the reason of its level.

import type { Form } from "../../core/form/form.ts";
import { ABSENT, closed, type Level, NEEDED, type Need, PRESENT } from "../../core/form/need.ts";
import { isLeafForm, isStructureForm, outlineOf } from "./outline.ts";

/** A reason that is the operation as a whole. */
export const WHOLE = -1;

export class Levels {
  readonly #form: Form;
  readonly #levels: Level[];
  readonly #reasons: Int32Array;

  constructor(form: Form) {
    this.#form = form;
    const count = outlineOf(form).nodes.length;
    this.#levels = new Array<Level>(count).fill(ABSENT);
    this.#reasons = new Int32Array(count).fill(WHOLE);
  }

  isLeaf(node: number): boolean {
    return isLeafForm(outlineOf(this.#form).nodes[node]!);
  }

  isWhole(node: number): boolean {
    const form = outlineOf(this.#form).nodes[node]!;
    return form.kind === "numpy" && /int|bool/.test(form.dtype);
  }

  parentOf(node: number): number {
    return outlineOf(this.#form).parents[node]!;
  }

  /** The node and what is above it. */
  raise(node: number, level: Level, reason: number): void {
    const { parents } = outlineOf(this.#form);
    for (let at = node; at >= 0 && this.#levels[at]! < level; at = parents[at]!) {
      this.#levels[at] = level;
      this.#reasons[at] = reason;
    }
  }

  raiseAll(leaves: Level, structure: Level, reason: number): void {
    outlineOf(this.#form).nodes.forEach((node, at) => {
      this.raise(at, isLeafForm(node) ? leaves : structure, reason);
    });
  }

  /** What holds. `readsStructure`: whoever works on this looks at every list, null and tag that is there. */
  settled(readsStructure: boolean): { need: Need; reasons: Int32Array } {
    const { nodes, parents } = outlineOf(this.#form);
    const need = [...closed(this.#form, this.#levels)];
    for (let at = 0; at < need.length; at++) {
      if (need[at]! > this.#levels[at]! && at > 0) this.#reasons[at] = this.#reasons[parents[at]!]!;
      if (readsStructure && need[at] === PRESENT && isStructureForm(nodes[at]!))
        this.raise(at, NEEDED, this.#reasons[at]!);
    }
    return { need: closed(this.#form, this.#levels), reasons: this.#reasons };
  }
}
