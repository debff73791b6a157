// Rows that a filter rules out, by all that a file says of its values. In: a row group and a filter. Out: the runs of rows
// that may match. What is read for that is small beside the data: bloom filters and dictionaries for values that are asked
// for, and page indexes. What must hold: a row for which the filter holds is in a run; what says nothing, or is damaged,
// rules nothing out.

import { NotSupportedError } from "../errors.ts";
import type { StoreOptions } from "../store.ts";
import { BloomFilter, plainBytes, xxh64 } from "./bloom.ts";
import type { Values } from "./column.ts";
import { Damage, ParquetDataError, Unsupported } from "./errors.ts";
import type { ParquetFile } from "./file.ts";
import {
  type Condition,
  type Filter,
  leafOfCondition,
  mayMatch,
  storedBound,
  valuesAskedFor,
} from "./filter.ts";
import type { RowGroup } from "./footer.ts";
import { intersected, type RowRun, united } from "./rowRuns.ts";
import type { LeafNode } from "./schema.ts";
import { type Bound, type Statistics, statisticsOf } from "./statistics.ts";
import { listAt, ThriftReader, type ThriftStruct } from "./thrift.ts";

export const runsMatching = (
  file: ParquetFile,
  rowGroup: number,
  filter: Filter,
  options: StoreOptions = {},
): Promise<readonly RowRun[]> => new GroupFilter(file, file.rowGroups[rowGroup]!, options).runs(filter);

const NONE: readonly RowRun[] = [];

/** A dictionary is looked at where it is a small part of its chunk. */
const DICTIONARY_PART = 1 / 4;
const BLOOM_HEADER_BYTES = 64;

class GroupFilter {
  readonly #file: ParquetFile;
  readonly #group: RowGroup;
  readonly #options: StoreOptions;

  constructor(file: ParquetFile, group: RowGroup, options: StoreOptions) {
    this.#file = file;
    this.#group = group;
    this.#options = options;
  }

