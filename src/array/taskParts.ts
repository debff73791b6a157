// All that tasks may need: every built-in op and format, partitions of ragged arrays, users' functions of arrays. The engine and every
// task thread are given the same.

import { OPS } from "../ops/index.ts";
import { OpTable } from "../ops/table.ts";
import { PARTITIONS } from "../ragged/lazy/placewise.ts";
import { RAGGED_NODES } from "../ragged/lazy/raggedNodes.ts";
import { jsonLinesFormat, parquetFormat } from "../ragged/sources/index.ts";
import type { TaskParts } from "../runtime/taskParts.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import { npyFormat } from "../storage/npy/npyFormat.ts";
import { adapt } from "./functions/userFunction.ts";
import { mapOp } from "./ragged/mapOp.ts";

export const taskParts = (): TaskParts => ({
  ops: new OpTable([...OPS.values(), ...RAGGED_NODES, mapOp]),
  formats: [zarrFormat, npyFormat, parquetFormat, jsonLinesFormat],
  partitions: PARTITIONS,
  adapt,
});
