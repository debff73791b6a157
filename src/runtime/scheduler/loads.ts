// How many tasks each worker has, and who has least. In: workers that are given tasks and end them, and how many workers there
// are now. Out: the worker with least to do, the first of several.
// Must hold: a step costs as much as the number of workers has digits, however many there are; what a worker has that left is
// still counted down when it ends.

export class Loads {
  /** By worker: also of those that are not there any more. */
  readonly #loads: number[] = [];
  /** A tree of least loads: the children of `i` are `2i` and `2i + 1`, and workers are its leaves. */
  #tree: Float64Array = new Float64Array([0, Number.POSITIVE_INFINITY]);
  #leaves = 1;
  #count = 0;

  constructor(workers: number) {
    this.resize(workers);
  }

  /** How many workers there are. */
  get count(): number {
    return this.#count;
  }

  /** Workers have joined or left: the last ones. */
  resize(workers: number): void {
    if (workers === this.#count) return;
    const before = this.#count;
    this.#count = workers;
    while (this.#loads.length < workers) this.#loads.push(0);
    if (workers > this.#leaves) return this.#rebuild();
    for (let worker = Math.min(before, workers); worker < Math.max(before, workers); worker++)
      this.#update(worker);
  }

  #rebuild(): void {
    while (this.#leaves < this.#count) this.#leaves *= 2;
    this.#tree = new Float64Array(2 * this.#leaves).fill(Number.POSITIVE_INFINITY);
    for (let worker = 0; worker < this.#count; worker++)
      this.#tree[this.#leaves + worker] = this.#loads[worker]!;
    for (let node = this.#leaves - 1; node > 0; node--) this.#tree[node] = this.#leastBelow(node);
  }

  #leastBelow(node: number): number {
    return Math.min(this.#tree[2 * node]!, this.#tree[2 * node + 1]!);
  }

  add(worker: number, tasks: 1 | -1): void {
    this.#loads[worker]! += tasks;
    this.#update(worker);
  }

  #update(worker: number): void {
    if (worker >= this.#leaves) return;
    let node = this.#leaves + worker;
    this.#tree[node] = worker < this.#count ? this.#loads[worker]! : Number.POSITIVE_INFINITY;
    for (node >>= 1; node > 0; node >>= 1) this.#tree[node] = this.#leastBelow(node);
  }

  /** The worker with least to do, if it has less than so many tasks. */
  least(below: number): number | null {
    const least = this.#tree[1]!;
    if (!(least < below)) return null;
    let node = 1;
    while (node < this.#leaves) node = this.#tree[2 * node] === least ? 2 * node : 2 * node + 1;
    return node - this.#leaves;
  }
}
