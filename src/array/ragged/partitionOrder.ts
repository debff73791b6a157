// Partitions come as they are ready; a file takes them in their order. In: a run that gives partitions to whoever takes
// them, and a writer that reads them one after another. Out: what the writer says.

import type { Partition } from "../../expr/op.ts";
import type { Layout } from "../../ragged/index.ts";
import type { TakePartition } from "../../runtime/partitionTasks.ts";
import type { LazyRagged } from "./raggedArrays.ts";

export async function inOrder<T>(
  { npartitions }: LazyRagged,
  write: (layouts: AsyncIterable<Layout>) => Promise<T>,
  run: (take: TakePartition) => Promise<void>,
): Promise<T> {
  const queue = new Queue(npartitions);
  const running = run((at, partition) => queue.put(at, partition)).then(
    () => {},
    (error: unknown) => queue.fail(error),
  );
  try {
    return await write(queue.all());
  } finally {
    await running;
  }
}

/** Holds what comes too early. */
class Queue {
  readonly #count: number;
  readonly #parts = new Map<number, Partition>();
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(count: number) {
    this.#count = count;
  }

  put(at: number, partition: Partition): void {
    this.#parts.set(at, partition);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async *all(): AsyncIterable<Layout> {
    for (let at = 0; at < this.#count; at++) {
      while (!this.#parts.has(at)) {
        if (this.#failure !== null) throw this.#failure.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const part = this.#parts.get(at)!;
      this.#parts.delete(at);
      yield part as Layout;
    }
  }
}
