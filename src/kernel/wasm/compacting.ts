// Compaction as kernels: counting the trues of a mask, and moving the rows that it selects. In: a routine's call. Out: true, with
// the output written; false where the routine itself has to do it: rows of other lengths, strided blocks, or no room.
// Must hold: where a unit's rows go is known before it runs, so that units can run at once; none writes beyond its rows.

import { type Block, copyInto, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import { integerAttr, integersAttr } from "../routines/attributes.ts";
import { placeAfter } from "../routines/compact.ts";
import type { Local } from "./assembler.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, repeat, setMin } from "./module.ts";

/** Rows of a unit. */
const UNIT = 16_384;
/** What lies outside is brought in for so many rows at a time: they stay in the cache until they are moved. */
const PIECE = 16 * UNIT;
/** Row, row of the output, and how many rows: of each unit. */
const ENTRY_WORDS = 3;

/** Loads and stores of rows of so many bytes. */
const MOVES: ReadonlyMap<number, readonly [load: string, store: string]> = new Map([
  [1, ["i32.load8_u", "i32.store8"]],
  [2, ["i32.load16_u", "i32.store16"]],
  [4, ["i32.load", "i32.store"]],
  [8, ["i64.load", "i64.store"]],
  [16, ["v128.load", "v128.store"]],
]);

/** counts[u] = trues among the places of unit u: parameters mask, length, counts. */
const countModule = (isShared: boolean): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, { parameters, from, to }) => {
    const [mask, length, counts, end, at, count] = Array.from({ length: 6 }, () => w.local("i32")) as Local[];
    const sum = w.local("i64");
    [mask!, length!, counts!].forEach((local, i) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * i)
        .set(local),
    );
    repeat(w, from, to, 1, () => {
      w.get(from).i32(UNIT).op("i32.mul").set(at!);
      setMin(
        w,
        end!,
        () => w.get(at!).i32(UNIT).op("i32.add"),
        () => w.get(length!),
      );
      w.i32(0).set(count!).i64(0n).set(sum);
      // Each of the eight is 0 or 1.
      repeat(w, at!, end!, 8, () => {
        w.get(mask!).get(at!).op("i32.add").memory("i64.load").op("i64.popcnt");
        w.get(sum).op("i64.add").set(sum);
      });
      repeat(w, at!, end!, 1, () => {
        w.get(mask!).get(at!).op("i32.add").memory("i32.load8_u");
        w.get(count!).op("i32.add").set(count!);
      });
      w.get(counts!).get(from).i32(2).op("i32.shl").op("i32.add");
      w.get(count!).get(sum).op("i32.wrap_i64").op("i32.add").memory("i32.store");
    });
  });

/** Rows of so many bytes: parameters x, mask, out, table of entries. */
const moveModule = (isShared: boolean, bytes: number): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, { parameters, from, to }) => {
    const [load, store] = MOVES.get(bytes)!;
    const shift = Math.log2(bytes);
    const names = ["x", "mask", "out", "table", "entry", "read", "place", "write", "left", "isTrue"] as const;
    const at = Object.fromEntries(names.map((name) => [name, w.local("i32")])) as {
      readonly [N in (typeof names)[number]]: Local;
    };
    [at.x, at.mask, at.out, at.table].forEach((local, i) =>
      w
        .get(parameters)
        .memory("i32.load", 4 * i)
        .set(local),
    );
    repeat(w, from, to, 1, () => {
      w.get(at.table)
        .get(from)
        .i32(4 * ENTRY_WORDS)
        .op("i32.mul")
        .op("i32.add")
        .set(at.entry);
      w.get(at.entry).memory("i32.load").tee(at.place);
      w.i32(shift).op("i32.shl").get(at.x).op("i32.add").set(at.read);
      w.get(at.place).get(at.mask).op("i32.add").set(at.place);
      w.get(at.entry).memory("i32.load", 4).i32(shift).op("i32.shl").get(at.out).op("i32.add").set(at.write);
      w.get(at.entry).memory("i32.load", 8).set(at.left);
      w.block((end) => {
        w.get(at.left).op("i32.eqz").branchIf(end);
        // A row is written where the next goes; one that is not selected is written over.
        w.loop((again) => {
          w.get(at.write).get(at.read).memory(load).memory(store);
          w.get(at.place).memory("i32.load8_u").set(at.isTrue);
          w.get(at.isTrue).i32(shift).op("i32.shl").get(at.write).op("i32.add").set(at.write);
          increase(w, at.read, bytes);
          increase(w, at.place, 1);
          w.get(at.left).get(at.isTrue).op("i32.sub").tee(at.left).branchIf(again);
        });
      });
    });
  });

const rowBytes = ({ dtype, shape }: Block): number => infoOf(dtype).bytes * sizeOf(shape.slice(1));

const unitsOf = (rows: number): number => Math.ceil(rows / UNIT);

/** To have others count takes longer than to count so many. */
const WORTH_SHARING = 1 << 20;

