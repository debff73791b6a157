// Where tables are written: a path or a key, or a folder of files named part-00000 and so on. In: a target. Out: sinks
// and names. What must hold: a file appears whole or not at all; parts of an earlier table are never mixed with these.

import { ValueError } from "../../core/errors.ts";
import { requireBuiltin } from "../builtin.ts";
import { addressText, cloudAddress } from "../cloud/cloudAddress.ts";
import { cloudStoreOf } from "../cloud/openCloud.ts";
import type { Store, StoreKey } from "../store.ts";
import { isCloudAddress } from "../store.ts";
import { fileSink, type Sink, storeSink } from "./sink.ts";

/** A path of the local file system or s3://bucket/path, or a key of a store; of a folder when there is a file per partition. */
export type WriteTarget = string | { readonly store: Store; readonly key: StoreKey };

export async function sinkOf(target: WriteTarget): Promise<Sink> {
  const place = placed(target);
  return typeof place === "string" ? fileSink(place) : storeSink(place.store, place.key);
}

/** An address of object storage is a key of its bucket. */
function placed(target: WriteTarget): WriteTarget {
  if (typeof target !== "string" || !isCloudAddress(target)) return target;
  const address = cloudAddress(target);
  return { store: cloudStoreOf(addressText({ ...address, path: "" })), key: `/${address.path}` };
}

export const partName = (part: number, ending: string): string =>
  `part-${String(part).padStart(5, "0")}${ending}`;

export const inFolder = (target: WriteTarget, name: string): WriteTarget =>
  typeof target === "string"
    ? `${target.replace(/\/$/, "")}/${name}`
    : { store: target.store, key: `${target.key.replace(/\/$/, "")}/${name}` as StoreKey };

/** Parts of an earlier, longer table would be read as parts of this one. */
export async function emptyFolder(given: WriteTarget, ending: string): Promise<void> {
  const target = placed(given);
  const place = typeof target === "string" ? target : target.key;
  const names = typeof target === "string" ? await namesIn(target) : await target.store.listDir?.(target.key);
  const found = (Array.isArray(names) ? names : (names?.keys ?? [])).find((name) => name.endsWith(ending));
  if (found === undefined) return;
  throw new ValueError({
    what: `${place} has the file ${found} already`,
    cure: "Write into an empty folder",
  });
}

async function namesIn(folder: string): Promise<string[]> {
  const fs = await requireBuiltin("node:fs");
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

/** A whole file at once, in a folder. Its name. */
export async function putFile(folder: WriteTarget, name: string, bytes: Uint8Array): Promise<string> {
  return putPieces(inFolder(folder, name), [bytes]).then((written) => written.name);
}

/** Pieces as they come, as one file. */
export async function putPieces(
  target: WriteTarget,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ readonly name: string; readonly bytes: number }> {
  const sink = await sinkOf(target);
  let written = 0;
  try {
    for await (const piece of pieces) {
      sink.append(piece);
      written += piece.length;
    }
    await sink.finish();
    return { name: sink.name, bytes: written };
  } catch (cause) {
    sink.abort();
    throw cause;
  }
}
