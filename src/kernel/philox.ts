// Random bits as a function of a counter: Philox 4×32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
// 1, 2, 3, 2011). In: the place of an element, the number of a stream and a key, of 64 bits each. Out: 64 bits.
// Must hold: bits(place, stream, key) = half (place mod 2) of philox(counter = ⌊place / 2⌋ + 2⁶⁴·stream, key): the lower
// words of the counter are the place's, the upper ones the stream's, and each half has its lower word first.

/** What the words are multiplied by, and what is added to the key from round to round. */
export const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57] as const;
export const WEYL = [0x9e3779b9, 0xbb67ae85] as const;
export const ROUNDS = 10;

/** The upper 32 bits of a product of two words. */
function upper(x: number, y: number): number {
  const [x0, x1, y0, y1] = [x & 0xffff, x >>> 16, y & 0xffff, y >>> 16];
  const middle = x1 * y0 + ((x0 * y0) >>> 16);
  const other = x0 * y1 + (middle & 0xffff);
  return (x1 * y1 + (middle >>> 16) + (other >>> 16)) | 0;
}

/** Four words of a counter and two of a key become four random ones, in their place. */
export function philox(words: Int32Array, key0: number, key1: number): void {
  let [x0, x1, x2, x3] = words as unknown as [number, number, number, number];
  let [k0, k1] = [key0, key1];
  for (let round = 0; round < ROUNDS; round++) {
    const [high0, high1] = [upper(MULTIPLIERS[0], x0), upper(MULTIPLIERS[1], x2)];
    const [low0, low1] = [Math.imul(MULTIPLIERS[0], x0), Math.imul(MULTIPLIERS[1], x2)];
    [x0, x1, x2, x3] = [high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0];
    k0 = (k0 + WEYL[0]) | 0;
    k1 = (k1 + WEYL[1]) | 0;
  }
  words[0] = x0;
  words[1] = x1;
  words[2] = x2;
  words[3] = x3;
}

const low = (x: bigint): number => Number(BigInt.asIntN(32, x));
const high = (x: bigint): number => Number(BigInt.asIntN(32, x >> 32n));

/** The bits of many places, in their streams by their keys; the same counter is not computed twice in a row. */
export function philoxLanes(
  places: BigUint64Array,
  streams: BigUint64Array,
  keys: BigUint64Array,
  into: BigUint64Array,
  count: number,
): void {
  const words = new Int32Array(4);
  const pairs = new BigUint64Array(words.buffer);
  let known: readonly bigint[] = [];
  for (let i = 0; i < count; i++) {
    const wanted = [places[i]! >> 1n, streams[i]!, keys[i]!];
    if (wanted.some((part, at) => part !== known[at])) {
      pairs[0] = wanted[0]!;
      pairs[1] = wanted[1]!;
      philox(words, low(wanted[2]!), high(wanted[2]!));
      known = wanted;
    }
    into[i] = pairs[Number(places[i]! & 1n)]!;
  }
}

/** An element's own sequence: the bits of one place in stream after stream, for what takes an unknown number of draws. */
export class Draws {
  readonly #words: Int32Array = new Int32Array(4);
  readonly #pairs: BigUint64Array = new BigUint64Array(this.#words.buffer);
  readonly #key: readonly [number, number];
  readonly #stream: number;
  #place = 0;
  #draw = 0;

  /** `stream`: a word; the draws of an element are told apart by the other word of streams. */
  constructor(stream: number, key: bigint) {
    this.#stream = stream;
    this.#key = [low(key), high(key)];
  }

  /** From now on for this place. */
  goTo(place: number): void {
    this.#place = place;
    this.#draw = 0;
  }

  /** The next 128 bits, of which an element has all: its place is the counter. */
  #next(): void {
    const words = this.#words;
    words[0] = this.#place | 0;
    words[1] = Math.floor(this.#place / 2 ** 32);
    words[2] = this.#stream | 0;
    words[3] = ++this.#draw;
    philox(words, this.#key[0], this.#key[1]);
  }

  /** 64 bits. */
  bits(): bigint {
    this.#next();
    return this.#pairs[0]!;
  }

  /** Between 0 and 1, neither of them: an odd multiple of 2⁻⁵³. */
  unit(): number {
    this.#next();
    const [first, second] = this.#words as unknown as [number, number];
    return ((second >>> 0) * 0x100000 + (first >>> 12) + 0.5) * 2 ** -52;
  }
}
