// Any chunking gives the same bits as one chunk: for every function alone, and for random programs.
// Sums and products of floats are exact here (writer.ts); tolerance.test.ts has those that are not.

import * as cw from "chunkwise";
import type fc from "fast-check";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { chunksOf, type Expr, postOrder } from "../../src/expr/expr.ts";
import { AT_ONCE, needThreads, Ways } from "../ways.ts";
import { MAKERS, programs, programsOf, STAGED_FAMILIES } from "./arbitrary.ts";
import { expectAllSame } from "./compare.ts";
import type { Program } from "./program.ts";
import { check } from "./settings.ts";

needThreads();

const ways = new Ways();
// Those of several functions are computed at once.
afterEach(() => ways.agree(AT_ONCE), 60_000);
afterAll(() => ways.agree(), 60_000);

function sameInAnyChunks(runs: number, cases: fc.Arbitrary<Program>): void {
  check(runs, cases, (program) => {
    const inPieces = ways.compute(program.build("cut"));
    expectAllSame(inPieces, cw.computeSync(program.build("whole")));
  });
}

describe("each function", () => {
  test.each([...MAKERS.keys()])("%s", (name) => sameInAnyChunks(14, programsOf(name)));
});

test("random programs", () => sameInAnyChunks(300, programs({ families: STAGED_FAMILIES })));

test("long programs", () => sameInAnyChunks(60, programs({ maxSteps: 24 })));

/** 1 ≤ chunk ≤ max(1, length) on every axis. */
function expectValidChunks(node: Expr): void {
  const chunks = chunksOf(node);
  const isValid = chunks.every((chunk, axis) => chunk >= 1 && chunk <= Math.max(1, node.shape[axis]!));
  if (isValid && chunks.length === node.shape.length) return;
  expect.fail(`${node.op.name} of shape [${node.shape}] has chunks [${chunks}]`);
}

test("chunks fit their arrays", () =>
  check(400, programs(), (program) => {
    for (const node of postOrder(program.build("cut").map(({ expr }) => expr))) expectValidChunks(node);
  }));
