// The door of `chunkwise/native`: products of matrices by the system's BLAS, for those who ask.

import { engine } from "../array/defaultEngine.ts";
import { type NativeBlas, type NativeBlasOptions, nativeBlasFor } from "../native/index.ts";

export { type Koffi, type NativeBlas, NativeBlasError, type NativeBlasOptions } from "../native/index.ts";

/**
 * Finds the system's BLAS and multiplies matrices of float32, float64, complex64 and complex128 with it: `const blas =
 * await useNativeBlas()`, and `blas.release()` afterwards.
 */
export const useNativeBlas = (options: NativeBlasOptions = {}): Promise<NativeBlas> =>
  nativeBlasFor(engine.backend, options);
