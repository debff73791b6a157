// Messages of small tasks as lists of numbers: what costs most in a message is the number of its objects. In: tasks, and
// what was done. Out: numbers, and the same again on the other side.

import { ALL_DTYPES, type DType } from "../../core/dtype.ts";
import type { TaskStats } from "../events.ts";
import type { BareTask, DoneTask, SentTask, SharedPart } from "./messages.ts";

/** Arrays by name; a task without parts in memory has `BARE` where others have how many they read. */
const BARE = -1;
/** Stands where a chunk's number would: a window follows. */
const WINDOW = -1;

export function packTasks(
  tasks: readonly (BareTask | SentTask)[],
  numbers: ReadonlyMap<string, number>,
): Float64Array {
  const words: number[] = [];
  for (const task of tasks) {
    words.push(task.id, task.lane, task.op, task.task);
    if (!("held" in task)) words.push(BARE);
    else {
      packParts(words, task.reads, numbers);
      packParts(words, task.writes, numbers);
      words.push(task.storesAll ? 1 : 0);
    }
  }
  return new Float64Array(words);
}

function packParts(
  words: number[],
  parts: readonly SharedPart[],
  numbers: ReadonlyMap<string, number>,
): void {
  words.push(parts.length);
  for (const part of parts) {
    const { at, slots, dtype, offset, shape, strides } = part.block;
    words.push(numbers.get(part.array)!, ALL_DTYPES.indexOf(dtype), at, slots, offset, shape.length);
    words.push(...shape, ...strides);
    if ("chunk" in part) words.push(part.chunk);
    else words.push(WINDOW, part.box.start.length, ...part.box.start, ...part.box.shape);
  }
}

export function unpackTasks(
  words: Float64Array,
  names: readonly string[],
  receive: (task: BareTask | SentTask) => void,
): void {
  const reader = new Words(words);
  while (!reader.isAtEnd) {
    const bare = { id: reader.one(), lane: reader.one(), op: reader.one(), task: reader.one() };
    const count = reader.one();
    if (count === BARE) receive(bare);
    else {
      const reads = unpackParts(reader, count, names);
      const writes = unpackParts(reader, reader.one(), names);
      receive({ ...bare, reads, writes, held: [], storesAll: reader.one() === 1 });
    }
  }
}

const unpackParts = (reader: Words, count: number, names: readonly string[]): SharedPart[] =>
  Array.from({ length: count }, () => {
    const array = names[reader.one()]!;
    const dtype: DType = ALL_DTYPES[reader.one()]!;
    const [at, slots, offset, dims] = [reader.one(), reader.one(), reader.one(), reader.one()];
    const [shape, strides] = [reader.list(dims), reader.list(dims)];
    const block = { at, slots, dtype, shape, strides, offset };
    const chunk = reader.one();
    if (chunk !== WINDOW) return { array, chunk, block };
    const axes = reader.one();
    return { array, box: { start: reader.list(axes), shape: reader.list(axes) }, block };
  });

class Words {
  readonly #words: Float64Array;
  #at = 0;

  constructor(words: Float64Array) {
    this.#words = words;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  one(): number {
    return this.#words[this.#at++]!;
  }

  list(length: number): number[] {
    const list: number[] = [];
    for (let i = 0; i < length; i++) list.push(this.one());
    return list;
  }
}

const DONE_WORDS = 8;

/** Eight numbers each. */
export function packDone(done: readonly DoneTask[]): Float64Array {
  const words = new Float64Array(DONE_WORDS * done.length);
  done.forEach(({ id, stats }, i) => {
    const at = DONE_WORDS * i;
    words[at] = id;
    words[at + 1] = stats.startTime;
    words[at + 2] = stats.readTime;
    words[at + 3] = stats.computeTime;
    words[at + 4] = stats.endTime;
    words[at + 5] = stats.bytesRead;
    words[at + 6] = stats.bytesWritten;
    words[at + 7] = stats.measuredMem ?? Number.NaN;
  });
  return words;
}

export function unpackDone(words: Float64Array, receive: (id: number, stats: TaskStats) => void): void {
  for (let at = 0; at < words.length; at += DONE_WORDS) {
    const measured = words[at + 7]!;
    receive(words[at]!, {
      startTime: words[at + 1]!,
      readTime: words[at + 2]!,
      computeTime: words[at + 3]!,
      endTime: words[at + 4]!,
      bytesRead: words[at + 5]!,
      bytesWritten: words[at + 6]!,
      measuredMem: Number.isNaN(measured) ? null : measured,
    });
  }
}
