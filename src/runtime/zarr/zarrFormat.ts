// Zarr as a format: arrays in chunks, in stores of their own or at paths of one. In: a place and what the user says of the array.
// Out: an array that is read box by box; or one that is written shard by shard, where the same computation goes on with what
// it had written when it was killed. Anything else that is there already is left alone, unless `overwrite` says otherwise.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import { describe, type Shape, sameShape, shapeText, sizeOf } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { hasNames } from "../../core/labels.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import type { KnownCodecs } from "../../storage/codecs/table.ts";
import { NotFoundError } from "../../storage/errors.ts";
import type {
  DenseFormat,
  DenseTarget,
  NewArray,
  Place,
  PreparedPlace,
  Using,
  WrittenUnit,
} from "../../storage/formats/denseFormat.ts";
import { keyIn, requireSet, type Store } from "../../storage/store.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import { refreshConsolidated } from "../../storage/zarr/consolidated.ts";
import { type CreateArrayOptions, createArray, planArray } from "../../storage/zarr/create.ts";
import {
  type DatedObject,
  denseArray,
  MARK,
  objectsBelow,
  shardWriter,
  stateOf,
  traitsOf,
} from "../../storage/zarr/denseArray.ts";
import { type OpenOptions, openArray } from "../../storage/zarr/group.ts";
import { differences, findNode } from "../../storage/zarr/nodes.ts";
import { clearPlace, type InTheWay, lookAtPlace, placeFromKey } from "../../storage/zarr/place.ts";
import { publishShape } from "../../storage/zarr/resize.ts";
import { removeDamaged } from "../damaged.ts";
import { digest, doubtOf, writtenBy } from "../runKey.ts";
import { transferTo } from "../storedArrays.ts";

// The mark in a target: which computation fills it, how safe that was written, and what its files were like when it was
// done. In: stores and paths. Out: whether a target is ours to go on with. The mark is there before the array is.

interface Mark {
  readonly key: string;
  readonly written: string;
  /** Of its files when all was done; undefined when it is not. */
  readonly state: string | undefined;
}

async function markOf(store: Store, path: string): Promise<Mark | null> {
  const bytes = await store.get(keyIn(path, MARK));
  if (bytes === undefined) return null;
  const [key = "", written = "", state] = new TextDecoder().decode(bytes).split(" ");
  return { key, written, state };
}

/** True when the target was begun by the computation with this key, and nobody changed it after it was finished. */
async function isOurs(store: Store, path: string, key: string): Promise<boolean> {
  const mark = await markOf(store, path);
  if (mark?.key !== key) return false;
  return mark.state === undefined || mark.state === finishedState(await objectsBelow(store, path), path);
}

/** True when whoever filled the target said that it is done. */
async function isFinished(store: Store, path: string): Promise<boolean> {
  return (await markOf(store, path))?.state !== undefined;
}

/** `before`: the mark of the run that is gone on with, when what it left has been looked at. */
async function markBegun(store: Store, path: string, key: string, before: Mark | null = null): Promise<void> {
  await setMark(store, path, `${key} ${writtenBy(store.isDurable === true, before?.written)}`);
}

/** `objects`: what is there now, null where the store does not tell. */
async function markFinished(
  store: Store,
  path: string,
  key: string,
  objects: readonly DatedObject[] | null,
): Promise<void> {
  const written = (await markOf(store, path))?.written ?? writtenBy(false);
  await setMark(store, path, `${key} ${written} ${finishedState(objects, path)}`);
}

/** It holds what others wrote, too. */
async function removeMark(store: Store, path: string): Promise<void> {
  await store.delete?.(keyIn(path, MARK));
}

async function setMark(store: Store, path: string, text: string): Promise<void> {
  await requireSet(store)(keyIn(path, MARK), utf8ToBytes(text));
}

const finishedState = (objects: readonly DatedObject[] | null, path: string): string =>
  objects === null ? "done" : digest(stateOf(objects, path));

// A place that a Zarr array is to take, looked at before anything is written, and after. In: stores, paths and settings. Out:
// whether an earlier run's work is gone on with or a new array made, and what has to go first; errors for places that may not
// be taken. Must hold: nothing is lost for an array that is refused afterwards, and what went away meanwhile is noticed.

