// What was found out for some keys. In: a key, and how to find out. Out: what was found, perhaps before.
// Must hold: what is found depends on the key alone. Many keys are forgotten together: it costs no more than finding it again.

const MOST = 500;

export class Remembered<Found> {
  readonly #found = new Map<string, Found>();

  get(key: string, find: () => Found): Found {
    let found = this.#found.get(key);
    if (found === undefined) {
      found = find();
      if (this.#found.size >= MOST) this.#found.clear();
      this.#found.set(key, found);
    }
    return found;
  }
}
