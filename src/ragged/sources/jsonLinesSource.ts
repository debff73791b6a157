// Files of JSON lines as a source. In: files, a type or lines to find it from, and a size of blocks. Out: partitions,
// each the lines that begin in one block of bytes; what is not needed of them is skipped and never built. Must hold:
// nobody knows how many rows there are before they are read; a line that does not fit is an error that names it.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { ABSENT, closed, everything, type Form, type Need, nodesOf } from "../../core/form/form.ts";
import { formOfJson, formText, jsonOfForm } from "../../core/form/formJson.ts";
import { logicalOf, logicalText } from "../../core/form/logical.ts";
import { parseElementType } from "../../core/form/parseType.ts";
import { fingerprintBytes } from "../../expr/expr.ts";
import { StorageError } from "../../storage/errors.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { HttpStoreOptions } from "../../storage/httpStore.ts";
import { type FileArguments, filesOf } from "../../storage/parquet/index.ts";
import type { StoreOptions } from "../../storage/store.ts";
import type { Layout } from "../layout/layout.ts";
import { plainForm } from "../layout/probe.ts";
import { checkJsonForm } from "./json/jsonColumns.ts";
import {
  type Block,
  blocksOf,
  type Lines,
  lineNumber,
  linesIn,
  type SizedFile,
  sized,
} from "./json/lines.ts";
import { inferForm, LineMisfit, parseLines } from "./json/parseLines.ts";
import { bufferBytes } from "./memorySource.ts";
import {
  checkedPartition,
  flattened,
  lowestNeeded,
  type NodeCost,
  type Numbered,
  numbered,
  RaggedSource,
  type ReadSignal,
} from "./source.ts";

/** Options of `rg.fromJsonLines`. */
export interface JsonLinesOptions extends StoreOptions {
  /** The type of a line, as "{met: float64, jets: var * {pt: float64}}". Fields that it does not name are skipped. Found from the first lines unless given. */
  type?: string | Form;
  /** About how many bytes make a partition; 16 MiB unless given. */
  blockBytes?: number;
  /** How many lines the type is found from, at most; 1000 unless given. */
  sampleRows?: number;
  /** And how many bytes of them; 1 MiB unless given. */
  sampleBytes?: number;
  /** For files behind http(s) URLs: headers, retries, time-outs. */
  http?: HttpStoreOptions;
  /** For people; the files unless given. */
  name?: string;
}

/** A line that is no JSON, or that does not fit the type of the others. */
export class JsonLineError extends StorageError {
  readonly file: string;
  readonly line: number;
  /** The names of fields on the way to the value; "" for the line itself. */
  readonly path: string;

  constructor(misfit: LineMisfit, file: string, line: number) {
    const field = misfit.path === "" ? "" : `, ${misfit.path}`;
    super({
      what: misfit.message,
      where: `${file}, line ${line}${field}`,
      cure: "Mend the line, give a type that it fits, or let the type be found from more lines (sampleRows)",
    });
    this.file = file;
    this.line = line;
    this.path = misfit.path;
  }
}

/** How names of such files end. */
export const JSON_ENDINGS: readonly string[] = [".jsonl", ".ndjson", ".json"];
const BLOCK_BYTES = 2 ** 24;
const SAMPLE_BYTES = 2 ** 20;
const SAMPLE_ROWS = 1000;

export async function openJsonLines(
  files: FileArguments,
  options: JsonLinesOptions = {},
): Promise<JsonLinesSource> {
  const { blockBytes = BLOCK_BYTES, sampleRows = SAMPLE_ROWS, sampleBytes = SAMPLE_BYTES } = options;
  for (const [name, value] of Object.entries({ blockBytes, sampleRows, sampleBytes }))
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a whole number above 0" });
  const given = givenForm(options.type);
  const places = await filesOf(files, { http: options.http, endings: JSON_ENDINGS });
  const open = await Promise.all(places.map((file) => sized(file, options)));
  const file = open.find(({ size }) => size > 0) ?? open[0]!;
  const lines = await linesIn({ file, start: 0, end: Math.min(file.size, sampleBytes) }, options);
  const form = given ?? (await inferred(file, lines, sampleRows));
  return new JsonLinesSource({
    files: open,
    form,
    sample: lines,
    blockBytes,
    isStrict: given === null,
    options,
  });
}

/** Texts to JSON, whatever else they are. */
const SPELLED: ReadonlySet<string> = new Set(["json", "enum", "categorical", "map"]);

/** JSON has no sign for dates, decimals and their like: a number would be taken for what it is stored as. */
function checkSpelled(form: Form): void {
  const logical = nodesOf(form)
    .map(logicalOf)
    .find((of) => of !== null && !SPELLED.has(of.kind));
  if (logical === undefined || logical === null) return;
  throw new ValueError({
    where: "fromJsonLines",
    what: `the type has ${logicalText(logical)}, for which JSON has no sign`,
    cure: `Read strings (or numbers), then valuesAstype(x, "${logicalText(logical)}")`,
  });
}

function givenForm(type: string | Form | undefined): Form | null {
  if (type === undefined) return null;
  const form = typeof type === "string" ? parseElementType(type) : plainForm(type);
  checkSpelled(form);
  checkJsonForm(numbered(form));
  return form;
}

