// permuted: where a random permutation sends numbers. In: int64 numbers from 0 up to attrs.length, a key and a stream. Out: for each the
// one that stands in its place. A Feistel network permutes all numbers of 2h bits, and what it sends beyond the length goes through
// again until it comes back (cycle walking): a permutation of any length in no memory.
// Must hold: a number that is none of the length's is an error. Bits are at most 53.

import { philox } from "../philox.ts";
import { type Routine, Trap } from "../routine.ts";
import { blockAt, integerAttr } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

/** The rounds of a balanced network; few bits need more of them to be mixed. */
const ROUNDS = 12;

export const permuted: Routine = ({ inputs, outputs, attrs, room }) => {
  const places = toContiguous(blockAt(inputs, 0), room) as BigInt64Array;
  const length = integerAttr(attrs, "length");
  const network = networkOf(length, attrs["key"] as bigint, integerAttr(attrs, "stream"));
  const into = new BigInt64Array(places.length);
  for (let i = 0; i < places.length; i++) {
    let place = Number(places[i]);
    if (!(place >= 0 && place < length))
      throw new Trap(`there is no place ${place} among ${length}`, "Use places from 0 up to the length");
    do place = through(network, place);
    while (place >= length);
    into[i] = BigInt(place);
  }
  fromContiguous(into, blockAt(outputs, 0));
};

interface Network {
  /** 2ʰ: each half has h bits. */
  readonly half: number;
  /** Of each round. */
  readonly keys: Int32Array;
}

function networkOf(length: number, key: bigint, stream: number): Network {
  let half = 1;
  while (half * half < length) half *= 2;
  const keys = new Int32Array(ROUNDS);
  for (let round = 0; round < ROUNDS; round += 4) {
    const words = Int32Array.of(round, 0, stream, -1);
    philox(words, Number(BigInt.asIntN(32, key)), Number(BigInt.asIntN(32, key >> 32n)));
    keys.set(words, round);
  }
  return { half, keys };
}

function through({ half, keys }: Network, place: number): number {
  let left = Math.floor(place / half);
  let right = place - left * half;
  for (let round = 0; round < ROUNDS; round++) {
    const next = (left ^ mixed(right, keys[round]!)) & (half - 1);
    left = right;
    right = next;
  }
  return left * half + right;
}

/** A hash of 32 bits (the end of MurmurHash3), with a key before it. */
function mixed(x: number, key: number): number {
  let h = x ^ key;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
