// Plans as pictures: golden DOT and Mermaid, SVG that is XML, labels that stay labels, files whole or not at all.

import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { VisualizeError, type VisualizeOptions, visualize } from "chunkwise/observe";
import { describe, expect, test } from "vitest";
import { dotText } from "../../src/observe/visualize/dot.ts";
import { loadGraphviz } from "../../src/observe/visualize/graphviz.ts";
import { mermaidText } from "../../src/observe/visualize/mermaid.ts";
import type { PlanGraph } from "../../src/observe/visualize/planPicture.ts";
import { elementsOf } from "./xml.ts";

const x = cw.asarray(new cw.NDArray(new Float64Array(48), [6, 8]), { chunks: [3, 4] });
const y = cw.ones([6, 8], { chunks: [3, 4] });
const means = x.add(y).multiply(2).mean({ axis: 0 });

/** Lines of this file move. */
const still = (text: string): string => text.replace(/visualize\.test\.ts:\d+/g, "visualize.test.ts");

describe("text", () => {
  test.each(["dot", "mermaid"] as const)("%s", async (format) => {
    await expect(still(await visualize(means, { format }))).toMatchFileSnapshot(
      `__snapshots__/plan.${format}.txt`,
    );
    const plain = still(await visualize(means, { format, optimize: false }));
    await expect(plain).toMatchFileSnapshot(`__snapshots__/plan-unoptimized.${format}.txt`);
  });

  test("several arrays are one plan, and a plan is one as it is", async () => {
    const both = await visualize([means, x.sum()], { format: "dot" });
    expect(both.match(/: result/g)?.length).toBe(2);
    const plan = cw.plan([means, x.sum()]);
    expect(still(await visualize(plan, { format: "dot" }))).toBe(still(both));
    const before = await visualize(plan, { format: "dot", optimize: false });
    expect(before.match(/op-\d+:/g)!.length).toBeGreaterThan(plan.numOperations);
    const loaded = await cw.loadPlan(cw.savePlan(cw.plan(y.add(1))));
    expect(await visualize(loaded, { format: "mermaid" })).toContain("flowchart TB");
  });

  test("what needs more than is allowed is red", async () => {
    const large = cw.mapBlocks((block) => block, cw.ones([4000, 4000], { chunks: "all" }));
    const spec = new cw.Spec({ allowedMem: "120MB", reservedMem: "100MB" });
    const text = await visualize(large, { format: "dot", spec });
    expect(text).toMatch(/memory [\d.]+ MB, more than 20 MB.*#d62728/);
    expect(text).toContain("a task may use 20 MB");
    expect(await visualize(y, { format: "dot", spec })).not.toContain("#d62728");
  });

  test("of a large plan what is nearest to the results", async () => {
    let z: cw.LazyArray = x;
    for (let i = 0; i < 30; i++) z = z.cumulativeSum({ axis: i % 2 });
    const text = await visualize(z, { format: "mermaid", limit: 5, optimize: false });
    expect(text.match(/op-\d+:/g)!.length).toBe(5);
    expect(text).toMatch(/n0\["\d+ operations more"\]/);
    expect(text).toContain("n0 --> n1");
  });

  test("labels stay labels", () => {
    const junk = [
      'a"];evil [label="',
      "<script>",
      "back\\slash\\",
      "#35; & `x`",
      "new\nline\u0000",
      "%%{init}%%",
    ];
    const graph: PlanGraph = {
      title: 'junk" ]\n%%{init: x}%%',
      nodes: [
        { id: 'no"de', kind: "operation", lines: junk },
        { id: "other", kind: "result", lines: ["plain"] },
      ],
      edges: [{ from: 'no"de', to: "other" }],
    };
    expect(dotText(graph)).toMatchSnapshot();
    expect(mermaidText(graph)).toMatchSnapshot();
  });
});

describe("SVG", () => {
  test("is XML without scripts and links, and says what the plan says", async () => {
    const svg = await visualize(means);
    expect(svg.startsWith("<svg")).toBe(true);
    expect(elementsOf(svg)[0]).toBe("svg");
    expect(svg).not.toMatch(/<script|<a |href|<!DOCTYPE/);
    for (const text of ["float64 [6, 8]", "4 chunks of [3, 4]", "memory"]) expect(svg).toContain(text);
  });

  test("without the package, an error that says what to do", async () => {
    await expect(loadGraphviz("@viz-js/not-there")).rejects.toThrow(
      /visualize: the package @viz-js\/not-there is not there.*npm install @viz-js\/viz.*"dot" or "mermaid"/,
    );
    await expect(loadGraphviz("@viz-js/not-there")).rejects.toBeInstanceOf(VisualizeError);
    const graphviz = {
      instance: async () => ({ renderString: () => '<?xml version="1.0"?>\n<svg></svg>\n\n' }),
    };
    expect(await visualize(y, { graphviz })).toBe("<svg></svg>\n");
  });
});

describe("files", () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), "chunkwise-visualize-"));

  test("the name says the format", async () => {
    const path = folder();
    const starts = { "plan.svg": "<svg", "plan.gv": "digraph", "plan.dot": "digraph", "plan.mmd": "%%" };
    for (const [name, start] of Object.entries(starts)) {
      const text = await visualize(y, { file: join(path, name) });
      expect(text.startsWith(start)).toBe(true);
      expect(readFileSync(join(path, name), "utf8")).toBe(text);
    }
    await visualize(y, { file: pathToFileURL(join(path, "text")), format: "dot" });
    expect(readdirSync(path).sort()).toEqual([...Object.keys(starts), "text"].sort());
    await expect(visualize(y, { file: join(path, "none", "plan.svg") })).rejects.toThrow(/cannot be written/);
  });

  test.skipIf(process.platform === "win32")("opened by a program, and no shell reads the name", async () => {
    const path = folder();
    const viewer = join(path, "viewer.sh");
    writeFileSync(viewer, `#!/bin/sh\nprintf '%s' "$1" > "${join(path, "seen")}"\n`);
    chmodSync(viewer, 0o755);
    const file = join(path, "$(touch evil);x.dot");
    await visualize(y, { file, open: viewer });
    for (let i = 0; i < 100 && !existsSync(join(path, "seen")); i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readFileSync(join(path, "seen"), "utf8")).toBe(file);
    expect(readdirSync(path)).not.toContain("evil");
    await expect(visualize(y, { format: "dot", open: join(path, "none") })).rejects.toThrow(
      /none cannot be started to show .*plan\.dot.*open: "firefox"/,
    );
  });
});

describe("what does not fit", () => {
  test.each<[string, unknown, unknown, RegExp]>([
    ["no array", 5, {}, /visualize: 5 is neither a lazy array nor a plan/],
    ["no arrays", [], {}, /is neither a lazy array nor a plan/],
    ["a list of others", [x, "y"], {}, /"y" is neither/],
    ["undefined", undefined, {}, /undefined is neither/],
    ["no options", x, null, /the options are null/],
    ["another format", x, { format: "png" }, /no format "png"/],
    ["no spec", x, { spec: { allowedMem: 5 } }, /spec is .*It must be a Spec/],
    ["no limit", x, { limit: 0 }, /limit is 0/],
    ["no program", x, { open: 5 }, /open is 5/],
    ["no file", x, { file: 5 }, /file is 5/],
    ["another option", x, { optimise: false }, /no option "optimise"/],
  ])("%s", async (_, target, options, message) => {
    const run = visualize(target as cw.LazyArray, options as VisualizeOptions);
    await expect(run).rejects.toThrow(message);
    await expect(visualize(target as cw.LazyArray, options as VisualizeOptions)).rejects.toBeInstanceOf(
      cw.ChunkwiseError,
    );
  });
});
