// mark: the array itself, with a sign on it. Gradients read some (array/gradients/): what a gradient is taken of, and where the
// arguments and the result of a function are that has a pullback of its own. Others say what the axes are called
// (expr/axisNames.ts). In: an array; attrs.mark, whose sign it is. Rewriting drops it.

import { type Attrs, Resource } from "../core/block.ts";
import type { Labels } from "../core/labels.ts";
import { broadcastType, type ElementwiseOp } from "../expr/op.ts";

/** A sign that is like no other. */
export abstract class Mark extends Resource {
  override fingerprint(): string {
    return "mark";
  }
}

/** A sign that says what the axes are called, and what else is said of the array. */
export class LabelMark extends Mark {
  readonly #labels: Labels;

  constructor(labels: Labels) {
    super();
    this.#labels = labels;
  }

  override labels(): Labels {
    return this.#labels;
  }
}

export const markOf = (attrs: Attrs): Mark => attrs["mark"] as Mark;

export const mark: ElementwiseOp = {
  name: "mark",
  class: "elementwise",
  isMark: true,
  infer: ([input]) => broadcastType([input!], input!.dtype),
  body: ([x]) => x!,
  pull: ({ g }) => [g],
};
