// `chunkwise copy` and `chunkwise rechunk`: arrays, groups of arrays and nested data, written anew elsewhere, in bounded memory. In: two
// places. Out: the copy, cut and encoded as the options say. Must hold: a target that is there is left alone unless --overwrite is given.

import { type Group, openGroup } from "../array/opening.ts";
import { toFiles } from "../array/ragged/files.ts";
import type { LazyRagged } from "../array/ragged/raggedArrays.ts";
import { store } from "../array/storing.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import type { AsyncComputeOptions } from "../runtime/spec.ts";
import { storeOf } from "../storage/location.ts";
import { createGroup } from "../storage/zarr/group.ts";
import {
  type Command,
  command,
  lengthsGiven,
  PATH,
  print,
  RUN_OPTIONS,
  runOptions,
  SELECT,
  selectionGiven,
} from "./command.ts";
import { type CommandOption, type Given, UsageError } from "./commandOptions.ts";
import { openPlace } from "./openPlace.ts";

const TARGET_OPTIONS: readonly CommandOption[] = [
  { name: "chunks", value: "<lengths>", text: "how it is cut: 100,100" },
  { name: "shards", value: "<lengths>", text: "how many elements are in one object: 1000,1000" },
  {
    name: "codec",
    value: "<name>",
    isMany: true,
    text: "zstd, blosc, gzip, none, …; as for new arrays unless given",
  },
  { name: "zarr-format", value: "<2 or 3>", unless: "3", text: "the version of Zarr" },
  { name: "overwrite", text: "what is at the target is replaced" },
];

const copying = (name: string, summary: string, needsChunks: boolean): Command =>
  command({
    name,
    summary,
    places: ["<from>", "<to>"],
    about:
      "Writes what is at one place to another, as Zarr unless the name of the target says otherwise (.npy, .parquet). Memory stays\n" +
      "within --allowed-mem, whatever the size. A group is copied with all arrays in it.",
    options: [PATH, SELECT, ...TARGET_OPTIONS, ...RUN_OPTIONS],
    async run(given) {
      if (needsChunks && !given.has("chunks"))
        throw new UsageError({ what: "--chunks is missing", cure: "Say how to cut it: --chunks 100,100" });
      const to = given.place(1, "the target");
      const found = await openPlace(given.place(0, "the place to copy from"), given.one("path"));
      const run = runOptions(given);
      if (found.kind === "rows") await copyRows(found.rows, to, run);
      else if (found.kind === "group") await copyGroup(found.group, to, given, run);
      else await copyArray(found.array, { place: to, path: "" }, given, run);
      print(to);
    },
  });

export const copyCommand: Command = copying(
  "copy",
  "writes arrays or rows elsewhere, cut and encoded anew",
  false,
);
export const rechunkCommand: Command = copying("rechunk", "a copy that is cut in other chunks", true);

interface To {
  readonly place: string;
  readonly path: string;
}

async function copyArray(
  array: LazyArray,
  { place, path }: To,
  given: Given,
  run: AsyncComputeOptions,
): Promise<void> {
  const items = selectionGiven(given);
  const part = items.length === 0 ? array : array.get(...items);
  const lengths = lengthsGiven(given, "chunks");
  // One length is meant for all axes, however many an array of a group has.
  const chunks = lengths?.length === 1 ? part.shape.map(() => lengths[0]!) : lengths;
  const cut = chunks === undefined ? part : part.rechunk([...chunks]);
  await store([cut], [{ store: place, path, ...targetOptions(given, chunks) }], run);
}

function targetOptions(given: Given, chunks: readonly number[] | undefined): object {
  const [shards, codecs] = [lengthsGiven(given, "shards"), given.all("codec")];
  return {
    ...(chunks === undefined ? {} : { chunks }),
    ...(shards === undefined ? {} : { shards }),
    ...(codecs.length === 0 ? {} : { codecs: codecs.filter((name) => name !== "none") }),
    ...(given.has("zarr-format") ? { zarrFormat: given.number("zarr-format", 3, [2, 3]) } : {}),
    ...(given.has("overwrite") ? { overwrite: true } : {}),
  };
}

/** Its arrays one after another, each with its attributes, and the attributes of the groups. */
async function copyGroup(group: Group, to: string, given: Given, run: AsyncComputeOptions): Promise<void> {
  const target = await storeOf(to);
  const how = { ...(given.has("overwrite") ? { overwrite: true } : {}) };
  await createGroup(target, "", { attributes: group.attributes, ...how });
  for (const { path, kind } of await group.zarr.members({ deep: true })) {
    if (kind === "group") {
      const { attributes } = await openGroup(group.zarr.store, { path: `${group.path}/${path}` });
      await createGroup(target, path, { attributes });
    } else if (kind === "array") await copyArray(await group.array(path), { place: to, path }, given, run);
    else process.stderr.write(`chunkwise: ${path} is not supported, and was left out\n`);
  }
}

/** In the format that the target's name says. */
const copyRows = (rows: LazyRagged, to: string, run: AsyncComputeOptions): Promise<unknown> =>
  toFiles(rows as never, to, run);
