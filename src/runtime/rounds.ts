// The rounds of a contraction, one after another: while a round's product is added to the sum, the windows of the next
// are read. In: rounds, and where the sum goes. Out: the sum, at once when all they read is in memory.
// Must hold: two rounds' windows are in memory at most, and all are given back, whatever happens.

import type { Block } from "../core/block.ts";
import { Borrowed } from "../kernel/blockProgram.ts";
import { type Round, type RoundedTask, SUM } from "../plan/compile/rounds.ts";
import { allOf, type Soon, type TaskArrays } from "./arrays.ts";

/** A round whose windows are there, or on their way. */
interface Begun {
  readonly round: Round;
  readonly windows: readonly Soon<Block>[];
  readonly borrowed: Borrowed;
}

export function runRounds(task: RoundedTask, sum: Block, using: TaskArrays, borrowed: Borrowed): Soon<Block> {
  for (let number = 0; number < task.count; number++) {
    const begun = begin(task, number, using);
    if (begun.windows.some((window) => window instanceof Promise))
      return runLater(task, number, begun, sum, using, borrowed);
    const finishing = finish(begun, begun.windows as Block[], sum, using, borrowed);
    if (finishing instanceof Promise)
      return finishing.then(() => runFrom(task, number + 1, sum, using, borrowed));
  }
  return sum;
}

/** The rounds that are left when a backend takes its time. */
const runFrom = (
  task: RoundedTask,
  first: number,
  sum: Block,
  using: TaskArrays,
  borrowed: Borrowed,
): Soon<Block> =>
  first === task.count ? sum : runLater(task, first, begin(task, first, using), sum, using, borrowed);

async function runLater(
  task: RoundedTask,
  first: number,
  begun: Begun,
  sum: Block,
  using: TaskArrays,
  borrowed: Borrowed,
): Promise<Block> {
  let next: Begun | null = begun;
  try {
    for (let number = first + 1; next !== null; number++) {
      const now: Begun = next;
      const windows = await allOf(now.windows);
      next = number < task.count ? begin(task, number, using) : null;
      const finishing = finish(now, windows, sum, using, borrowed);
      if (finishing instanceof Promise) await finishing;
    }
  } finally {
    // Nobody may write any more into blocks that are given back.
    if (next !== null) {
      await Promise.allSettled(next.windows);
      next.borrowed.giveBack();
    }
  }
  return sum;
}

function begin(task: RoundedTask, number: number, using: TaskArrays): Begun {
  const round = task.round(number);
  const borrowed = new Borrowed(using.backend);
  const windows: Soon<Block>[] = [];
  try {
    for (const { array, box } of round.reads) windows.push(using.source(array).window(box, borrowed));
  } catch (error) {
    // Windows that were begun before it are waited for like any others.
    windows.push(Promise.reject(error));
  }
  return { round, windows, borrowed };
}

function finish(
  { round, borrowed }: Begun,
  windows: readonly Block[],
  sum: Block,
  using: TaskArrays,
  task: Borrowed,
): Soon<void> {
  const bound = [...windows];
  bound[SUM] = sum;
  // This round's windows, and the next's.
  const room = task.within(2 * borrowed.bytes);
  const giveBack = (): void => {
    room.giveBack();
    borrowed.giveBack();
  };
  let running: Soon<void> | null = null;
  try {
    running = using.run(round.program, bound, room);
  } finally {
    if (!(running instanceof Promise)) giveBack();
  }
  return running instanceof Promise ? running.finally(giveBack) : undefined;
}