type Claim =
  | { readonly kind: "resume"; readonly zarr: ZarrArray }
  | { readonly kind: "new"; readonly inTheWay: InTheWay | null };

/** What the computation with this key finds at a place. */
async function claimOf({ store, path }: Place, settings: CreateArrayOptions, key: string): Promise<Claim> {
  const overwrite = settings.overwrite === true;
  // What is done and to be overwritten is computed again; what is not done is the run that overwrites.
  if ((await isOurs(store, path, key)) && !(overwrite && (await isFinished(store, path)))) {
    const zarr = await resumable({ store, path }, settings);
    if (zarr !== null) return { kind: "resume", zarr };
  }
  const { keyEncoding } = planArray(settings, path);
  return { kind: "new", inTheWay: await lookAtPlace(store, path, keyEncoding, overwrite, {}) };
}

/** What the same computation has stored so far, if it is stored just as it would be now. */
async function resumable({ store, path }: Place, settings: CreateArrayOptions): Promise<ZarrArray | null> {
  const node = await findNode(store, path, {});
  if (node?.kind !== "array") return null;
  const different = differences(node, planArray(settings, path), path);
  if (different.length > 0 && settings.overwrite === true) return null;
  if (different.length > 0)
    throw new ValueError({
      what: `the same computation is stored there with other ${different.join(", ")}`,
      cure: "Use another path, or overwrite: true",
    });
  return openArray(store, path, {
    writeEmptyChunks: settings.writeEmptyChunks ?? true,
    ...(settings.known === undefined ? {} : { known: settings.known }),
  });
}

const CURE = "Somebody removed or moved it while it was written; write it again";
const missing = (where: string): NotFoundError =>
  new NotFoundError({ what: "the array is not there any more", where, cure: CURE });

/** After a run that wrote a part of an array: it is where it was. */
async function checkThere({ store, metadataKey }: ZarrArray): Promise<void> {
  if (store.near !== "files" || store.has === undefined) return;
  if (!(await store.has(metadataKey))) throw missing(metadataKey);
}

/**
 * After a run: the array is where it was put, with as many chunks as it has, where every one was written. Out: what is there,
 * from the same walk; null where the store does not tell.
 */
async function checkWritten(array: ZarrArray, wasAll: boolean): Promise<readonly DatedObject[] | null> {
  const objects = await objectsBelow(array.store, array.path);
  if (objects === null) await checkThere(array);
  else if (!objects.some(({ key }) => key === array.metadataKey)) throw missing(array.metadataKey);
  else if (wasAll && array.writesEmptyChunks) checkCount(array, objects);
  return objects;
}

function checkCount({ path, metadata, shardGrid }: ZarrArray, objects: readonly DatedObject[]): void {
  const isChunk = ({ key }: DatedObject): boolean =>
    placeFromKey(metadata.keyEncoding, key.slice(path.length + 1), shardGrid) !== null;
  const [found, count] = [objects.filter(isChunk).length, sizeOf(shardGrid)];
  if (found >= count) return;
  throw new NotFoundError({
    what: `${count - found} of ${count} chunks are not there any more`,
    where: path === "" ? "/" : path,
    cure: CURE,
  });
}

/** How an array is stored. */
export type ArraySettings = Partial<Omit<CreateArrayOptions, "shape" | "signal" | "known">>;

/** The same, and where it begins in an array that is there already. */
interface Settings extends ArraySettings {
  readonly region?: (stored: ZarrArray) => readonly number[];
  /** How long it is when all is written: the new length is seen at the end. */
  readonly grownTo?: Shape;
  /** Consolidated metadata are somebody else's business: those of a whole group are written at once. */
  readonly leavesConsolidated?: boolean;
}

