// docs/ragged-api.md names what the door exports, once, and says truly which functions are methods.

import { readFileSync } from "node:fs";
import * as rg from "chunkwise/ragged";
import { expect, test } from "vitest";
import { ELEMENTWISE } from "../../src/ragged/index.ts";

const page = readFileSync(new URL("../../docs/ragged-api.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `(\w+).*?`\s*\|(.*)\|$/gm)].map(([, name, rest]) => ({
  name: name!,
  method: rest!.split("|")[1]?.trim(),
}));
const isElementwise = (name: string): boolean => name in ELEMENTWISE && name !== "isclose";

test("every name of the door has a row, and there is no other", () => {
  const names = Object.keys(rg).filter((name) => !isElementwise(name));
  expect(rows.map(({ name }) => name).sort()).toEqual(names.sort());
});

test("elementwise functions are listed", () => {
  const paragraph = /## Elementwise\n([\s\S]*?)\n## /.exec(page)![1]!;
  const named = [...paragraph.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  expect(named).toEqual(Object.keys(rg).filter(isElementwise).sort());
});

test("methods are methods", () => {
  const described = Object.getOwnPropertyDescriptors(rg.LazyRagged.prototype);
  const own = Object.entries(described).flatMap(([name, { value }]) =>
    typeof value === "function" ? [name] : [],
  );
  const said = rows.filter(({ method }) => method === "yes").map(({ name }) => name);
  const methods = Object.keys(rg).filter((name) => own.includes(name) && !isElementwise(name));
  expect(said.sort()).toEqual(methods.sort());
  expect(Object.keys(rg).filter((name) => isElementwise(name) && !own.includes(name))).toEqual([]);
});
