// Sources by location: what another thread or a saved plan opens. In: plain data that `location()` gave. Out: the same
// source. Must hold: what is no location is a typed error; files that are not the same any more are one too.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { CorruptDataError } from "../../storage/errors.ts";
import { jsonLinesAt } from "./jsonLinesSource.ts";
import { openParquet, type ParquetSourceOptions } from "./parquetSource.ts";
import type { RaggedSource, SourceLocation } from "./source.ts";

export async function openSource(location: SourceLocation): Promise<RaggedSource> {
  const source = await opened(location);
  const { fingerprint } = location;
  if (fingerprint === undefined || fingerprint === source.fingerprint()) return source;
  throw new CorruptDataError({
    what: "the files have changed since the computation was defined",
    where: source.name,
    cure: "Open them again",
  });
}

async function opened(location: SourceLocation): Promise<RaggedSource> {
  const { kind } = location;
  const files = location["files"];
  const options = location["options"];
  if (kind === "parquet" && isTexts(files)) return openParquet(files, options as ParquetSourceOptions);
  if (kind === "jsonLines" && isTexts(files))
    return jsonLinesAt(files, options as Parameters<typeof jsonLinesAt>[1]);
  throw new ValueError({
    what: `${describe(location)} is not the location of a source`,
    cure: "Use what location() gives; sources in memory have none",
  });
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
