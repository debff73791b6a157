// The door of `chunkwise/native`: products of matrices by the system's BLAS, for those who ask.

export * from "../native/index.ts";
