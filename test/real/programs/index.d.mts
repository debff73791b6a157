// The types of index.mjs, for the battery's test.

import type { Program } from "../selection.mjs";

export const PROGRAMS: ReadonlyMap<string, Program>;
