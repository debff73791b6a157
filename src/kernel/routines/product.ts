// The door for a matrix product from outside, such as the system's BLAS. In: a product, or null to take it away.
// Out: contractions that it can do are done by it. It says false, and has written nothing, where it cannot.

import type { MatrixCall } from "./matrices.ts";

export type MatrixProduct = (call: MatrixCall) => boolean;

let current: MatrixProduct | null = null;

export function setProduct(product: MatrixProduct | null): void {
  current = product;
}

export const currentProduct = (): MatrixProduct | null => current;