async function inferred(file: SizedFile, lines: Lines, rows: number): Promise<Form> {
  const form = await located(file, lines, () => inferForm(lines.bytes, rows));
  if (form !== null) return form;
  throw new ValueError({
    what: "there are no lines to find the type from",
    where: file.name,
    cure: 'Give a type, as {type: "{met: float64}"}',
  });
}

/** With the file and the number of the line for what is wrong with one. */
async function located<T>(file: SizedFile, { start }: Lines, action: () => T): Promise<T> {
  try {
    return action();
  } catch (cause) {
    if (!(cause instanceof LineMisfit)) throw cause;
    throw new JsonLineError(cause, file.name, await lineNumber(file, start + cause.offset));
  }
}

interface Parts {
  readonly files: readonly SizedFile[];
  readonly form: Form;
  readonly sample: Lines;
  readonly blockBytes: number;
  readonly isStrict: boolean;
  readonly options: JsonLinesOptions;
}

export class JsonLinesSource extends RaggedSource {
  readonly name: string;
  readonly form: Form;
  readonly rows: readonly null[];
  readonly #parts: Parts;
  readonly #blocks: readonly Block[];
  readonly #tree: Numbered;
  /** Of each node, bytes in memory for a byte of text. */
  readonly #ratios: readonly number[];
  readonly #fingerprint: string;
  #bytesRead = 0;

  constructor(parts: Parts) {
    super();
    const { files, form, blockBytes, options, sample } = parts;
    this.#parts = parts;
    this.form = form;
    this.name = options.name ?? namesText(files);
    this.#blocks = blocksOf(files, blockBytes);
    this.rows = this.#blocks.map(() => null);
    this.#tree = numbered(form);
    this.#ratios = this.#sampleRatios(sample);
    const states = files.map(({ location, name, size, version }) => [
      location ?? name,
      size,
      version ?? null,
    ]);
    const text = JSON.stringify([states, formText(form), blockBytes, fingerprintBytes(sample.bytes)]);
    this.#fingerprint = `jsonLines ${fingerprintBytes(new TextEncoder().encode(text))}`;
  }

  /** So far; what the type was found from is not counted. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  fingerprint(): string {
    return this.#fingerprint;
  }

  async read(partition: number, need: Need, { signal }: ReadSignal = {}): Promise<Layout> {
    const block = this.#blocks[checkedPartition(this, partition)]!;
    const lines = await linesIn(block, signal === undefined ? {} : { signal });
    this.#bytesRead += lines.bytes.length;
    const options = { need: closed(this.form, need), isStrict: this.#parts.isStrict };
    return located(block.file, lines, () => parseLines(lines.bytes, this.#tree, options));
  }

  /** The text, and twice the values: columns grow by doubling. */
  bytesOf(partition: number, need: Need): number {
    const { start, end } = this.#blocks[checkedPartition(this, partition)]!;
    const perByte = this.#ratios.reduce((sum, ratio, at) => sum + (need[at] === ABSENT ? 0 : ratio), 0);
    return Math.ceil((end - start) * (1 + 2 * perByte));
  }

  /** How many bytes of text a column takes is not known. */
  costs(): readonly NodeCost[] {
    return flattened(this.#tree).map(({ form, path }) =>
      form.kind === "record" ? { column: null, bytes: 0 } : { column: path, bytes: null },
    );
  }

  touched(need: Need): readonly number[] {
    return lowestNeeded(this.#tree, closed(this.form, need)).map(({ at }) => at);
  }

  location(): TableLocation | null {
    const { files, options, blockBytes, isStrict } = this.#parts;
    const places = files.map((file) => file.location);
    if (options.http !== undefined || places.includes(undefined)) return null;
    const { sampleBytes = SAMPLE_BYTES } = options;
    return {
      format: "jsonLines",
      files: places,
      options: { blockBytes, sampleBytes, isStrict, name: this.name, form: jsonOfForm(this.form) },
      fingerprint: this.#fingerprint,
    };
  }

  /** Of lines that do not fit nothing is known here; reading them says what is wrong. */
  #sampleRatios({ bytes }: Lines): number[] {
    const none = flattened(this.#tree).map(() => 1);
    if (bytes.length === 0) return none;
    try {
      const layout = parseLines(bytes, this.#tree, { need: everything(this.form), isStrict: false });
      return bufferBytes(layout).map((size) => size / bytes.length);
    } catch (cause) {
      if (cause instanceof LineMisfit) return none;
      throw cause;
    }
  }
}

function namesText(files: readonly SizedFile[]): string {
  return files.length === 1 ? files[0]!.name : `${files[0]!.name} and ${files.length - 1} more`;
}

interface LocatedOptions {
  readonly blockBytes: number;
  readonly sampleBytes: number;
  readonly isStrict: boolean;
  readonly name: string;
  readonly form: unknown;
}

/** The source of a location. Its type is known, so nothing is found out again. */
export async function jsonLinesAt(
  files: readonly string[],
  options: LocatedOptions,
): Promise<JsonLinesSource> {
  const { blockBytes, sampleBytes, isStrict, name } = options;
  const open = await Promise.all((await filesOf(files)).map((file) => sized(file)));
  const file = open.find(({ size }) => size > 0) ?? open[0]!;
  const sample = await linesIn({ file, start: 0, end: Math.min(file.size, sampleBytes) });
  const form = formOfJson(options.form);
  return new JsonLinesSource({
    files: open,
    form,
    sample,
    blockBytes,
    isStrict,
    options: { name, sampleBytes },
  });
}
