// Mistakes that scripts/mutate.mjs puts into the sources, to see whether tests find them, are still mistakes of the sources as
// they are: every text that is to be changed stands there, once.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

interface Mutations {
  readonly MUTATIONS: readonly {
    readonly name: string;
    readonly changes: readonly (readonly [file: string, text: string, instead: string])[];
  }[];
}

const ROOT = resolve(import.meta.dirname, "..");

describe.each(["lost", "memory", "scheduler"])("mutations/%s", async (list) => {
  const file = pathToFileURL(join(ROOT, "scripts", "mutations", `${list}.mjs`)).href;
  const { MUTATIONS } = (await import(file)) as Mutations;

  test.each(MUTATIONS)("$name", ({ changes }) => {
    expect(changes.length).toBeGreaterThan(0);
    for (const [path, text, instead] of changes) {
      expect(readFileSync(join(ROOT, "src", path), "utf8").split(text).length - 1, `${path}: ${text}`).toBe(
        1,
      );
      expect(instead).not.toBe(text);
    }
  });
});
