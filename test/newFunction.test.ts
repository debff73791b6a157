// A new function is one line in one file. The test adds an elementwise function and a reduction to a copy of the sources,
// each in one file, and tries them in every way that users have: function, method, name in `expr`, nested arrays in memory and
// lazy, types.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "chunkwise-new-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const CUBE = `
/** x³: \`cw.cube([2])\` is [8]. */
export const cube = unary("cube", { accepts: "real", result: "same", real: (x) => s.mul(x, s.mul(x, x)) });
`;
const POWER = `
/** Σx²: \`cw.power([1, 2])\` is 5. */
export const power = reduction("power", {
  accepts: "real",
  computesIn: "total",
  result: "same",
  state: own,
  lift: (x) => [s.mul(x as s.Term, x as s.Term)],
  combine: ([a], [b]) => [addValues(a!, b!)],
  identity: () => [0],
  finish: first,
});
`;
const USER = `import * as rg from "./src/doors/ragged.ts";
import * as cw from "./src/index.ts";
const x: cw.LazyArray<"float32"> = cw.asarray(new Float32Array([1, 2, 3]), { chunks: 2 });
const cubes: cw.LazyArray<"float32"> = x.cube();
const sums: cw.LazyArray<"int64"> = cw.power(new Int8Array([3, 4]));
const lists = rg.fromIter([[1, 2], [], [3]]);
const nested: rg.RaggedArray = lists.cube();
const lazily: rg.LazyRagged = rg.power(rg.lazy(lists, { npartitions: 2 }), { axis: 1 });
console.log(
  JSON.stringify([
    [...(await cubes.compute()).data],
    [...(await cw.cube(x).compute()).data],
    (await sums.compute()).item(),
    (await x.power({ axis: 0 }).compute()).item(),
    (await cw.expr\`cube(\${x}) + power(\${x})\`.compute()).toList(),
    nested.toList(),
    rg.cube(lists).toList(),
    rg.power(lists),
    (await lazily.compute()).toList(),
  ]),
);
`;

beforeAll(async () => {
  cpSync(join(ROOT, "src"), join(copy, "src"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  for (const file of ["tsconfig.base.json", "package.json"]) cpSync(join(ROOT, file), join(copy, file));
  appendFileSync(join(copy, "src", "ops", "elementwise", "arithmetic.ts"), CUBE);
  appendFileSync(join(copy, "src", "ops", "reductions.ts"), POWER);
  writeFileSync(join(copy, "user.ts"), USER);
});

test("it is there as a function, a method, a name in expr, for nested arrays, lazily", async () => {
  const made = await rolldown({
    input: join(copy, "user.ts"),
    platform: "node",
    external: [/^node:/, /^numcodecs/],
    treeshake: { moduleSideEffects: true },
  });
  await made.write({ format: "esm", file: join(copy, "user.js"), codeSplitting: false });
  await made.close();
  const printed = execFileSync(process.execPath, [join(copy, "user.js")], { encoding: "utf8", cwd: copy });
  expect(JSON.parse(printed)).toEqual([
    [1, 8, 27],
    [1, 8, 27],
    25,
    14,
    [15, 22, 41],
    [[1, 8], [], [27]],
    [[1, 8], [], [27]],
    14,
    [5, 0, 9],
  ]);
});

test("the compiler knows it", () => {
  writeFileSync(
    join(copy, "tsconfig.json"),
    JSON.stringify({
      extends: "./tsconfig.base.json",
      compilerOptions: { noEmit: true },
      files: ["user.ts"],
    }),
  );
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  expect(execFileSync(tsc, ["-p", copy], { encoding: "utf8" })).toBe("");
});
