// Files by what users write. In: paths, patterns, folders, URLs, or open files of bytes. Out: files, in order.
// Must hold: what is not there is an error before anything is read of the others.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import type { HttpStoreOptions } from "../httpStore.ts";
import { type ByteFile, httpFile, localFile } from "./byteFile.ts";
import { matchingPaths } from "./glob.ts";

/** A path, a pattern, a folder or an http(s) URL; or a file of bytes. */
export type FileArgument = string | Address | ByteFile;
/** One file or several: paths, patterns such as "events/*.parquet", folders, URLs, files. */
export type FileArguments = FileArgument | readonly FileArgument[];

export interface PlaceOptions {
  readonly http?: HttpStoreOptions | undefined;
  /** How the names of the files end that are meant by a folder. */
  readonly endings?: readonly string[];
}

export async function filesOf(files: FileArguments, options: PlaceOptions = {}): Promise<ByteFile[]> {
  const list = Array.isArray(files) ? (files as readonly FileArgument[]) : [files as FileArgument];
  const found: ByteFile[] = [];
  for (const argument of list) found.push(...(await filesOfOne(argument, options)));
  if (found.length === 0) throw new ValueError({ what: "a dataset of no files", cure: "Name one at least" });
  return found;
}

async function filesOfOne(argument: FileArgument, { http, endings }: PlaceOptions): Promise<ByteFile[]> {
  if (typeof argument !== "string" && !(argument instanceof URL)) return [checkedFile(argument)];
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return [httpFile(text, http)];
  if (text === "")
    throw new ValueError({ what: "the path is empty", cure: 'Give a file, as "data/events.parquet"' });
  const path = /^file:/i.test(text) ? decodeURIComponent(new URL(text).pathname) : text;
  return Promise.all((await matchingPaths(path, endings)).map(localFile));
}

function checkedFile(file: ByteFile): ByteFile {
  if (typeof file?.read === "function" && typeof file.tail === "function") return file;
  throw new ValueError({
    what: `${describe(file)} is not a file`,
    cure: "Give a path, an http(s) URL, or a ByteFile",
  });
}
