// Writers of one object wait for each other. In: a key and what to do. Out: what that gave, one after another per key.

export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  get areFree(): boolean {
    return this.#last.size === 0;
  }

  async hold<T>(key: string, action: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return action();
    })();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
