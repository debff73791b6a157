// Options of runs: one table, from which types, checks, the environment and the page docs/options.md follow.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Call, SETTINGS, variableOf } from "../../src/runtime/settings.ts";
import { RUN_OPTIONS } from "../../src/runtime/spec.ts";

afterEach(() => vi.unstubAllEnvs());

const x = cw.arange(0, 40, 1, { dtype: "float64", chunks: 10 });

/** The comments above entries: what a hover shows, and what the page says. */
function commentsIn(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../../src/runtime/${file}`, import.meta.url), "utf8");
  const entries = text.matchAll(/\/\*\* ([^/]*?) \*\/\n {2}(\w+): option\(/g);
  return new Map([...entries].map(([, comment, name]) => [name!, comment!]));
}

const CALLS: { readonly [C in Call]: string } = {
  plan: "`plan`",
  sync: "`computeSync`",
  run: "`compute`, `execute`, `toZarr`, `store`, …",
};

function page(): string {
  const comments = new Map([...commentsIn("settings.ts"), ...commentsIn("spec.ts")]);
  const rows = Object.entries(RUN_OPTIONS).map(([name, { wanted, calls }]) => {
    const places = calls.length === 0 ? "a `Spec` alone" : calls.map((call) => CALLS[call]).join(", ");
    const variable = name in SETTINGS ? `\`${variableOf(name)}\`` : "";
    return `| \`${name}\` | ${comments.get(name)} | ${wanted} | ${places} | ${variable} |`;
  });
  return `# Options

Every option of a computation. What has a variable may also stand in a \`Spec\`, and in the JSON file that \`CHUNKWISE_CONFIG\`
names: a call goes before its \`Spec\`, that before the environment, that before the file. This page follows from
\`src/runtime/settings.ts\` and \`src/runtime/spec.ts\`.

| option | what it does, unless given | what it must be | where | variable |
| ------ | -------------------------- | --------------- | ----- | -------- |
${rows.join("\n")}
`;
}

test("docs/options.md says what there is", async () => {
  for (const name of Object.keys(RUN_OPTIONS)) expect(page(), name).not.toContain("undefined");
  await expect(page()).toMatchFileSnapshot("../../docs/options.md");
});

describe("where an option is given", () => {
  const unfused = (): number => x.add(1).multiply(2).plan({ optimize: false }).numOperations;

  test("in a spec, for planning", () => {
    const spec = new cw.Spec({ optimize: false });
    expect(x.add(1).multiply(2).plan({ spec }).numOperations).toBe(unfused());
    expect(x.add(1).multiply(2).plan({ spec, optimize: true }).numOperations).toBe(1);
  });

  test("in the environment", () => {
    vi.stubEnv("CHUNKWISE_OPTIMIZE", "false");
    vi.stubEnv("CHUNKWISE_NEVER_FUSE", "op-001,op-002");
    const spec = new cw.Spec();
    expect(spec.settings).toMatchObject({ optimize: false, neverFuse: ["op-001", "op-002"] });
    expect(x.add(1).multiply(2).plan({ spec }).numOperations).toBe(unfused());
    vi.stubEnv("CHUNKWISE_OPTIMIZE", "perhaps");
    expect(() => new cw.Spec()).toThrow(/optimize is "perhaps"\. It must be true or false/);
  });

  test("memory at a call is that of a spec", async () => {
    const large = cw.arange(0, 4e5, 1, { dtype: "float64", chunks: 4e5 }).add(0.5).sort();
    const error = await large.compute({ allowedMem: "11MB", reservedMem: "10MB" }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(cw.MemoryError);
    expect(() => large.plan({ allowedMem: "11MB", reservedMem: "10MB" })).toThrow(cw.MemoryError);
    const spec = new cw.Spec({ allowedMem: "11MB", reservedMem: "10MB" });
    expect((await large.compute({ spec, allowedMem: "60MB" })).size).toBe(4e5);
  });

  test("what a call does not take is refused", () => {
    expect(() => x.plan({ signal: new AbortController().signal } as never)).toThrow(/no option "signal"/);
    expect(() => x.computeSync({ workDir: "/tmp" } as never)).toThrow(/no option "workDir"/);
    expect(() => x.plan({ fusoin: "map" } as never)).toThrow(/no option "fusoin"\. Did you mean fusion\?/);
  });
});