  get #all(): readonly RowRun[] {
    return this.#group.rows === 0 ? NONE : [{ start: 0, stop: this.#group.rows }];
  }

  async runs(filter: Filter): Promise<readonly RowRun[]> {
    if (!this.#mayMatch(filter)) return NONE;
    if ("and" in filter) {
      let left = this.#all;
      for (const part of filter.and) if (left.length > 0) left = intersected(left, await this.runs(part));
      return left;
    }
    if ("or" in filter) {
      const found: RowRun[] = [];
      for (const part of filter.or) found.push(...(await this.runs(part)));
      return united(found);
    }
    const leaf = leafOfCondition(filter, this.#file.schema);
    if ((await this.#isIn(filter, leaf)) === false) return NONE;
    return (await this.#pagesMatching(filter, leaf)) ?? this.#all;
  }

  #mayMatch(filter: Filter): boolean {
    const { chunks, index, rows } = this.#group;
    return mayMatch(filter, {
      ...{ schema: this.#file.schema, rows },
      entriesOf: (leaf) => chunks[leaf]!.entries,
      statisticsOf: (leaf) => this.#file.statistics(index, leaf),
    });
  }

  /** False where no value of the chunk is one that is asked for. */
  async #isIn(condition: Condition, leaf: LeafNode): Promise<boolean> {
    if (condition.op === "isNull" || condition.op === "notNull") return true;
    const isLeft = async (look: () => Promise<boolean>): Promise<boolean> =>
      (await unlessDamaged(look)) ?? true;
    return (
      (await isLeft(() => this.#isInBloomFilter(condition, leaf))) &&
      (await isLeft(() => this.#isInDictionary(condition, leaf)))
    );
  }

  async #isInBloomFilter(condition: Condition, { leaf, type }: LeafNode): Promise<boolean> {
    const range = this.#group.chunks[leaf]!.bloomFilter;
    const hashes = valuesAskedFor(condition)?.map((value) => {
      const bound = storedBound(value, type);
      const bytes = bound === null ? null : plainBytes(bound, type);
      return bytes === null ? null : xxh64(bytes);
    });
    if (range === null || hashes === undefined || hashes.includes(null)) return true;
    const filter = await this.#bloomFilter(range);
    return filter === null || hashes.some((hash) => filter.mayHave(hash!));
  }

  async #bloomFilter({ offset, length }: { offset: number; length: number }): Promise<BloomFilter | null> {
    const read = (bytes: number): Promise<Uint8Array> =>
      this.#file.readAside({ offset, length: bytes }, this.#options);
    if (length > 0) return BloomFilter.of(await read(length));
    // Older writers do not say how long it is; its header does.
    const size = BloomFilter.sizeOf(await read(BLOOM_HEADER_BYTES));
    return size === null ? null : BloomFilter.of(await read(size));
  }

  async #isInDictionary(condition: Condition, { leaf, type }: LeafNode): Promise<boolean> {
    const { isDictionary, dataAt, length, entries } = this.#group.chunks[leaf]!;
    // Half floats are compared as bits nowhere.
    if (type.logical?.kind === "float16") return true;
    if (!isDictionary || dataAt <= 0 || dataAt > length * DICTIONARY_PART || entries === 0) return true;
    const values = await this.#file.readDictionary(this.#group.index, leaf, this.#options);
    if (values === null) return true;
    const given = { schema: this.#file.schema, rows: 1, entriesOf: () => 2 };
    for (const value of boundsOf(values)) {
      const statisticsOf = (): Statistics => ({ min: value, max: value, nulls: 0, isExact: true });
      if (mayMatch({ ...condition, column: leaf }, { ...given, statisticsOf })) return true;
      // NaN is in no order.
      if (typeof value === "number" && Number.isNaN(value) && type.physical !== "int32") return true;
    }
    return false;
  }

  /** The runs of pages that may match, by the column index; null where there is none. */
  async #pagesMatching(condition: Condition, { leaf, type, repetition }: LeafNode): Promise<RowRun[] | null> {
    const { columnIndex, offsetIndex } = this.#group.chunks[leaf]!;
    if (columnIndex === null || offsetIndex === null) return null;
    return unlessDamaged(async () => {
      const bytes = await this.#file.readAside(columnIndex, this.#options);
      const pages = new ThriftReader(bytes).struct();
      const { firstRows, rows } = await this.#file.pageMap(this.#group.index, leaf, this.#options);
      const runs = firstRows.map((start, i) => ({ start, stop: firstRows[i + 1] ?? rows }));
      return united(
        runs.filter(({ start, stop }, i) => {
          const { statistics, isNull } = pageStatistics(pages, i, type);
          // In lists nobody knows how many entries a page has: more than nulls, where it is not all nulls.
          const entries = isNull
            ? (statistics.nulls ?? 1)
            : repetition === 0
              ? stop - start
              : Number.MAX_SAFE_INTEGER;
          return mayMatch(
            { ...condition, column: leaf },
            {
              ...{ schema: this.#file.schema, rows: Math.max(1, stop - start) },
              ...{ entriesOf: () => entries, statisticsOf: () => statistics },
            },
          );
        }),
      );
    });
  }
}

const UNREADABLE = [Damage, Unsupported, RangeError, ParquetDataError, NotSupportedError];

/** Null where the bytes are no such thing; that the file cannot be read is an error as ever. */
async function unlessDamaged<T>(action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (UNREADABLE.some((known) => error instanceof known)) return null;
    throw error;
  }
}

/** What the index says of page i. */
function pageStatistics(
  pages: ThriftStruct,
  i: number,
  type: LeafNode["type"],
): { readonly statistics: Statistics; readonly isNull: boolean } {
  const isNull = listAt(pages, 1)?.[i] === true;
  const nulls = listAt(pages, 5)?.[i];
  const bound = (id: number): Uint8Array | null => {
    const value = listAt(pages, id)?.[i];
    return value instanceof Uint8Array && !isNull ? value : null;
  };
  const known = typeof nulls === "number" && nulls >= 0 ? nulls : null;
  const raw = { min: bound(2), max: bound(3), isOld: false, isExact: false };
  return { statistics: statisticsOf({ ...raw, nulls: isNull ? (known ?? 1) : known }, type), isNull };
}

function* boundsOf(values: Values): Iterable<Bound> {
  switch (values.kind) {
    case "numbers":
      for (const value of values.data as Iterable<number | bigint>)
        yield values.dtype === "bool" ? value !== 0 : value;
      return;
    case "bytes":
      for (let i = 0; i + 1 < values.offsets.length; i++)
        yield values.data.subarray(values.offsets[i]!, values.offsets[i + 1]!);
      return;
    case "fixed":
      for (let at = 0; at < values.data.length; at += values.size)
        yield values.data.subarray(at, at + values.size);
      return;
    default:
      values satisfies never;
  }
}