export const zarrFormat: DenseFormat = {
  kind: "dense",
  name: "zarr",
  suffixes: [".zarr", ".zarr.zip"],
  isFolder: true,
  async recognises(look) {
    for (const member of ["zarr.json", ".zarray", ".zgroup"]) if (await look.has(member)) return true;
    return false;
  },
  open: async ({ store, path }, options, { codecs: known }) =>
    denseArray(await openArray(store, path, { ...(options as OpenOptions), known })),
  unitOf: (array, options, { codecs }, store) => unitOf(array, settingsOf(array, options, codecs), store),
  prepare: (place, array, options, using) =>
    (options as Settings).region === undefined
      ? new NewZarr(place, array, options as Settings, using)
      : regionOf(place, array, options as Settings, using),
  async writerAt({ store, path }, sent, { codecs: known }) {
    const { offset, writeEmptyChunks, shape } = sent as unknown as SentTarget;
    const array = await openArray(store, path, { writeEmptyChunks, known });
    return shardWriter(array.withMetadata({ ...array.metadata, shape }), offset);
  },
};

interface SentTarget {
  readonly offset: readonly number[];
  readonly writeEmptyChunks: boolean;
  /** What it will be when it is finished. */
  readonly shape: Shape;
}

/** New arrays have the chunks of the lazy array, unless others are asked for. */
const settingsOf = (array: NewArray, options: object, known: KnownCodecs): CreateArrayOptions => ({
  dtype: array.dtype,
  chunks: array.chunks,
  writeEmptyChunks: true,
  known,
  ...settingsOfLabels(array.labels),
  ...options,
  shape: array.shape,
});

/** Names and attributes go with the array, unless others are asked for. */
function settingsOfLabels(
  labels: NewArray["labels"],
): Pick<CreateArrayOptions, "dimensionNames" | "attributes"> {
  const { dims = null, attributes = null } = labels ?? {};
  return {
    ...(dims !== null && hasNames(dims) ? { dimensionNames: dims } : {}),
    ...(attributes === null ? {} : { attributes }),
  };
}

/** What one task writes of a new array, and what writing it takes. */
function unitOf(
  { dtype, shape }: NewArray,
  settings: CreateArrayOptions,
  store: Pick<Store, "open">,
): WrittenUnit {
  const metadata = planArray(settings, "/");
  if (metadata.type.dtype !== dtype)
    throw new ValueError({
      what: `an array of ${dtype} cannot be stored as ${describe(settings.dtype)}`,
      cure: "Cast it first: x.astype(dtype)",
    });
  const unit = metadata.unitShape.map((length, axis) => Math.max(1, Math.min(length, shape[axis]!)));
  return { unit, transfer: transferTo(metadata, store, settings.known) };
}

/** What tasks write to, here and on other threads. */
const targetOf = (zarr: ZarrArray, offset: readonly number[]): Omit<DenseTarget, "finish" | "written"> => ({
  ...shardWriter(zarr, offset),
  ...traitsOf(zarr),
  sent: { offset, writeEmptyChunks: zarr.writesEmptyChunks, shape: zarr.shape },
});

class NewZarr implements PreparedPlace {
  readonly unit: WrittenUnit["unit"];
  readonly transfer: WrittenUnit["transfer"];
  readonly isReadable = true;
  readonly isWhole: boolean;
  readonly #place: Place;
  readonly #array: NewArray;
  readonly #options: Settings;
  readonly #using: Using;
  readonly #settings: CreateArrayOptions;
  #claim: Claim | null = null;

