// Operations as nodes of expressions: partition i of the result comes of partitions i of the inputs. In: records of the
// ragged op table. Out: ops of the one op table, called `rg.` and the record's name. An item (one value) goes to all
// partitions. Must hold: what is not done row by row has inputs of one partition.

import { type Attrs, attrsText } from "../../core/block.ts";
import type { Box } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { everything, type Form, type Need, narrowed } from "../../core/form/form.ts";
import {
  type ArrayType,
  assertRagged,
  itemType,
  type Partition,
  type RaggedInput,
  type RaggedOp as RaggedNode,
  type RaggedType,
  raggedOf,
  raggedType,
} from "../../expr/op.ts";
import { type PartitionFormat, type PartitionLocation, PartitionResource } from "../../ops/partitions.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import type { KnownFormats } from "../../storage/formats/table.ts";
import { formKey, Remembered } from "../demand/needs.ts";
import { bytesOfLayout, packLayout, unpackLayout, viewsOfLayout } from "../layout/bytes.ts";
import type { Layout, Plain } from "../layout/layout.ts";
import { giveBack, watchTaken } from "../layout/leafKernels.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { plain } from "../layout/plainLayout.ts";
import { formOfProbe, plainProbe } from "../layout/probe.ts";
import { sliceRows, take } from "../layout/rows.ts";
import { growthOf } from "../ops/growth.ts";
import { narrow } from "../ops/narrow.ts";
import { Item, type RaggedOp, unwrapRow } from "../ops/op.ts";
import { RAGGED_OPS } from "../ops/table.ts";
import { MemorySource } from "../sources/memorySource.ts";
import { openSource } from "../sources/open.ts";
import type { RaggedSource } from "../sources/source.ts";

// A source as plans read it: with what is needed of it. In: a source and levels. Out: a resource whose partitions have
// the narrowed form. Equal needs of one source are one resource, so that expressions over them are the same.

export class Reading extends PartitionResource {
  readonly source: RaggedSource;
  readonly need: Need;
  readonly form: Form;

  private constructor(source: RaggedSource, need: Need) {
    super();
    this.source = source;
    this.need = need;
    this.form = narrowed(source.form, need);
  }

  static readonly #known = new WeakMap<RaggedSource, Map<string, Reading>>();

  static of(source: RaggedSource, need: Need = everything(source.form)): Reading {
    const own = Reading.#known.get(source) ?? new Map<string, Reading>();
    Reading.#known.set(source, own);
    const key = need.join("");
    const reading = own.get(key) ?? new Reading(source, need);
    own.set(key, reading);
    return reading;
  }

  get origin(): RaggedSource {
    return this.source;
  }

  withNeed(need: Need): Reading {
    return Reading.of(this.source, need);
  }

  get partitions(): number {
    return this.source.rows.length;
  }

  readPartition(at: number): Partition | Promise<Partition> {
    return this.source.read(at, this.need);
  }

  get isFar(): boolean {
    return this.source.isFar;
  }

  get isInMemory(): boolean {
    return this.source instanceof MemorySource;
  }

  bytesOf(at: number): number {
    return this.source.bytesOf(at, this.need);
  }

  location(): PartitionLocation | null {
    const location = this.source.location();
    return location === null ? null : { source: location, need: [...this.need] };
  }

  fingerprint(): string {
    return `${this.source.fingerprint()} ${this.need.join("")}`;
  }
}

/** Partitions as runs see them. */
export const PARTITIONS: PartitionFormat = {
  pack: (partition) => packLayout(partition as Layout),
  buffersOf: (partition) => viewsOfLayout(partition as Layout),
  slice: (partition, start, stop) => sliceRows(plain(partition as Layout), start, stop),
  join: (parts) => (parts.length === 1 ? parts[0]! : mergeRows(parts.map((part) => plain(part as Layout)))),
  watch: watchTaken,
  giveBack,
  unpack: unpackLayout,
  bytesOf: (partition) => bytesOfLayout(partition as Layout),
  open: async ({ source, need }, formats) =>
    Reading.of(await openSource(source as TableLocation, formats as KnownFormats), need as Need),
};

export const formsOf = (types: readonly RaggedType[]): Form[] => types.map(({ form }) => form);

export const FIRST: Box = { start: [0], shape: [1] };

/** The only partition of an input, as operations take it. */
export const rowsOf = (input: RaggedInput): Plain => plain((input as readonly Partition[])[0] as Layout);

/** How many partitions arrays have together. Items have none of their own. */
export const commonPartitions = (types: readonly RaggedType[]): number =>
  types.find(({ isItem }) => !isItem)?.partitions ?? 1;

const isAllItems = (types: readonly RaggedType[]): boolean => types.every(({ isItem }) => isItem);

/** An operation on single values gives a value, or the rows of the list that it gives. */
function typeOfItems(form: Form): RaggedType {
  const row = unwrapRow(plainProbe(form));
  return row instanceof Item ? itemType(form) : raggedType(formOfProbe(row), 1);
}

