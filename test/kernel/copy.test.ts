// Copies between memories that are shared and not.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyInto } from "../../src/core/block.ts";

const KINDS = [Uint8Array, Uint16Array, Uint32Array] as const;
const BUFFERS = [ArrayBuffer, SharedArrayBuffer] as const;

describe("copyInto", () => {
  it("moves runs of any length between memories of any kind, and touches nothing else", () => {
    const lengths = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 2000, max: 20_000 }));
    const place = fc.record({ buffer: fc.constantFrom(...BUFFERS), before: fc.nat(9), after: fc.nat(9) });
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), lengths, place, place, (Kind, length, from, to) => {
        const of = ({ buffer, before, after }: typeof from): Uint8Array =>
          new Kind(
            new buffer((before + length + after) * Kind.BYTES_PER_ELEMENT) as ArrayBuffer,
          ) as Uint8Array;
        const source = of(from);
        source.forEach((_, i) => {
          source[i] = i * 7 + 1;
        });
        const target = of(to).fill(9);
        const expected = [...target];
        for (let i = 0; i < length; i++) expected[to.before + i] = source[from.before + i]!;
        copyInto(target, source.subarray(from.before, from.before + length), to.before);
        expect([...target]).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it.each(BUFFERS)("refuses a run that does not fit (%o)", (Memory) => {
    const target = new Uint8Array(new Memory(20_000));
    expect(() => copyInto(target, new Uint8Array(new Memory(20_001)))).toThrow(RangeError);
    expect(() => copyInto(target, new Uint8Array(new Memory(19_000)), 1001)).toThrow(RangeError);
  });
});
