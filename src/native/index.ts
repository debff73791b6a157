// chunkwise/native: matrix products of floats by the system's BLAS, for those who ask for it. In: which library, if
// not the first that is found, and the backend that is to use it. Out: contractions that BLAS can do are done by it, until it
// is released.

import type { Backend } from "../kernel/backend.ts";
import { blasProduct } from "./blas.ts";
import { findBlas, type Koffi, loadKoffi } from "./library.ts";

export { type Koffi, NativeBlasError } from "./library.ts";

/** Options of `useNativeBlas`. */
export interface NativeBlasOptions {
  /** The path or name of a library that exports cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm. */
  readonly library?: string;
  /** The module koffi, where it cannot be imported by its name. */
  readonly koffi?: Koffi;
}

/** What `useNativeBlas` gives: which library it is, and the way back. */
export interface NativeBlas {
  /** The library that was found. */
  readonly library: string;
  /** Back to WebAssembly. */
  release(): void;
}

/** Has a backend multiply matrices of float32, float64, complex64 and complex128 with the system's BLAS. */
export async function nativeBlasFor(backend: Backend, options: NativeBlasOptions): Promise<NativeBlas> {
  const koffi = options.koffi ?? (await loadKoffi());
  const { library, gemms } = findBlas(koffi, options.library, process.platform);
  backend.useProduct?.(blasProduct(gemms));
  return { library, release: () => backend.useProduct?.(null) };
}
