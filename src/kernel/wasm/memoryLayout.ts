// Where things lie in the kernels' memory. First the words that threads talk through, then tables of constants,
// then the parameters of the job under way; scratch and blocks come behind, as they are asked for.

import { TABLES } from "../tables.ts";

/** Words of the job under way (control.ts). */
export const CONTROL_AT = 0;
const TABLES_AT = 4096;
export const PARAMETERS_AT: number = 1 << 16;
export const PARAMETER_BYTES: number = 1 << 16;
/** Parameters of the tiles that are ready (stream.ts). */
export const SLOTS_AT: number = PARAMETERS_AT + PARAMETER_BYTES;
export const SLOT_PARAMETER_BYTES: number = 1 << 14;
const SLOTS_BYTES = 8 * SLOT_PARAMETER_BYTES;
/** The first byte that can be given away. */
export const HEAP_AT: number = SLOTS_AT + SLOTS_BYTES;

/** Where a table that `lookup` reads begins. */
export function tableAddress(table: number): number {
  return TABLES.slice(0, table).reduce((at, { byteLength }) => at + byteLength, TABLES_AT);
}

/** Fills the tables' part of a fresh memory. */
export function writeTables(buffer: ArrayBufferLike): void {
  TABLES.forEach((table, number) => new Float64Array(buffer, tableAddress(number), table.length).set(table));
}
