// fourier: the discrete Fourier transform along the last axis, which a task has whole. In: complex128, attrs.inverse. Out: the same shape.

import { DTypeError, ShapeError } from "../core/errors.ts";
import type { RoutineOp } from "../expr/op.ts";
import { wrongAttr } from "./attrChecks.ts";
import { linesTogether } from "./order.ts";

export const fourier: RoutineOp = {
  name: "fourier",
  class: "routine",
  // Frequencies are not what the axis was.
  carries: (_, __, { shape }) => shape.map((___, axis) => (axis === shape.length - 1 ? null : axis)),
  routine: "fourier",
  // X = F·x with a symmetric F: Fᵀ·X̄ is the same transform.
  pullback: ({ attrs, cotangent }, use) => [use.node("fourier", [cotangent], attrs)],
  infer([x], attrs) {
    if (typeof attrs["inverse"] !== "boolean") throw wrongAttr("fourier", "inverse", attrs["inverse"]!);
    if (x!.dtype !== "complex128")
      throw new DTypeError({ what: `fourier transforms ${x!.dtype}`, cure: "Cast to complex128" });
    if (x!.shape.length === 0)
      throw new ShapeError({ what: "there is no axis", cure: "Use an array of at least one dimension" });
    return x!;
  },
  computes: ({ start, shape }, type) => ({
    start: [...start.slice(0, -1), 0],
    shape: [...shape.slice(0, -1), type.shape.at(-1)!],
  }),
  demand: ({ start, shape }, [x]) => [
    { start: [...start.slice(0, -1), 0], shape: [...shape.slice(0, -1), x!.shape.at(-1)!] },
  ],
  chunks: ([x], [type], _, { shape }) => linesTogether(x!, type!.shape, shape.length - 1, 16),
};
