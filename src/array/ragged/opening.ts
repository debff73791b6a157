// Rows in files, opened as lazy arrays, by whichever format they are of. In: a format, files and options. Out: a lazy array.

import { asSource } from "../../ragged/sources/index.ts";
import type { RaggedFormat } from "../../storage/formats/raggedFormat.ts";
import type { FileArguments } from "../../storage/parquet/index.ts";
import { engine } from "../defaultEngine.ts";
import { type LazyRagged, lazyOf } from "./raggedArrays.ts";

/** The way of all nested data in. */
export async function openRagged(
  format: RaggedFormat,
  files: FileArguments,
  options: object,
): Promise<LazyRagged> {
  const { name } = format;
  const by = { format: name, files, options, isHereOnly: engine.formats.isHereOnly(name) };
  return lazyOf(asSource(await format.open(files, options), by));
}
