// What tasks need of rooms above the runtime, handed down by who puts the engine together: nothing below asks for it.

import type { PartitionFormat } from "../ops/partitions.ts";
import type { OpTable } from "../ops/table.ts";
import type { Format } from "../storage/formats/format.ts";
import type { Adapt } from "./userFunctions.ts";

export interface TaskParts {
  /** What the names in plans mean. */
  readonly ops: OpTable;
  /** The built-in ways in which arrays lie in stores and files. */
  readonly formats: readonly Format[];
  /** What partitions of ragged arrays are made of; null where there are none. */
  readonly partitions: PartitionFormat | null;
  /** How users' functions are called; null where there are none. */
  readonly adapt: Adapt | null;
}
