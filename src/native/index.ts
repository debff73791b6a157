// chunkwise/native: matrix products of floats by the system's BLAS, for those who ask for it. In: which library, if
// not the first that is found, and the backend that is to use it. Out: contractions that BLAS can do are done by it, until it
// is released.

import { ChunkwiseError } from "../core/errors.ts";
import type { Backend } from "../kernel/backend.ts";
import { blasProduct, type Gemm, type Gemms } from "./blas.ts";

// Finding a BLAS library. In: koffi (an optional peer, loaded only now) and perhaps the library's name. Out: its gemm
// functions, or an error that says what was tried and what to install.

/** What is used of the package koffi. */
export interface Koffi {
  /** Opens a library. */
  load(library: string): { func(prototype: string): unknown };
}

/** The system's BLAS, or the way to call it, is not there. */
export class NativeBlasError extends ChunkwiseError {}

const LIBRARIES: { readonly [platform: string]: readonly string[] } = {
  darwin: [
    "/System/Library/Frameworks/Accelerate.framework/Accelerate",
    "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
    "libopenblas.dylib",
  ],
  win32: ["libopenblas.dll", "openblas.dll"],
};
/** The fast ones first: libblas may be the reference library, which is slower than WebAssembly. */
const ELSEWHERE = ["libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libblas.so.3", "libblas.so"];

interface Found {
  readonly library: string;
  readonly gemms: Gemms;
}

export function findBlas(koffi: Koffi, library: string | undefined, platform: string): Found {
  const names = library === undefined ? (LIBRARIES[platform] ?? ELSEWHERE) : [library];
  const failures: string[] = [];
  for (const name of names) {
    try {
      return { library: name, gemms: gemmsOf(koffi, name) };
    } catch (error) {
      failures.push(`${name} (${(error as Error).message})`);
    }
  }
  throw new NativeBlasError({
    what: `no BLAS library could be loaded: ${failures.join("; ")}`,
    cure: "Install OpenBLAS (Debian: libopenblas0, macOS: has Accelerate) or name a library with { library }",
  });
}

function gemmsOf(koffi: Koffi, name: string): Gemms {
  const library = koffi.load(name);
  const gemm = (letter: string, factor: string): Gemm =>
    library.func(
      `void cblas_${letter}gemm(int, int, int, int, int, int, ${factor}, const void *, int, const void *, int, ${factor}, void *, int)`,
    ) as Gemm;
  return {
    float32: gemm("s", "float"),
    float64: gemm("d", "double"),
    complex64: gemm("c", "const void *"),
    complex128: gemm("z", "const void *"),
  };
}

/** By a name that bundlers do not follow: whoever does not ask for this needs no such package. */
export async function loadKoffi(name = "koffi"): Promise<Koffi> {
  try {
    const module = (await import(/* @vite-ignore */ name)) as Koffi & { default?: Koffi };
    return module.default ?? module;
  } catch (cause) {
    throw new NativeBlasError(
      { what: "the package koffi, which calls native libraries, is not there", cure: "npm install koffi" },
      { cause },
    );
  }
}

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
