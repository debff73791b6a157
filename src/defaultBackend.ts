// The backend that computes where nobody names another: WebAssembly kernels, one of it for each thread of the process. The default
// engine has it, task threads have theirs, and functions of nested data in memory, which are called without an engine, use it.
// Must hold: rooms that are handed a backend do not ask for this one.

import type { Backend } from "./kernel/backend.ts";
import { wasmBackend } from "./kernel/wasm/backend.ts";

export const defaultBackend: Backend = wasmBackend();
