// Sources by location: what another thread opens. In: plain data that `location()` gave, and the formats that there are. Out:
// the same source. Must hold: what is no location is a typed error; files that are not the same any more are one too.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { ABSENT, closed, type Form, type Need, narrowed } from "../../core/form/form.ts";
import { formText } from "../../core/form/formJson.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { typeText } from "../../core/form/typeText.ts";
import { CorruptDataError, messageOf, NotSupportedError } from "../../storage/errors.ts";
import type { RaggedFormat, Table, TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { KnownFormats } from "../../storage/formats/table.ts";
import type { FileArguments } from "../../storage/parquet/index.ts";
import { formOf, type Layout } from "../layout/layout.ts";
import { plainForm } from "../layout/probe.ts";
import { checkJsonForm } from "./json/jsonColumns.ts";
import { parseLines } from "./json/parseLines.ts";
import { partOf } from "./memorySource.ts";
import {
  checkedPartition,
  flattened,
  lowestNeeded,
  type NodeCost,
  type Numbered,
  numbered,
  RaggedSource,
} from "./source.ts";

// Rows that a user's format reads. In: a table: the type of a row, partitions, and a function that reads one. Out: a source like
// the built-in ones. Must hold: whatever the code gives, a partition has the rows and the form that were said, or it is an
// error that names the format.

/** How a table was opened. */
interface OpenedBy {
  readonly format: string;
  readonly files: FileArguments;
  readonly options: object;
  /** Other threads do not have the format. */
  readonly isHereOnly: boolean;
}

/** Rows of a partition whose number nobody knows, and bytes of a value, for an estimate of memory. */
const SOME_ROWS = 100_000;
const SOME_BYTES = 16;

class OwnSource extends RaggedSource {
  readonly name: string;
  readonly form: Form;
  readonly rows: readonly (number | null)[];
  readonly #table: Table;
  readonly #by: OpenedBy;
  readonly #tree: Numbered;
  /** Nobody can tell its state: it is like no other. */
  readonly #unknown = crypto.randomUUID();

  constructor(table: Table, by: OpenedBy) {
    super();
    this.#by = by;
    this.#table = checked(table, by.format);
    this.form = typeof table.type === "string" ? parseElementType(table.type) : plainForm(table.type);
    this.rows = [...table.rows];
    this.name = table.name ?? [by.files].flat().map(String).join(", ");
    this.#tree = numbered(this.form);
  }

  async read(partition: number, need: Need): Promise<Layout> {
    const levels = closed(this.form, need);
    const columns = lowestNeeded(this.#tree, levels).map(({ path }) => path);
    const given = await this.#table.read(checkedPartition(this, partition), columns);
    const layout = Array.isArray(given) ? this.#ofRows(given, levels) : this.#ofArray(given, levels);
    const rows = this.rows[partition]!;
    if (rows === null || layout.length === rows) return layout;
    throw this.#wrong(`${layout.length} rows for partition ${partition}, which has ${rows}`);
  }

  /** By their texts, so that they become what the type says, whatever they look like. */
  #ofRows(rows: readonly unknown[], need: Need): Layout {
    checkJsonForm(this.#tree);
    const lines = rows.map((row) => `${JSON.stringify(row ?? null)}\n`).join("");
    try {
      return parseLines(new TextEncoder().encode(lines), this.#tree, { need, isStrict: false });
    } catch (cause) {
      throw this.#wrong(`rows that are not ${typeText(this.form)}: ${messageOf(cause)}`, cause);
    }
  }

  #ofArray(given: unknown, need: Need): Layout {
    const { layout } = (given ?? {}) as { layout?: Layout };
    if (layout === undefined) throw this.#wrong(describe(given));
    const form = formOf(layout);
    const text = formText(form);
    if (text === formText(this.form)) return partOf(layout, this.#tree, need);
    if (text === formText(narrowed(this.form, need))) return layout;
    throw this.#wrong(`rows of type ${typeText(form)}, where ${typeText(this.form)} was said`);
  }

  #wrong(what: string, cause?: unknown): CorruptDataError {
    const cure =
      "Its read must give a list, or an array of chunkwise/ragged, of the rows and the type that it said";
    return new CorruptDataError(
      { what: `the format ${this.#by.format} gave ${what}`, where: this.name, cure },
      cause === undefined ? undefined : { cause },
    );
  }

  bytesOf(partition: number, need: Need): number {
    const said = this.#table.bytesOf?.(checkedPartition(this, partition));
    if (said !== undefined) return said;
    const nodes = need.filter((level) => level !== ABSENT).length;
    return (this.rows[partition] ?? SOME_ROWS) * SOME_BYTES * Math.max(1, nodes);
  }

  costs(): readonly NodeCost[] {
    return flattened(this.#tree).map(({ form, path }) =>
      form.kind === "record" ? { column: null, bytes: 0 } : { column: path, bytes: null },
    );
  }

  touched(need: Need): readonly number[] {
    return lowestNeeded(this.#tree, closed(this.form, need)).map(({ at }) => at);
  }

  fingerprint(): string {
    const { format, files } = this.#by;
    const state = this.#table.fingerprint?.() ?? this.#unknown;
    return `${format} ${JSON.stringify(files)} ${formText(this.form)} ${this.rows} ${state}`;
  }

  location(): TableLocation | null {
    const { format, isHereOnly, options } = this.#by;
    const files = [this.#by.files].flat();
    if (isHereOnly || !files.every((file) => typeof file === "string")) return null;
    const known = this.#table.fingerprint === undefined ? {} : { fingerprint: this.fingerprint() };
    return { format, files, options, ...known };
  }
}

function checked(table: Table, format: string): Table {
  const { type, rows, read } = (table ?? {}) as Partial<Table>;
  const isCount = (count: unknown): boolean =>
    count === null || (Number.isSafeInteger(count) && Number(count) >= 0);
  const areRows = Array.isArray(rows) && rows.length > 0 && rows.every(isCount);
  if (type !== undefined && areRows && typeof read === "function") return table;
  throw new NotSupportedError({
    what: `the format ${format} gave ${describe(table)}`,
    cure: 'It must open {type: "{x: float64}", rows: [100, null], read(partition, columns)}',
  });
}

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
