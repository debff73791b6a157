// The type of what is computed element by element. In: the inputs' types and the result's dtype. Out: that dtype in the shape
// to which the inputs broadcast.

import type { DType } from "../core/dtype.ts";
import { broadcastShapes, sameShape } from "../core/shape.ts";
import { type DenseType, denseType } from "./type.ts";

/** An input's own object where it is the type already, which keeps long chains small. */
export function broadcastType(inputs: readonly DenseType[], dtype: DType): DenseType {
  const first = inputs[0]!;
  const shape = inputs.length === 1 ? first.shape : broadcastShapes(inputs.map((input) => input.shape));
  for (const input of inputs) if (input.dtype === dtype && sameShape(input.shape, shape)) return input;
  return denseType(dtype, shape);
}
