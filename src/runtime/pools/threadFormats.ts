// Sources and targets in stores, opened on a task thread by their formats. In: places as the main thread sent them. Out: the
// same arrays as there; one that is not the same any more is an error.

import { sameShape, shapeText } from "../../core/chunks.ts";
import { denseOf } from "../../expr/op.ts";
import type { DensePlanArray, PlanArray } from "../../plan/plan.ts";
import type { CodecTable } from "../../storage/codecs/table.ts";
import { CorruptDataError, NotSupportedError } from "../../storage/errors.ts";
import { type FormatTable, StoredSource } from "../../storage/formats/table.ts";
import type { Store } from "../../storage/store.ts";
import { SourceArray, TargetArray } from "../storedArrays.ts";
import type { FormatPlace, StoreHandle } from "./messages.ts";

/** What a thread opens arrays with. */
export interface Opening {
  readonly arrays: ReadonlyMap<string, PlanArray>;
  readonly formats: FormatTable;
  readonly codecs: CodecTable;
  storeFor(handle: StoreHandle): Promise<Store>;
}

export async function openSources(
  places: readonly FormatPlace[],
  { arrays, formats, codecs, storeFor }: Opening,
): Promise<Map<string, SourceArray>> {
  const sources = new Map<string, SourceArray>();
  for (const { array: name, format: by, store, path, sent } of places) {
    const format = await formats.dense(by);
    const place = { store: await storeFor(store), path };
    const options = (sent ?? {}) as object;
    const array = await format.open(place, options, { codecs });
    const source = new StoredSource({ format: by, isHereOnly: false, options }, place, array);
    checkSame(source, denseOf(arrays.get(name)!));
    sources.set(name, new SourceArray(source));
  }
  return sources;
}

function checkSame({ array, place }: StoredSource, { dtype, shape }: DensePlanArray): void {
  if (array.dtype === dtype && sameShape(array.shape, shape)) return;
  throw new CorruptDataError({
    what: `it is ${array.dtype} ${shapeText(array.shape)} now, and was ${dtype} ${shapeText(shape)} when it was opened`,
    where: place.path === "" ? "/" : place.path,
    cure: "Open it again",
  });
}

export async function openTargets(
  places: readonly FormatPlace[],
  { arrays, formats, codecs, storeFor }: Opening,
): Promise<Map<string, TargetArray>> {
  const targets = new Map<string, TargetArray>();
  for (const { array, format: by, store, path, sent } of places) {
    const format = await formats.dense(by);
    const writer = await format.writerAt?.({ store: await storeFor(store), path }, sent ?? null, { codecs });
    if (writer === undefined)
      throw new NotSupportedError({
        what: `the format ${by} sends what other threads write with, and has no writerAt`,
        cure: "Give it writerAt(place, sent), or leave `sent` out: chunks are written by one thread then",
      });
    targets.set(array, new TargetArray(writer, denseOf(arrays.get(array)!).dtype));
  }
  return targets;
}
