// What a task thread loads where no user's function is called and no array is ragged. Building makes one file of it
// (scripts/bundle.mjs): a thread starts in a fraction of the time that hundreds of modules take.

import { defaultBackend } from "../defaultBackend.ts";
import { OPS } from "../ops/index.ts";
import { OpTable } from "../ops/table.ts";
import { serveTasks } from "../runtime/pools/threadServer.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { npyFormat } from "../storage/npy/npyFormat.ts";

const formats = [zarrFormat, npyFormat];
await serveTasks({ ops: new OpTable(OPS.values()), formats, partitions: null, adapt: null }, defaultBackend);
