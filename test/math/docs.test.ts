// docs/accuracy.md says what test/math/bounds.ts promises.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROMISES } from "./bounds.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/accuracy.md"), "utf8");

test("the table has every function with its bounds, in this order", () => {
  const [functions] = page.split("\n## Rules") as [string];
  const rows = functions.split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const wanted = [...PROMISES].map(([name, { ulps }]) => [
    "",
    `\`${name}\``,
    `${ulps.float64}`,
    `${ulps.float32}`,
    "",
  ]);
  expect(cells).toEqual(wanted);
});
