// `chunkwise verify`: reads everything. In: a place. Out: of each array or file whether all of it can be read and every checksum is
// right, and where not. Must hold: something that cannot be read ends with an error, after all else was read, too.

import type { LazyRagged } from "../array/ragged/raggedArrays.ts";
import { countChunks, placeOf } from "../core/chunks.ts";
import { countText } from "../core/counts.ts";
import { ChunkwiseError } from "../core/errors.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import type { AsyncComputeOptions } from "../runtime/spec.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { command, JSON_OUT, PATH, print, printJson, RUN_OPTIONS, runOptions } from "./command.ts";
import { type Found, openPlace } from "./openPlace.ts";

/** Something was read that is not as it was written. */
class DamagedError extends ChunkwiseError {}

/** So many faults of one array are told. */
const MOST_FAULTS = 20;

export const verifyCommand = command({
  name: "verify",
  summary: "reads everything, and checks sums",
  places: ["<place>"],
  about:
    "Reads every chunk of every array, or every row, and says what cannot be read or is not as its checksum says.",
  options: [PATH, JSON_OUT, ...RUN_OPTIONS],
  async run(given) {
    const place = given.place(0, "the place");
    const isJson = given.has("json");
    const faults: { [name: string]: readonly string[] } = {};
    for await (const [name, found] of partsOf(place, await openPlace(place, given.one("path")))) {
      faults[name] = await faultsOf(found, runOptions(given));
      if (!isJson) for (const line of linesOf(name, faults[name])) print(line);
    }
    if (isJson) printJson(faults);
    const count = Object.values(faults).flat().length;
    if (count > 0)
      throw new DamagedError({
        what: `${countText(count, "fault")} in ${place}`,
        cure: "Write what is named above anew, or take it from a copy",
      });
  },
});

const linesOf = (name: string, faults: readonly string[]): readonly string[] =>
  faults.length === 0 ? [`${name}: all right`] : faults.map((fault) => `${name}: ${fault}`);

type Part = Exclude<Found, { readonly kind: "group" }>;

async function* partsOf(place: string, found: Found): AsyncGenerator<[string, Part]> {
  if (found.kind !== "group") return yield [place, found];
  for (const { path, kind } of await found.group.zarr.members({ deep: true }))
    if (kind === "array") yield [path, (await openPlace(place, `${found.group.path}/${path}`)) as Part];
}

async function faultsOf(found: Part, run: AsyncComputeOptions): Promise<readonly string[]> {
  if (found.kind === "rows") return faultsOfRows(found.rows, run);
  try {
    await everyElement(found.array).compute(run);
    return [];
  } catch (error) {
    const faults = found.stored === null ? [] : await faultsOfChunks(found.stored);
    return faults.length > 0 ? faults : [messageOf(error)];
  }
}

/** True nowhere or somewhere: either way all has been read. */
const everyElement = (array: LazyArray): LazyArray => array.notEqual(0).any();

async function faultsOfChunks(array: ZarrArray): Promise<string[]> {
  const faults: string[] = [];
  const count = countChunks(array.shape, array.chunks);
  for (let number = 0; number < count && faults.length < MOST_FAULTS; number++)
    await array.getChunk(placeOf(number, array.chunkGrid)).catch((error) => faults.push(messageOf(error)));
  return faults;
}

interface Rows {
  readonly get: (item: string) => { readonly compute: (run: AsyncComputeOptions) => Promise<unknown> };
}

/** Partition after partition, so that one is in memory at a time. */
async function faultsOfRows(rows: LazyRagged, run: AsyncComputeOptions): Promise<string[]> {
  const faults: string[] = [];
  const divisions = rows.divisions ?? [0, ""];
  for (let at = 0; at + 1 < divisions.length && faults.length < MOST_FAULTS; at++)
    await (rows as unknown as Rows)
      .get(`${divisions[at]}:${divisions[at + 1]}`)
      .compute(run)
      .catch((error) => faults.push(messageOf(error)));
  return faults;
}

const messageOf = (error: unknown): string => (error as Error).message;
