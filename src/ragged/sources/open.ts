// Sources by location: what another thread opens. In: plain data that `location()` gave, and the formats that there are. Out:
// the same source. Must hold: what is no location is a typed error; files that are not the same any more are one too.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { CorruptDataError } from "../../storage/errors.ts";
import type { RaggedFormat, Table, TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { KnownFormats } from "../../storage/formats/table.ts";
import type { FileArguments } from "../../storage/parquet/index.ts";
import { type OpenedBy, OwnSource } from "./ownSource.ts";
import { RaggedSource } from "./source.ts";

/** What a format opened: the built-in ones give sources, those of users tables. */
export const asSource = (opened: Table | object, by: OpenedBy): RaggedSource =>
  opened instanceof RaggedSource ? opened : new OwnSource(opened as Table, by);

export async function openSource(location: TableLocation, formats: KnownFormats): Promise<RaggedSource> {
  const source = await opened(location, await formats.ragged(checkedName(location)));
  const { fingerprint } = location;
  if (fingerprint === undefined || fingerprint === source.fingerprint()) return source;
  throw new CorruptDataError({
    what: "the files have changed since the computation was defined",
    where: source.name,
    cure: "Open them again",
  });
}

async function opened(location: TableLocation, format: RaggedFormat): Promise<RaggedSource> {
  if (format.openAt !== undefined) return (await format.openAt(location)) as RaggedSource;
  const { files, options = {} } = location as { files?: FileArguments; options?: object };
  const table = await format.open(files!, options);
  return asSource(table, { format: format.name, files: files!, options, isHereOnly: false });
}

function checkedName(location: TableLocation): string {
  const { format, files } = location as { format?: unknown; files?: unknown };
  const isTexts = Array.isArray(files) && files.every((file) => typeof file === "string");
  if (typeof format === "string" && isTexts) return format;
  throw new ValueError({
    what: `${describe(location)} is not the location of a source`,
    cure: "Use what location() gives; sources in memory have none",
  });
}
