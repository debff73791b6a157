// The dtypes that kernels over many elements take. Others are cast to one of them before (lazy/build.ts), which tests of whole
// programs see.

import { DTYPES, type DType, infoOf } from "../src/core/dtype.ts";

export const COMPUTED: readonly DType[] = DTYPES.filter((dtype) => infoOf(dtype).computesIn === dtype);
