// A fresh memory for kernels. In: nothing. Out: the largest that the platform gives, shared between threads where it can be.

import { checks } from "../../core/checked.ts";
import { MAX_PAGES } from "./module.ts";

export const PAGE = 65536;
/** What a memory that is not shared has: parameters, scratch, and tiles. */
const FIXED_PAGES = 256;

export interface NewMemory {
  readonly memory: WebAssembly.Memory;
  /** What it may grow to. */
  readonly pages: number;
  readonly isShared: boolean;
}

export function newMemory(): NewMemory {
  const most = checks.maximumPages ?? MAX_PAGES;
  // A platform may not have the addresses for all of it.
  for (let pages = most; typeof SharedArrayBuffer === "function" && pages > FIXED_PAGES; pages >>= 1) {
    try {
      const memory = new WebAssembly.Memory({ initial: FIXED_PAGES, maximum: pages, shared: true });
      // Browsers share nothing with workers of pages that are not isolated.
      if (globalThis.crossOriginIsolated === false) break;
      return { memory, pages, isShared: true };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const memory = new WebAssembly.Memory({ initial: FIXED_PAGES, maximum: FIXED_PAGES });
  return { memory, pages: FIXED_PAGES, isShared: false };
}
