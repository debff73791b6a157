// docs/architecture.md: its pictures are made from the code. The rooms and who imports whom follow from the imports, the
// passes from the pipeline.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { engine } from "../src/array/defaultEngine.ts";
import { RuleGroup } from "../src/rewrite/database.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");
const page = readFileSync(join(ROOT, "docs", "architecture.md"), "utf8");

const roomOf = (file: string): string =>
  file.includes("/") ? file.split("/")[0]! : file.replace(/\.ts$/, "");

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const targets = [...text.matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)].map((match) => match[1]!);
  return targets.map((target) => relative(SOURCE, resolve(join(SOURCE, dirname(file)), target)));
}

/** By room, the rooms it imports from. */
function rooms(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((f) =>
    f.endsWith(".ts"),
  )) {
    const room = roomOf(file);
    const others = found.get(room) ?? new Set<string>();
    for (const target of importsOf(file)) if (roomOf(target) !== room) others.add(roomOf(target));
    found.set(room, others);
  }
  return found;
}

/** Arrows that follow from others are left out: the picture has what is needed to see who stands on whom. */
function picture(): string {
  const graph = rooms();
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(graph.get(from) ?? [])].some(
      (next) => !seen.has(next) && (next === to || reaches(next, to, seen.add(next))),
    );
  const direct = (room: string, other: string): boolean =>
    ![...graph.get(room)!].some((between) => between !== other && reaches(between, other));
  const arrows = [...graph].flatMap(([room, others]) =>
    [...others].filter((other) => direct(room, other)).map((other) => `  ${room} --> ${other}`),
  );
  return ["```mermaid", "flowchart TD", ...arrows.sort(), "```"].join("\n");
}

test("the picture of the rooms is that of the imports", () => expect(page).toContain(picture()));

test("every room is described", () => {
  for (const room of rooms().keys())
    expect(page, room).toMatch(new RegExp(`^\\| \`${room}(/|\\.ts)\` +\\|`, "m"));
});

test("the passes are those of the pipeline, in order", () => {
  const passes = engine.pipeline.stages.map((stage, i) => {
    const rules = stage instanceof RuleGroup ? `${stage.rules.length} rules` : "the whole graph";
    return `${i + 1}. \`${stage.name}\` (${rules})`;
  });
  expect(page).toContain(passes.join("\n"));
});
