// Something that holds for a while: credentials, tokens. In: how it is had. Out: one that still holds for some minutes.
// Must hold: however many ask at once, it is got once; a failure is not remembered.

/** `expires`: in ms since 1970; not there: it stays. */
export interface Expiring {
  readonly expires?: number | undefined;
}

/** It is got again so long before it ends, or when half of its time is over. */
const AHEAD_MS = 5 * 60_000;

export class FreshValue<T extends Expiring> {
  readonly #get: () => Promise<T>;
  #known: T | undefined;
  #refreshAt = 0;
  #getting: Promise<T> | undefined;

  constructor(get: () => Promise<T>) {
    this.#get = get;
  }

  async value(now: number): Promise<T> {
    if (this.#known !== undefined && now < this.#refreshAt) return this.#known;
    return this.#again(now);
  }

  async #again(now: number): Promise<T> {
    this.#getting ??= this.#get().finally(() => {
      this.#getting = undefined;
    });
    try {
      const got = await this.#getting;
      const ends = got.expires ?? Number.POSITIVE_INFINITY;
      this.#known = got;
      this.#refreshAt = Math.max(ends - AHEAD_MS, now + (ends - now) / 2);
      return got;
    } catch (cause) {
      // What there is holds for some minutes yet: time for whoever gives it to come back.
      if (this.#known !== undefined && (this.#known.expires ?? 0) > now) return this.#known;
      throw cause;
    }
  }

  /** It was refused as too old: whether another can be had. */
  forget(): boolean {
    const isOld = this.#known?.expires !== undefined;
    this.#known = undefined;
    return isOld;
  }
}
