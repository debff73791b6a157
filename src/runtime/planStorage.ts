// Where a plan's arrays may come to lie, for its stated memory. In: how a spec stores intermediates, and what results go
// to. Out: what planning needs to know of it.

import type { DType } from "../core/dtype.ts";
import type { Transfer } from "../core/transfer.ts";
import type { PlanStorage } from "../plan/writer.ts";
import { FileStore } from "../storage/fileStore.ts";
import type { Store } from "../storage/store.ts";
import { buildPipeline } from "../storage/zarr/build.ts";
import { type CodecArgument, planArray } from "../storage/zarr/create.ts";
import type { ArrayMetadata } from "../storage/zarr/metadata.ts";
import { transferOf } from "../storage/zarr/transfer.ts";
import { INTERMEDIATE_CODECS } from "./workDir.ts";

const NO_RESULTS: readonly null[] = [];
/** Intermediates are read chunk by chunk: HeldArray. */
const READ_AT_ONCE = 1;

/** With results in memory, unless it is said where they go. */
export function planStorage(
  codecs: readonly CodecArgument[] | null,
  results: readonly (Transfer | null)[] = NO_RESULTS,
): PlanStorage {
  const chosen = codecs ?? INTERMEDIATE_CODECS;
  const text = JSON.stringify(chosen);
  return {
    key: `${text} ${JSON.stringify(results)}`,
    intermediate: ({ dtype, chunks }) => intermediateTransfer(text, chosen, dtype, chunks),
    results,
  };
}

/** Of an array that is not there yet. */
export function transferTo(metadata: ArrayMetadata, store: Pick<Store, "open">): Transfer {
  const { codecs, unitShape, type, fill } = metadata;
  return transferOf(buildPipeline(codecs, unitShape, type, fill, "/"), store);
}

/** Plans have many intermediates that are alike. */
const known = new Map<string, Transfer>();
const MOST_KNOWN = 1000;

function intermediateTransfer(
  text: string,
  codecs: readonly CodecArgument[],
  dtype: DType,
  chunks: readonly number[],
): Transfer {
  const key = `${text} ${dtype} ${chunks}`;
  let transfer = known.get(key);
  if (transfer === undefined) {
    const metadata = planArray({ shape: chunks, dtype, chunks, codecs }, "/");
    transfer = { ...transferTo(metadata, FileStore.prototype), atOnce: READ_AT_ONCE };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, transfer);
  }
  return transfer;
}
