// A second tool reads what the assembler writes: wabt must decode and validate every module, and its text
// must show what the loop is about.

import fc from "fast-check";
import { expect, test } from "vitest";
import loadWabt from "wabt";
import { programOf } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import { type InnerWalk, loopModule } from "../../src/kernel/wasm/loopKernel.ts";
import { buildLoop, randomLoop } from "./randomLoops.ts";

const wabt = await loadWabt();
const FEATURES = { simd: true, sat_float_to_int: true, sign_extension: true, threads: true };

const PLAIN = { dims: 1, split: 0, isBlocked: false, isShared: true };

function validated(bytes: Uint8Array<ArrayBuffer>): string {
  const module = wabt.readWasm(bytes, { ...FEATURES, readDebugNames: false });
  try {
    (module as unknown as { validate(features: object): void }).validate(FEATURES);
    return module.toText({ foldExprs: false, inlineExport: false });
  } finally {
    module.destroy();
  }
}

test("500 random loops with every walk are valid modules", () => {
  const walk = fc.array(fc.constantFrom<InnerWalk>("unit", "fixed", "strided"), {
    minLength: 5,
    maxLength: 5,
  });
  fc.assert(
    fc.property(randomLoop, walk, fc.integer({ min: 1, max: 4 }), fc.nat(15), (loop, walks, dims, bits) => {
      const { step } = buildLoop({ ...loop, shape: Array.from({ length: dims }, () => 3) });
      const used = walks.slice(0, step.operands.length + step.results.length);
      const shape = {
        ...{ dims, walks: used, split: (bits >> 2) % dims },
        ...{ isBlocked: bits % 2 === 1, isShared: bits % 4 >= 2 },
      };
      validated(loopModule(step.program, shape));
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("a contiguous float64 loop is vector code with a scalar tail", () => {
  const program = programOf(["float64", "float64"], (x, y) => [
    s.add(s.mul(x as s.Term, s.constant("float64", 2)), y as s.Term),
  ]);
  const text = validated(loopModule(program, { ...PLAIN, walks: ["unit", "unit", "unit"] }));
  expect(text).toContain("f64x2.mul");
  expect(text).toContain("f64.mul");
  expect(text).toContain("v128.store");
});

test("a module that breaks the stack is refused by the assembler itself", () => {
  const program = programOf(["float64"], (x) => [x!]);
  const broken = {
    ...program,
    instructions: [...program.instructions, { ...program.instructions[0]!, prim: "add" as const, args: [] }],
    results: [[program.instructions.length]],
  };
  expect(() => loopModule(broken, { ...PLAIN, walks: ["unit", "unit"] })).toThrow();
});
