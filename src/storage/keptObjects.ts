// Objects of which part after part is wanted, over a network where a request costs more than bytes. In: ranges. Out: their
// bytes. The first are asked for as they are; once they have cost half as much as the whole object, and two at least were asked
// for, it is got and kept, and serves all that follow.
// Must hold: no more bytes are kept than the reader allows; parts of two versions of an object are never mixed; where objects
// can change, what is kept is asked about again after a while.

import { StoreRequestError } from "./errors.ts";
import { type ByteRange, cut, type StoreKey, type StoreOptions } from "./store.ts";

/** A part, with what the server says of the whole; null where it does not. */
export interface PartAnswer {
  readonly bytes: Uint8Array;
  readonly size: number | null;
  readonly version: string | null;
}

/** How a store whose objects change is asked whether what is kept is still so. */
export interface KeptCheck {
  /** What was right so long ago is taken for right. */
  readonly freshMs: number;
  /** The version that there is now; undefined where nothing is. */
  version(key: StoreKey, options: StoreOptions): Promise<string | null | undefined>;
}

type Fetch = (key: StoreKey, range: ByteRange, options: StoreOptions) => Promise<PartAnswer | undefined>;

interface Known {
  asked: number;
  /** What its parts have cost so far, in bytes. */
  cost: number;
  size: number | null;
  version: string | null;
  /** Ends when the first answer is there, whatever it is. */
  first: Promise<unknown> | null;
  whole: Promise<Uint8Array> | null;
  keptBytes: number;
  /** It was kept, and had to make room: it is not got again and again. */
  wasDropped: boolean;
  checkedAt: number;
}

const PARTS_FIRST = 2;
/** Bytes that could be got in the time that a request waits. */
const REQUEST_BYTES = 64 * 1024;
const MOST_KNOWN = 4096;

export class KeptObjects {
  readonly #fetch: Fetch;
  /** The oldest use first. */
  readonly #known = new Map<StoreKey, Known>();
  #keptBytes = 0;

  readonly #check: KeptCheck | null;

  constructor(fetch: Fetch, check: KeptCheck | null = null) {
    this.#fetch = fetch;
    this.#check = check;
  }

  /** Somebody wrote or removed it: what was known is not so any more. */
  forget(key: StoreKey): void {
    this.#forget(key);
  }

  forgetAll(): void {
    for (const key of [...this.#known.keys()]) this.#forget(key);
  }

  /** `most`: bytes that may be kept of all objects together. */
  async range(
    key: StoreKey,
    range: ByteRange,
    most: number,
    options: StoreOptions,
  ): Promise<Uint8Array | undefined> {
    const known = this.#use(key);
    await this.#checked(key, known, options);
    known.cost += REQUEST_BYTES + ("suffixLength" in range ? range.suffixLength : range.length);
    const isFirst = ++known.asked <= PARTS_FIRST || 2 * known.cost < (known.size ?? 0);
    if (known.whole === null && (isFirst || known.wasDropped)) {
      const part = this.#part(key, known, range, options);
      known.first ??= part.catch(() => {});
      return part;
    }
    await known.first;
    const { size } = known;
    if (size !== null && size <= most && !known.wasDropped)
      known.whole ??= this.#getWhole(key, known, size, most, options);
    // Who asked for the whole may have been told to stop: that is nothing to the others.
    const whole = await known.whole?.catch(() => null);
    // A copy: what is kept is nobody's to write to, and a view would take all of it along to another thread.
    return whole ? cut(whole, range).slice() : this.#part(key, known, range, options);
  }

  async #checked(key: StoreKey, known: Known, options: StoreOptions): Promise<void> {
    const check = this.#check;
    if (check === null || known.whole === null || Date.now() - known.checkedAt < check.freshMs) return;
    known.checkedAt = Date.now();
    if ((await check.version(key, options)) !== known.version) throw this.#changed(key);
  }

  #changed(key: StoreKey): StoreRequestError {
    this.#forget(key);
    return new StoreRequestError({
      what: "the object changed on the server while it was read",
      where: key,
      retryable: false,
      cure: "Run it again when nobody writes there",
    });
  }

  #use(key: StoreKey): Known {
    const known = this.#known.get(key) ?? {
      ...{
        asked: 0,
        cost: 0,
        size: null,
        version: null,
        first: null,
        whole: null,
        keptBytes: 0,
        wasDropped: false,
      },
      checkedAt: Date.now(),
    };
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > MOST_KNOWN) this.#forget(this.#known.keys().next().value!);
    return known;
  }

  async #part(
    key: StoreKey,
    known: Known,
    range: ByteRange,
    options: StoreOptions,
  ): Promise<Uint8Array | undefined> {
    const answer = await this.#fetch(key, range, options);
    if (answer === undefined) return undefined;
    const { size, version } = answer;
    const isOther = (before: unknown, now: unknown): boolean =>
      before !== null && now !== null && before !== now;
    if (isOther(known.size, size) || isOther(known.version, version)) throw this.#changed(key);
    known.size ??= size;
    known.version ??= version;
    return answer.bytes;
  }

  #getWhole(
    key: StoreKey,
    known: Known,
    size: number,
    most: number,
    options: StoreOptions,
  ): Promise<Uint8Array> {
    this.#makeRoom(key, most - size);
    this.#keptBytes += size;
    known.keptBytes = size;
    const whole = this.#part(key, known, { offset: 0, length: size }, options).then((bytes) => {
      if (bytes !== undefined) return bytes;
      throw new StoreRequestError({
        what: "the object vanished while it was read",
        where: key,
        retryable: true,
      });
    });
    whole.catch(() => this.#drop(known));
    return whole;
  }

  #makeRoom(key: StoreKey, most: number): void {
    for (const [other, known] of this.#known) {
      if (this.#keptBytes <= most) return;
      if (other === key || known.whole === null) continue;
      this.#drop(known);
      known.wasDropped = true;
    }
  }

  #drop(known: Known): void {
    this.#keptBytes -= known.keptBytes;
    known.keptBytes = 0;
    known.whole = null;
  }

  #forget(key: StoreKey): void {
    const known = this.#known.get(key);
    if (known !== undefined) this.#drop(known);
    this.#known.delete(key);
  }
}
