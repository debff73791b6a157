// Where a plan's arrays may come to lie, for its stated memory. In: how a spec stores intermediates, and what results go
// to. Out: what planning needs to know of it.

import type { DType } from "../core/dtype.ts";
import type { Transfer } from "../core/transfer.ts";
import type { PlanStorage } from "../plan/writer.ts";
import { builtInCodecs, type KnownCodecs } from "../storage/codecs/table.ts";
import { FileStore } from "../storage/fileStore.ts";
import type { Store } from "../storage/store.ts";
import { buildPipeline } from "../storage/zarr/codecPipeline.ts";
import { type CodecArgument, planArray } from "../storage/zarr/create.ts";
import { transferOf } from "../storage/zarr/denseArray.ts";
import type { ArrayMetadata } from "../storage/zarr/metadata.ts";

import { INTERMEDIATE_CODECS } from "./workDir.ts";

const NO_RESULTS: readonly null[] = [];
/** Intermediates are read chunk by chunk: HeldArray. */
const READ_AT_ONCE = 1;

/** With results in memory, unless it is said where they go. */
export function planStorage(
  codecs: readonly CodecArgument[] | null,
  known: KnownCodecs,
  results: readonly (Transfer | null)[] = NO_RESULTS,
): PlanStorage {
  const chosen = codecs ?? INTERMEDIATE_CODECS;
  // Plans have many intermediates that are alike.
  const transfers = new Map<string, Transfer>();
  return {
    key: `${JSON.stringify(chosen)} ${JSON.stringify(results)}`,
    intermediate: ({ dtype, chunks }) => {
      const key = `${dtype} ${chunks}`;
      const transfer = transfers.get(key) ?? intermediateTransfer(chosen, known, dtype, chunks);
      if (transfers.size < MOST_KEPT) transfers.set(key, transfer);
      return transfer;
    },
    results,
  };
}

const MOST_KEPT = 1000;

/** Of an array that is not there yet. */
export function transferTo(
  metadata: ArrayMetadata,
  store: Pick<Store, "open">,
  known: KnownCodecs = builtInCodecs,
): Transfer {
  const { codecs, unitShape, type, fill } = metadata;
  return transferOf(buildPipeline(codecs, unitShape, { type, fill, known, where: "/" }), store);
}

function intermediateTransfer(
  codecs: readonly CodecArgument[],
  known: KnownCodecs,
  dtype: DType,
  chunks: readonly number[],
): Transfer {
  const metadata = planArray({ shape: chunks, dtype, chunks, codecs, known }, "/");
  return { ...transferTo(metadata, FileStore.prototype, known), atOnce: READ_AT_ONCE };
}
