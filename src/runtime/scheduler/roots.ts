// Which task of what was asked for is begun next: of several operations, one of that which is least far, so that what
// they share is read soon by all. In: operations and how many tasks they have. Out: tasks, each once.
// Must hold: a step costs the logarithm of the number of operations, since thousands of arrays may be asked for at once.

interface Root {
  readonly op: number;
  readonly tasks: number;
  /** The first task that was not given yet. */
  next: number;
}

export class Roots {
  /** A heap: each is at least as far as the one at half its place. How far one is only grows. */
  readonly #heap: Root[];

  constructor(operations: readonly { readonly op: number; readonly tasks: number }[]) {
    this.#heap = operations.filter(({ tasks }) => tasks > 0).map(({ op, tasks }) => ({ op, tasks, next: 0 }));
  }

  /** The next that is to be begun; `skip` gives the first task from one on that is still to do. */
  take(skip: (op: number, from: number) => number): { op: number; task: number } | null {
    for (let root = this.#heap[0]; root !== undefined; root = this.#heap[0]) {
      const next = skip(root.op, root.next);
      if (next === root.next) return this.#give(root);
      root.next = next;
      this.#settle();
    }
    return null;
  }

  #give(root: Root): { op: number; task: number } {
    const task = root.next++;
    this.#settle();
    return { op: root.op, task };
  }

  /** The first of the heap has moved on: it goes where it belongs, or away where it has no more tasks. */
  #settle(): void {
    const heap = this.#heap;
    if (heap[0]!.next >= heap[0]!.tasks) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    const root = heap[0]!;
    let at = 0;
    for (;;) {
      let least = 2 * at + 1;
      if (least + 1 < heap.length && isBefore(heap[least + 1]!, heap[least]!)) least++;
      if (least >= heap.length || !isBefore(heap[least]!, root)) break;
      heap[at] = heap[least]!;
      at = least;
    }
    heap[at] = root;
  }
}

/** Less far; of those that are equally far, the one that was asked for first. */
function isBefore(a: Root, b: Root): boolean {
  const [partOfA, partOfB] = [a.next / a.tasks, b.next / b.tasks];
  return partOfA < partOfB || (partOfA === partOfB && a.op < b.op);
}
