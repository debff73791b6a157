// A map keyed by nodes, faster than a Map for many of them: numbers of nodes made one after another are
// neighbours, so values lie in pages of neighbours, and only pages are looked up.

import type { Expr } from "../expr/expr.ts";

const PAGE_BITS = 6;
const PAGE_SIZE = 1 << PAGE_BITS;

/** Shifting is for 31 bits. */
const pageOf = (id: number): number => (id <= 0x7fffffff ? id >> PAGE_BITS : Math.floor(id / PAGE_SIZE));

type Page<Value> = (Value | undefined)[];

export class NodeTable<Value> {
  readonly #pages = new Map<number, Page<Value>>();
  /** The page that was used last: most often it is the next one too. */
  #lastNumber = -1;
  #last: Page<Value> = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(node: Expr): Value | undefined {
    const number = pageOf(node.id);
    if (number !== this.#lastNumber) {
      const page = this.#pages.get(number);
      if (page === undefined) return undefined;
      this.#lastNumber = number;
      this.#last = page;
    }
    return this.#last[node.id & (PAGE_SIZE - 1)];
  }

  set(node: Expr, value: Value): void {
    const number = pageOf(node.id);
    if (number !== this.#lastNumber) {
      this.#last = this.#pages.get(number) ?? this.#addPage(number);
      this.#lastNumber = number;
    }
    const at = node.id & (PAGE_SIZE - 1);
    if (this.#last[at] === undefined) this.#size++;
    this.#last[at] = value;
  }

  #addPage(number: number): Page<Value> {
    const page = new Array<Value | undefined>(PAGE_SIZE).fill(undefined);
    this.#pages.set(number, page);
    return page;
  }
}
