// A matrix product from outside, such as the system's BLAS, which a backend can be told to use. In: a product. Out: true, and
// it is done; false where it cannot, and nothing is written.

import type { MatrixCall } from "./matrices.ts";

export type MatrixProduct = (call: MatrixCall) => boolean;