  constructor(place: Place, array: NewArray, options: Settings, using: Using, isWhole = false) {
    this.#place = place;
    this.#array = array;
    this.#options = options;
    this.#using = using;
    this.#settings = settingsOf(array, options, using.codecs);
    this.isWhole = isWhole;
    ({ unit: this.unit, transfer: this.transfer } = unitOf(array, this.#settings, place.store));
  }

  /**
   * An array that is one value everywhere is stored as its fill value, without a chunk: so `zeros(shape).toZarr(path)`
   * makes an array to write regions of, however large. Not where another fill value is asked for, or chunks are, or v2.
   */
  filledWith(value: Scalar): PreparedPlace {
    const { fillValue, writeEmptyChunks, zarrFormat } = this.#options;
    // Readers of v2 take its fill value for what is missing.
    if (fillValue !== undefined || writeEmptyChunks === true || zarrFormat === 2) return this;
    // As its elements are: what is stored in fewer bits is rounded from there.
    const options = { ...this.#options, fillValue: fitScalar(value, this.#array.dtype) };
    return new NewZarr(this.#place, this.#array, options, this.#using, true);
  }

  async claim(key: string): Promise<boolean> {
    this.#claim = await claimOf(this.#place, this.#settings, key);
    return this.#claim.kind === "new" && this.#claim.inTheWay !== null;
  }

  async begin(key: string): Promise<DenseTarget> {
    const isResumed = this.#claim?.kind === "resume";
    const zarr = isResumed ? await this.#resumed(key) : await this.#made(key);
    const { store, path } = this.#place;
    return {
      ...targetOf(
        zarr,
        zarr.shape.map(() => 0),
      ),
      ...(isResumed ? { written: () => zarr.listShards() } : {}),
      finish: async () => {
        await markFinished(store, path, key, await checkWritten(zarr, !this.isWhole));
        if (this.#options.leavesConsolidated !== true) await refreshConsolidated(store, path, zarr.metadata);
        return denseArray(zarr);
      },
    };
  }

  async #resumed(key: string): Promise<ZarrArray> {
    const { store, path } = this.#place;
    const { zarr } = this.#claim as Claim & { kind: "resume" };
    // What the run before was writing when it was killed.
    await store.sweepStrays?.({ below: path === "" ? "/" : (path as `/${string}`) });
    const mark = await markOf(store, path);
    await removeDamaged(zarr, doubtOf(mark?.written, mark?.state !== undefined));
    await markBegun(store, path, key, mark);
    return zarr;
  }

  async #made(key: string): Promise<ZarrArray> {
    const { store, path } = this.#place;
    if (this.#claim?.kind === "new" && this.#claim.inTheWay)
      await clearPlace(store, path, this.#claim.inTheWay, {});
    // The mark is there before the array is: whenever the run is killed, the next one knows its work.
    await markBegun(store, path, key);
    return createArray(store, path, this.#settings);
  }
}

interface Publishing {
  readonly codecs: KnownCodecs;
  readonly leavesConsolidated: boolean;
}

/** All chunks are there: from now on readers see them. Nobody else may have made the array longer meanwhile. */
async function publishGrown(
  { store, path, shape }: ZarrArray,
  grownTo: Shape,
  { codecs, leavesConsolidated }: Publishing,
): Promise<void> {
  const now = await openArray(store, path, { known: codecs });
  if (!sameShape(now.shape, shape))
    throw new ValueError({
      what: `the array was ${shapeText(shape)} when this began and is ${shapeText(now.shape)} now: somebody else made it longer`,
      where: path === "" ? "/" : path,
      cure: "Append again, one after the other",
    });
  await publishShape(now, grownTo, {}, leavesConsolidated);
}

/** A part of an array that is there. */
async function regionOf(
  { store, path }: Place,
  array: NewArray,
  { region, grownTo, leavesConsolidated = false }: Settings,
  { codecs }: Using,
): Promise<PreparedPlace> {
  const before = await openArray(store, path, { known: codecs });
  const zarr = grownTo === undefined ? before : before.withMetadata({ ...before.metadata, shape: grownTo });
  const start = region!(zarr);
  if (array.dtype !== zarr.dtype)
    throw new ValueError({
      what: `an array of ${array.dtype} for a stored one of ${zarr.dtype}`,
      cure: `Cast it first: x.astype(${JSON.stringify(zarr.dtype)})`,
    });
  return {
    unit: zarr.metadata.unitShape,
    transfer: transferTo(zarr.metadata, store, codecs),
    isReadable: true,
    isPart: true,
    async begin() {
      await removeMark(store, path);
      const finish = async (): Promise<ReturnType<typeof denseArray>> => {
        await checkThere(zarr);
        if (grownTo !== undefined) await publishGrown(before, grownTo, { codecs, leavesConsolidated });
        return denseArray(zarr);
      };
      return { ...targetOf(zarr, start), finish };
    },
  };
}