/** countTrue of masks: how many trues each block of places has. */
export function runCountTrue(
  { memory, kernels, jobs }: WasmMachine,
  { inputs: [mask], outputs: [output], attrs, starts }: RoutineCall,
  threads: number,
): boolean {
  const length = mask!.shape[0]!;
  if (mask!.dtype !== "bool" || !isContiguous(mask!) || length < UNIT) return false;
  const block = integerAttr(attrs, "block");
  const first = starts[1]![0]! * block - starts[0]![0]!;
  const { data, offset, shape, strides } = output!;
  let isDone = true;
  const isInside = workInside(memory, [mask!], [], ([ours]) => {
    const at = memory.placedAddress(ours!);
    const kernel = kernels.get("count trues", countModule);
    for (let i = 0; i < shape[0]!; i++) {
      const from = Math.min(length, first + i * block);
      const count = Math.min(length, from + block) - from;
      const units = unitsOf(count);
      isDone &&= withBuffer(memory, 4 * units + 4, (counts) => {
        jobs.run(kernel, [at + from, count, counts], units, 4, count < WORTH_SHARING ? 1 : threads);
        const trues = new Int32Array(memory.buffer, counts, units).reduce((sum, n) => sum + n, 0);
        data[offset + i * strides[0]!] = BigInt(trues);
      });
    }
  });
  return isInside && isDone;
}

export function runCompact(
  machine: WasmMachine,
  { inputs: [x, mask], outputs: [out], attrs, starts }: RoutineCall,
  threads: number,
): boolean {
  const bytes = rowBytes(x!);
  const rows = x!.shape[0]!;
  if (!MOVES.has(bytes) || ![x!, mask!, out!].every(isContiguous) || rows < UNIT) return false;
  const skip = starts[2]![0]! - integersAttr(attrs, "before")[starts[1]![0]! / integerAttr(attrs, "block")]!;
  const { memory } = machine;
  const inside = memory.addressOf(x!);
  const piece = inside === null ? Math.min(rows, PIECE) : rows;
  const tableBytes = 4 * ENTRY_WORDS * unitsOf(piece);
  let isDone = false;
  const isInside = workInside(memory, [mask!], [out!], ([ours], [target]) => {
    isDone = withBuffer(memory, tableBytes + 16 + (inside === null ? piece * bytes : 0), (table) => {
      const at = { x: inside ?? align(table + tableBytes), mask: memory.placedAddress(ours!), table };
      const selection = new Selection(machine, ours!, at, memory.placedAddress(target!), bytes, threads);
      let left = { skip, count: out!.shape[0]! };
      for (let from = 0; from < rows && left.count > 0; from += piece) {
        const length = Math.min(piece, rows - from);
        if (inside === null) bringIn(machine, x!, from * bytes, length * bytes, at.x);
        left = selection.piece(from, length, left.skip, left.count);
      }
    });
  });
  return isInside && isDone;
}

const align = (address: number): number => Math.ceil(address / 16) * 16;

function bringIn(
  { memory }: WasmMachine,
  { data, dtype, offset }: Block,
  from: number,
  count: number,
  to: number,
): void {
  const first = data.byteOffset + offset * infoOf(dtype).bytes + from;
  copyInto(new Uint8Array(memory.buffer), new Uint8Array(data.buffer, first, count), to);
}

interface Addresses {
  readonly x: number;
  readonly mask: number;
  readonly table: number;
}

/** Rows that are moved piece by piece, one behind the other. */
class Selection {
  readonly #machine: WasmMachine;
  readonly #mask: Uint8Array;
  readonly #at: Addresses;
  readonly #bytes: number;
  readonly #threads: number;
  #out: number;

  constructor(machine: WasmMachine, mask: Block, at: Addresses, out: number, bytes: number, threads: number) {
    this.#machine = machine;
    this.#mask = mask.data.subarray(mask.offset, mask.offset + mask.shape[0]!) as Uint8Array;
    this.#at = at;
    this.#out = out;
    this.#bytes = bytes;
    this.#threads = threads;
  }

  /** Leaves out the first trues, and takes no more than `count`. Returns what is left of both. */
  piece(from: number, length: number, skip: number, count: number): { skip: number; count: number } {
    const { kernels, jobs, memory } = this.#machine;
    const { x, mask, table } = this.#at;
    const units = unitsOf(length);
    const words = new Int32Array(memory.buffer, table, ENTRY_WORDS * units);
    const threads = length < 4 * UNIT ? 1 : this.#threads;
    jobs.run(kernels.get("count trues", countModule), [mask + from, length, table], units, 4, threads);
    const counts = words.slice(0, units);
    let trues = 0;
    let made = 0;
    counts.forEach((own, unit) => {
      const left = Math.max(0, skip - trues);
      const taken = Math.max(0, Math.min(own - left, count - made));
      const first = unit * UNIT;
      const row =
        taken === 0 || left === 0 ? first : first + placeAfter(this.#mask.subarray(from + first), left);
      words.set([row, made, taken], ENTRY_WORDS * unit);
      trues += own;
      made += taken;
    });
    const move = kernels.get(`select ${this.#bytes}`, (isShared) => moveModule(isShared, this.#bytes));
    jobs.run(move, [x, mask + from, this.#out, table], units, 1, threads);
    this.#out += made * this.#bytes;
    return { skip: Math.max(0, skip - trues), count: count - made };
  }
}
