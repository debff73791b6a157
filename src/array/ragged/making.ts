// Ways into ragged arrays, in memory and lazy, and ways out of those in memory.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { asyncCall, userCall } from "../../lazy/call.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import * as ragged from "../../ragged/index.ts";
import { sliceRows } from "../../ragged/index.ts";
import { MemorySource } from "../../ragged/sources/memorySource.ts";
import { checkCount, checkForm, inMemory } from "./argumentChecks.ts";
import { dressed } from "./behaviors/dress.ts";
import {
  asRagged,
  LazyRagged,
  lazyFromDense,
  lazyOf,
  lazyToDense,
  type Ragged,
  RaggedArray,
  type RaggedInput,
} from "./raggedArrays.ts";

/**
 * Nested lists, objects for records, null for missing values: `rg.fromIter([[1, 2], [], [3]]).type` is "3 * var *
 * int64".
 */
export const fromIter: (rows: Iterable<unknown>) => RaggedArray = userCall(
  "fromIter",
  (rows: Iterable<unknown>) => new RaggedArray(ragged.fromIter(rows)),
);

/**
 * A lazy array of these partitions, which are lists of rows or arrays in memory: `rg.fromLists([[[1, 2]], [[3]]])` has
 * two.
 */
export const fromLists: (partitions: readonly (readonly unknown[] | RaggedArray)[]) => LazyRagged = userCall(
  "fromLists",
  (partitions: readonly (readonly unknown[] | RaggedArray)[]) => {
    if (!Array.isArray(partitions) || partitions.length === 0)
      throw new ValueError({
        what: `${describe(partitions)} is no list of partitions`,
        cure: "Write fromLists([[…], […]])",
      });
    const parts = partitions.map((part) =>
      part instanceof RaggedArray ? part.layout : ragged.plain(ragged.fromIter(part)),
    );
    return lazyOf(new MemorySource(ofOneForm(parts)));
  },
);

/** Rows of one list after another have one form: that of all of them together, as if they were one list. */
function ofOneForm(parts: readonly ragged.Plain[]): ragged.Plain[] {
  const whole = ragged.mergeRows(parts);
  let start = 0;
  return parts.map(({ length }) => {
    start += length;
    return sliceRows(whole, start - length, start);
  });
}

/** An array in memory as a lazy one, cut into so many partitions of equal length: `rg.lazy(x, {npartitions: 4})`. */
export const lazy: (
  array: RaggedInput,
  options?: { readonly npartitions?: number | undefined },
) => LazyRagged = userCall(
  "lazy",
  (input: RaggedInput, { npartitions = 1 }: { readonly npartitions?: number | undefined } = {}) => {
    const array = asRagged(input);
    if (array instanceof LazyRagged) return array;
    if (!Number.isSafeInteger(npartitions) || npartitions < 1)
      throw new ValueError({
        what: `npartitions is ${describe(npartitions)}`,
        cure: "Use a whole number of 1 or more",
      });
    const { layout, length } = array;
    const bound = (i: number): number => Math.floor((i * length) / npartitions);
    const parts = Array.from({ length: npartitions }, (_, i) => sliceRows(layout, bound(i), bound(i + 1)));
    return dressed(lazyOf(new MemorySource(parts)));
  },
  [1, "npartitions"],
);

/** Rows of a dense array; its other axes are lists of one length: `rg.fromNumpy(await dense.compute())`. */
export const fromNumpy: {
  (array: LazyArray): LazyRagged;
  (array: NDArray): RaggedArray;
} = userCall("fromNumpy", (array: NDArray | LazyArray) => {
  if (array instanceof LazyArray) return lazyFromDense(array);
  if (array instanceof NDArray) return new RaggedArray(ragged.fromNumpy(array));
  throw new ValueError({
    what: `${describe(array)} is no dense array`,
    cure: "Use fromIter for nested lists",
  });
}) as never;

/**
 * A dense array, where all lists are equally long and nothing is null; lazy of a lazy one: `rg.toNumpy(rg.fromIter([[1,
 * 2], [3, 4]])).shape` is [2, 2].
 */
export const toNumpy: {
  (array: LazyRagged): LazyArray;
  (array: RaggedArray): NDArray;
} = userCall("toNumpy", (input: Ragged) => {
  const array = asRagged(input);
  return array instanceof LazyRagged ? lazyToDense(array) : NDArray.fromBlock(ragged.toNumpy(array.layout));
}) as never;

/** Nested lists and objects: `rg.toList(rg.fromIter([[1, 2], [3]]))` is [[1, 2], [3]]. */
export const toList: (array: RaggedArray | readonly unknown[]) => unknown[] = userCall(
  "toList",
  (input: RaggedArray | readonly unknown[]) => {
    return inMemory(input).toList();
  },
);

/**
 * An array over buffers of a form, as Awkward's from_buffers: `rg.fromBuffers(form, length, container)` of what
 * toBuffers gives. The form may be its JSON, as an object or as text.
 */
export const fromBuffers: (
  form: Form | FormJson,
  length: number,
  container: ragged.Container,
) => RaggedArray = userCall(
  "fromBuffers",
  (form: Form | FormJson, length: number, container: ragged.Container) =>
    dressed(
      new RaggedArray(
        ragged.fromBuffers(checkForm(form), checkCount("length", length, 0), checkContainer(container)),
      ),
    ),
);

function checkContainer(container: ragged.Container): ragged.Container {
  if (typeof container === "function" || (typeof container === "object" && container !== null))
    return container;
  throw new ValueError({
    what: `${describe(container)} holds no buffers`,
    cure: "Pass {name: buffer}, or a function of names",
  });
}

/** A form as Awkward writes it: `{class: "NumpyArray", primitive: "int64", form_key: "node0"}`, or that as text. */
export type FormJson = string | { readonly class: string; readonly [name: string]: unknown };

/** The form, the number of rows, and the buffers by name: `const {form, length, container} = rg.toBuffers(x)`. */
export const toBuffers: (array: RaggedArray) => ragged.Buffers = userCall("toBuffers", (array: RaggedArray) =>
  ragged.toBuffers(inMemory(array).layout),
);

/** From a table or a vector of apache-arrow: `rg.fromArrow(tableFromIPC(bytes))`. */
export const fromArrow: (data: ragged.ArrowTable | ragged.ArrowVector) => RaggedArray = userCall(
  "fromArrow",
  (data: ragged.ArrowTable | ragged.ArrowVector) => new RaggedArray(ragged.fromArrow(data as never)),
);

/** A vector of apache-arrow, which has to be installed: `const vector = await rg.toArrow(x)`. */
export const toArrow: (array: RaggedArray) => Promise<ragged.ArrowVector> = asyncCall(
  "toArrow",
  async (array: RaggedArray) => ragged.toArrow(inMemory(array).layout),
  [1],
);
