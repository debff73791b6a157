// The best order of a loop's axes. In: a domain and how its accesses walk it. Out: the same places in another
// order: fewer axes, the first result's smallest steps innermost, and before that the axis along which the others
// that jump have their smallest steps. Elementwise work does not care which place comes first.

import type { Place } from "../../core/block.ts";
import type { DType, TypedArray } from "../../core/dtype.ts";
import type { Shape } from "../../core/shape.ts";
import type { InnerWalk } from "./loopKernel.ts";

/** An access bound to memory. Offset and strides count elements; one stride for each axis of the domain. */
export interface Walk {
  readonly data: TypedArray;
  readonly dtype: DType;
  readonly offset: number;
  readonly strides: readonly number[];
  /** Of the block: none where it lies outside. */
  readonly place?: Place | undefined;
}

export interface Arranged {
  readonly domain: Shape;
  readonly walks: readonly Walk[];
}

/** `main` is the number of the access whose steps decide. */
export function arrange(domain: Shape, walks: readonly Walk[], main: number): Arranged {
  const long = domain.map((_, axis) => axis).filter((axis) => domain[axis] !== 1);
  const step = (axis: number): number => Math.abs(walks[main]!.strides[axis]!);
  // One element: an axis along which nobody moves.
  if (long.length === 0) return { domain: [1], walks: walks.map((walk) => ({ ...walk, strides: [0] })) };
  const order = long.sort((a, b) => step(b) - step(a));
  return join(inOrder({ domain, walks }, bringNear(order, walks)));
}

/** Puts the axis that the jumping accesses walk most closely just before the innermost. */
function bringNear(order: readonly number[], walks: readonly Walk[]): readonly number[] {
  if (order.length < 3) return order;
  const inner = order.at(-1)!;
  const jumping = walks.find(({ strides }) => walkOf(strides[inner]!) === "strided");
  if (jumping === undefined) return order;
  const step = (axis: number): number => Math.abs(jumping.strides[axis]!) || Number.POSITIVE_INFINITY;
  const near = order.slice(0, -1).reduce((best, axis) => (step(axis) < step(best) ? axis : best));
  return [...order.filter((axis) => axis !== near && axis !== inner), near, inner];
}

function inOrder({ domain, walks }: Arranged, order: readonly number[]): Arranged {
  return {
    domain: order.map((axis) => domain[axis]!),
    walks: walks.map((walk) => ({ ...walk, strides: order.map((axis) => walk.strides[axis]!) })),
  };
}

/** Neighbouring axes that every access walks as one become one. */
function join({ domain, walks }: Arranged): Arranged {
  const kept: number[] = [];
  const lengths: number[] = [];
  domain.forEach((length, axis) => {
    const last = kept.at(-1);
    const joins =
      last !== undefined && walks.every(({ strides }) => strides[last] === strides[axis]! * length);
    if (joins) {
      lengths[lengths.length - 1]! *= length;
      kept[kept.length - 1] = axis;
    } else {
      lengths.push(length);
      kept.push(axis);
    }
  });
  return {
    domain: lengths,
    walks: walks.map((walk) => ({ ...walk, strides: kept.map((axis) => walk.strides[axis]!) })),
  };
}

export function walkOf(stride: number): InnerWalk {
  return stride === 0 ? "fixed" : stride === 1 ? "unit" : "strided";
}

/** Some access jumps along the innermost axis and walks the one before it more closely. */
export function isTransposed({ domain, walks }: Arranged): boolean {
  if (domain.length < 2) return false;
  return walks.some(({ strides }) => {
    const [before, inner] = [Math.abs(strides.at(-2)!), Math.abs(strides.at(-1)!)];
    return before > 0 && inner > 1 && before < inner;
  });
}
