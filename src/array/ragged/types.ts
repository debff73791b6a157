// Types of what functions on ragged arrays give: lazy where something lazy was given, else in memory.

import type { LazyArray } from "../../lazy/lazyArray.ts";
import type { LazyRagged, RaggedArray } from "./raggedArrays.ts";

/** `Arrays` is the union of the types of all arguments. */
export type Joint<Arrays> = [Extract<Arrays, LazyRagged | LazyArray>] extends [never]
  ? RaggedArray
  : LazyRagged;