/** The partition with the same number of every array that has as many; of items and of others the first. */
export function samePlaces(out: Box, inputs: readonly ArrayType[], type: ArrayType): Box[] {
  assertRagged(inputs);
  const { partitions } = raggedOf(type);
  return inputs.map((input) => (input.isItem || input.partitions !== partitions ? FIRST : out));
}

type Inferred = ReturnType<RaggedOp["infer"]>;
const inferred = new WeakMap<RaggedOp<object>, Remembered<Inferred>>();

/** Found once for equal forms: computations have many operations, and few kinds of them. */
function inferOnce(record: RaggedOp<object>, forms: readonly Form[], attrs: Attrs): Inferred {
  const own = inferred.get(record) ?? new Remembered<Inferred>();
  inferred.set(record, own);
  const text = record.formText?.(attrs) ?? attrsText(attrs, ({ id }) => `#${id}`);
  return own.get(`${text}(${forms.map(formKey)})`, () => record.infer(forms, attrs));
}

function typeOf(record: RaggedOp<object>, types: readonly RaggedType[], attrs: Attrs): RaggedType {
  const forms = formsOf(types);
  const { form, isItem } = inferOnce(record, forms, attrs);
  if (isAllItems(types)) return isItem ? itemType(form) : typeOfItems(form);
  const partitions = commonPartitions(types);
  const differing = types.find((type) => !type.isItem && type.partitions !== partitions);
  if (differing !== undefined)
    throw new ValueError({
      where: record.name,
      what: `arrays of ${partitions} and ${differing.partitions} partitions meet`,
      cure: "Repartition one of them as the other",
    });
  if (partitions > 1 && !record.isRowwise(forms, attrs))
    throw new ValueError({
      where: record.name,
      what: `looks at several rows at once, and they are in ${partitions} partitions`,
      cure: "Repartition into one partition first",
    });
  return isItem ? itemType(form) : raggedType(form, partitions);
}

function placewise(record: RaggedOp<object>): RaggedNode {
  return {
    name: `rg.${record.name}`,
    class: "ragged",
    isPlacewise: true,
    infer(types, attrs) {
      assertRagged(types);
      return typeOf(record, types, attrs);
    },
    demand: (out, types, _, type) => samePlaces(out, types, type),
    piecewise(types, attrs) {
      assertRagged(types);
      return !isAllItems(types) && record.isRowwise(formsOf(types), attrs) ? "rows" : null;
    },
    growth(inputs, attrs, { inputs: types }) {
      assertRagged(types);
      return growthOf(
        record,
        inputs.map(rowsOf),
        types.map(({ isItem }) => isItem),
        attrs,
      );
    },
    run(inputs, attrs, { inputs: types }) {
      assertRagged(types);
      const rows = inputs.map(rowsOf);
      if (!isAllItems(types)) return record.run(stretched(checked(rows, types), types), attrs);
      const row = record.run(rows, attrs);
      if (record.infer(formsOf(types), attrs).isItem) return row;
      const unwrapped = unwrapRow(row);
      return unwrapped instanceof Item ? unwrapped.row : unwrapped;
    },
    chunks: () => [1],
  };
}

/** One row would go with all rows of a partition, and not with those of the others. */
function checked(rows: readonly Plain[], types: readonly RaggedType[]): readonly Plain[] {
  const lengths = rows.flatMap(({ length }, i) => (types[i]!.isItem ? [] : [length]));
  const isAlone = types.every(({ partitions }) => partitions === 1);
  if (isAlone || lengths.every((length) => length === lengths[0])) return rows;
  throw new ShapeError({
    what: `arrays with partitions of ${lengths.join(" and ")} rows meet`,
    cure: "Make both from one array, so that they are cut alike",
  });
}

/** Items once for every row. */
function stretched(rows: readonly Plain[], types: readonly RaggedType[]): Plain[] {
  const at = types.findIndex(({ isItem }) => !isItem);
  const { length } = rows[at]!;
  return rows.map((row, i) => (types[i]!.isItem ? take(row, new Int32Array(length)) : row));
}

const records: readonly RaggedOp<object>[] = [...RAGGED_OPS.values(), narrow as unknown as RaggedOp<object>];
const NODES: ReadonlyMap<string, RaggedNode> = new Map(
  records.map((record) => [record.name, placewise(record)]),
);
const RECORDS: ReadonlyMap<RaggedNode, RaggedOp<object>> = new Map(
  records.map((record) => [NODES.get(record.name)!, record]),
);

/** All of them. */
export const PLACEWISE: readonly RaggedNode[] = [...NODES.values()];

/** The node of a record. */
export const nodeOfRecord = (record: { readonly name: string }): RaggedNode => NODES.get(record.name)!;

/** The record of a node; undefined for nodes that are not of the table. */
export const recordOfNode = (node: object): RaggedOp<object> | undefined => RECORDS.get(node as RaggedNode);
