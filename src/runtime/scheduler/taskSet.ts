// A set of task numbers below a limit: a bit each, in pages that are made when they are touched and shared when
// they are full. 10⁷ tasks that are done in order cost a few kilobytes; in any order, a little more than a megabyte.

const PAGE_BITS = 15;
const PAGE_TASKS = 1 << PAGE_BITS;

interface Page {
  readonly words: Uint32Array;
  count: number;
}

export class TaskSet {
  readonly limit: number;
  #size = 0;
  /** Pages that are neither empty nor full. */
  readonly #pages = new Map<number, Page>();
  /** Pages below this one are full; so are those named one by one. */
  #fullBelow = 0;
  readonly #full = new Set<number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.limit;
  }

  has(task: number): boolean {
    const at = Math.floor(task / PAGE_TASKS);
    if (this.#isFullPage(at)) return true;
    const page = this.#pages.get(at);
    return page !== undefined && (page.words[wordOf(task)]! & bitOf(task)) !== 0;
  }

  #isFullPage(at: number): boolean {
    return at < this.#fullBelow || this.#full.has(at);
  }

  /** False when it was there already. */
  add(task: number): boolean {
    if (this.has(task)) return false;
    const at = Math.floor(task / PAGE_TASKS);
    let page = this.#pages.get(at);
    if (page === undefined) {
      page = { words: new Uint32Array(Math.ceil(this.#lengthOf(at) / 32)), count: 0 };
      this.#pages.set(at, page);
    }
    page.words[wordOf(task)]! |= bitOf(task);
    page.count++;
    this.#size++;
    if (page.count === this.#lengthOf(at)) this.#closePage(at);
    return true;
  }

  delete(task: number): void {
    if (!this.has(task)) return;
    const at = Math.floor(task / PAGE_TASKS);
    if (this.#isFullPage(at)) this.#openPage(at);
    const page = this.#pages.get(at)!;
    page.words[wordOf(task)]! &= ~bitOf(task);
    page.count--;
    this.#size--;
  }

  #lengthOf(at: number): number {
    return Math.min(PAGE_TASKS, this.limit - at * PAGE_TASKS);
  }

  #closePage(at: number): void {
    this.#pages.delete(at);
    this.#full.add(at);
    while (this.#full.delete(this.#fullBelow)) this.#fullBelow++;
  }

  #openPage(at: number): void {
    for (let page = at; page < this.#fullBelow; page++) this.#full.add(page);
    this.#fullBelow = Math.min(this.#fullBelow, at);
    this.#full.delete(at);
    this.#pages.set(at, {
      words: new Uint32Array(Math.ceil(this.#lengthOf(at) / 32)).fill(0xffffffff),
      count: this.#lengthOf(at),
    });
  }

  /** The first task from `from` on that is not in the set; the limit when all are. */
  nextMissing(from: number): number {
    let task = from;
    while (task < this.limit) {
      const at = Math.floor(task / PAGE_TASKS);
      if (this.#isFullPage(at)) {
        task = (at + 1) * PAGE_TASKS;
        continue;
      }
      const words = this.#pages.get(at)?.words;
      if (words === undefined) return task;
      const end = Math.min(this.limit, (at + 1) * PAGE_TASKS);
      for (; task < end; task++) {
        if (task % 32 === 0 && words[wordOf(task)] === 0xffffffff) task += 31;
        else if ((words[wordOf(task)]! & bitOf(task)) === 0) return task;
      }
    }
    return this.limit;
  }
}

const wordOf = (task: number): number => (task % PAGE_TASKS) >>> 5;
const bitOf = (task: number): number => 1 << (task % 32);
