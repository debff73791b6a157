// Zarr as a format: arrays in chunks, in stores of their own or at paths of one. In: a place and what the user says of the array.
// Out: an array that is read box by box; or one that is written shard by shard, where the same computation goes on with what
// it had written when it was killed. Anything else that is there already is left alone, unless `overwrite` says otherwise.

import { ValueError } from "../../core/errors.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import { describe } from "../../core/shape.ts";
import type { KnownCodecs } from "../../storage/codecs/table.ts";
import type {
  DenseFormat,
  DenseTarget,
  NewArray,
  PreparedPlace,
  Using,
  WrittenUnit,
} from "../../storage/formats/denseFormat.ts";
import type { Place } from "../../storage/formats/look.ts";
import type { Store } from "../../storage/store.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import { type CreateArrayOptions, createArray, planArray } from "../../storage/zarr/create.ts";
import { denseArray, shardWriter, traitsOf } from "../../storage/zarr/denseArray.ts";
import { type OpenOptions, openArray } from "../../storage/zarr/group.ts";
import { clearPlace } from "../../storage/zarr/place.ts";
import { removeDamaged } from "../damaged.ts";
import { markBegun, markFinished, markOf, removeMark } from "../mark.ts";
import { transferTo } from "../planStorage.ts";
import { doubtOf } from "../written.ts";
import { type Claim, checkThere, checkWritten, claimOf } from "./claim.ts";

/** How an array is stored. */
export type ArraySettings = Partial<Omit<CreateArrayOptions, "shape" | "signal" | "known">>;

/** The same, and where it begins in an array that is there already. */
interface Settings extends ArraySettings {
  readonly region?: (stored: ZarrArray) => readonly number[];
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
    const { offset, writeEmptyChunks } = sent as unknown as SentTarget;
    return shardWriter(await openArray(store, path, { writeEmptyChunks, known }), offset);
  },
};

interface SentTarget {
  readonly offset: readonly number[];
  readonly writeEmptyChunks: boolean;
}

/** New arrays have the chunks of the lazy array, unless others are asked for. */
const settingsOf = (array: NewArray, options: object, known: KnownCodecs): CreateArrayOptions => ({
  dtype: array.dtype,
  chunks: array.chunks,
  writeEmptyChunks: true,
  known,
  ...options,
  shape: array.shape,
});

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
  sent: { offset, writeEmptyChunks: zarr.writesEmptyChunks },
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

/** A part of an array that is there. */
async function regionOf(
  { store, path }: Place,
  array: NewArray,
  { region }: Settings,
  { codecs }: Using,
): Promise<PreparedPlace> {
  const zarr = await openArray(store, path, { known: codecs });
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
        return denseArray(zarr);
      };
      return { ...targetOf(zarr, start), finish };
    },
  };
}
