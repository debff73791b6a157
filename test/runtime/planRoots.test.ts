// Plans from elsewhere: what they may run and read is what the caller names, however the text writes it.

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = mkdtempSync(join(tmpdir(), "chunkwise-roots-"));
const code = join(root, "code");
const data = join(root, "data");
const evil = join(root, "evil");
const mark = join(evil, "was-here");
let server: Server;
let asked = 0;

/** A module that leaves a trace when it is so much as imported. */
const TRACE = `
import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(mark)}, "");
export const double = (x) => x.data.map((value) => value * 2);`;

/** A store that reads whatever it is told to. */
const STORE = `
import { readFile } from "node:fs/promises";
export const openIt = ({ folder }) => ({ get: (key) => readFile(folder + key).catch(() => undefined) });`;

beforeAll(async () => {
  for (const folder of [code, data, evil]) mkdirSync(folder);
  writeFileSync(join(code, "blocks.js"), "export const double = (x) => x.data.map((value) => value * 2);");
  writeFileSync(join(evil, "blocks.js"), TRACE);
  symlinkSync(join(evil, "blocks.js"), join(code, "link.js"));
  symlinkSync(evil, join(code, "sub"));
  mkdirSync(`${code}-other`);
  cpSync(join(evil, "blocks.js"), join(`${code}-other`, "blocks.js"));
  await cw.ones(4, { chunks: 2 }).add(cw.arange(4)).toZarr(join(data, "x.zarr"), { executor: "inline" });
  cpSync(join(data, "x.zarr"), join(evil, "x.zarr"), { recursive: true });
  cpSync(data, `${data}2`, { recursive: true });
  symlinkSync(evil, join(data, "link"));
  server = createServer((_, response) => {
    asked++;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

interface Saved {
  plan: { operations: { steps: { attrs?: { [name: string]: unknown } }[] }[] };
  sources: { [name: string]: { stored?: { format: string; store: unknown; path: unknown } } };
}

/** The plan of a stored array, with another store in it. */
async function reading(store: unknown, path: unknown = ""): Promise<string> {
  const x = await cw.fromZarr(join(data, "x.zarr"));
  const saved = JSON.parse(cw.savePlan(x.add(1).plan())) as Saved;
  for (const source of Object.values(saved.sources)) source.stored = { format: "zarr", store, path };
  return JSON.stringify(saved);
}

function calling(module: unknown): string {
  const double = cw.moduleFunction(pathToFileURL(join(code, "blocks.js")), "double");
  const plan = cw.mapBlocks(double, cw.asarray(new Float64Array(4), { chunks: 2 })).plan();
  const saved = JSON.parse(cw.savePlan(plan)) as Saved;
  for (const { steps } of saved.plan.operations)
    for (const { attrs } of steps)
      if (attrs?.["function"] !== undefined) attrs["function"] = { $reference: { module, name: "double" } };
  return JSON.stringify(saved);
}

const file = (path: string): object => ({ kind: "file", root: path });

describe("without a word from the caller", () => {
  test("a plan without modules and stores is loaded", async () => {
    const plan = await cw.loadPlan(cw.savePlan(cw.asarray([1, 2, 3]).add(1).plan()));
    expect((await cw.computePlan(plan))[0]!.toList()).toEqual([2, 3, 4]);
  });

  test("nothing else: the error says what it wants, and how to allow it", async () => {
    const module = calling(pathToFileURL(join(code, "blocks.js")).href);
    await expect(cw.loadPlan(module)).rejects.toBeInstanceOf(cw.PlanError);
    await expect(cw.loadPlan(module)).rejects.toThrow(
      `loadPlan: the plan wants to run ${join(code, "blocks.js")}, which is not below a root that was named. If you trust who made it, name these or what they are below: loadPlan(text, {modules: ["${join(code, "blocks.js")}"]}).`,
    );
    await expect(cw.loadPlan(await reading(file(join(data, "x.zarr"))))).rejects.toThrow(
      `the plan wants to read ${join(data, "x.zarr")}, which is not below a root that was named. If you trust who made it, name these or what they are below: loadPlan(text, {stores: ["${join(data, "x.zarr")}"]}).`,
    );
  });
});

describe("what is named", () => {
  test.each<[string, () => cw.LoadPlanOptions]>([
    ["a folder", () => ({ modules: [code] })],
    ["a folder with what ends it", () => ({ modules: [`${code}/`] })],
    ["a file: URL", () => ({ modules: [pathToFileURL(code)] })],
    ["the module itself", () => ({ modules: [join(code, "blocks.js")] })],
    ["one of several", () => ({ modules: [data, code] })],
  ])("modules below %s", async (_, options) => {
    const plan = await cw.loadPlan(calling(pathToFileURL(join(code, "blocks.js")).href), options());
    expect((await cw.computePlan(plan))[0]!.toList()).toEqual([0, 0, 0, 0]);
  });

  test("stores below a folder", async () => {
    const plan = await cw.loadPlan(await reading(file(join(data, "x.zarr"))), { stores: [data] });
    expect((await cw.computePlan(plan))[0]!.toList()).toEqual([2, 3, 4, 5]);
    const inner = await cw.loadPlan(await reading(file(data), "/x.zarr"), { stores: [data] });
    expect((await cw.computePlan(inner))[0]!.toList()).toEqual([2, 3, 4, 5]);
  });

  test("stores of modules, which must be allowed as both", async () => {
    const module = join(code, "store.js");
    writeFileSync(module, STORE);
    const store = { kind: "module", module: pathToFileURL(module).href, name: "openIt" };
    const text = await reading({ ...store, argument: { folder: join(data, "x.zarr") } });
    const plan = await cw.loadPlan(text, { modules: [code], stores: [code] });
    expect((await cw.computePlan(plan))[0]!.toList()).toEqual([2, 3, 4, 5]);
    expect((await cw.computePlan(plan, { executor: "inline" }))[0]!.toList()).toEqual([2, 3, 4, 5]);
    await expect(cw.loadPlan(text, { modules: [code], stores: [data] })).rejects.toThrow(/wants to read/);
    await expect(cw.loadPlan(text, { stores: [code] })).rejects.toThrow(/wants to run/);
    await expect(cw.loadPlan(text)).rejects.toThrow(/wants to run .* and to read/);
    const leading = { ...store, module: pathToFileURL(join(code, "link.js")).href, argument: null };
    const both = { modules: [code], stores: [code] };
    await expect(cw.loadPlan(await reading(leading), both)).rejects.toThrow(/wants to run/);
    await expect(cw.loadPlan(await reading({ ...store, module: "node:fs" }), both)).rejects.toThrow(
      /is not the location of a store/,
    );
    await expect(cw.loadPlan(await reading({ ...store, name: "other" }), both)).rejects.toThrow(
      /exports no function "other".*openIt/,
    );
  });

  test("modules do not allow stores, nor stores modules", async () => {
    const text = await reading(file(join(data, "x.zarr")));
    await expect(cw.loadPlan(text, { modules: [data] })).rejects.toThrow(/wants to read/);
    const module = calling(pathToFileURL(join(code, "blocks.js")).href);
    await expect(cw.loadPlan(module, { stores: [code] })).rejects.toThrow(/wants to run/);
  });

  test.each([
    [5],
    [[""]],
    [[5]],
    [["ftp://x"]],
    [["https://"]],
    [["https://user:secret@example.org/"]],
    [{}],
  ])("what is no list of roots: %j", async (roots) => {
    const text = cw.savePlan(cw.ones(3).plan());
    const wrong = roots as unknown as readonly string[];
    await expect(cw.loadPlan(text, { modules: wrong })).rejects.toThrow(
      /modules has .*Give a list of folders/,
    );
    await expect(cw.loadPlan(text, { stores: wrong })).rejects.toBeInstanceOf(cw.ValueError);
  });

  test("an option that is none", async () => {
    const wrong = { store: [data] } as unknown as cw.LoadPlanOptions;
    await expect(cw.loadPlan("", wrong)).rejects.toThrow(/no option "store"/);
  });
});

describe("hostile modules", () => {
  const url = (path: string): string => pathToFileURL(code).href + path;
  test.each<[string, () => unknown]>([
    ["elsewhere", () => pathToFileURL(join(evil, "blocks.js")).href],
    ["up and over", () => url("/../evil/blocks.js")],
    ["encoded dots", () => url("/%2e%2e/evil/blocks.js")],
    ["encoded dots and slash", () => url("/%2e%2e%2fevil/blocks.js")],
    ["capital encoded dots", () => url("/%2E%2E/evil/blocks.js")],
    ["backslashes", () => url("\\..\\..\\evil\\blocks.js")],
    ["a link to a file", () => url("/link.js")],
    ["a link to a folder", () => url("/sub/blocks.js")],
    ["a longer name that begins the same", () => `${pathToFileURL(code).href}-other/blocks.js`],
    ["another case", () => pathToFileURL(join(root, "CODE", "blocks.js")).href],
    ["another host", () => `file://evil${join(evil, "blocks.js")}`],
    ["a scheme of another case", () => `FILE://${join(evil, "blocks.js")}`],
    ["data", () => "data:text/javascript,export const double = 1"],
    ["node", () => "node:fs"],
    ["a path", () => join(code, "blocks.js")],
    ["blob", () => "blob:nodedata:1"],
    ["the network", () => "http://127.0.0.1:1/blocks.js"],
    ["a NUL", () => `${url("/blocks.js")}%00.png`],
    ["nothing", () => ""],
    ["a number", () => 5],
  ])("%s", async (_, module) => {
    const loading = cw.loadPlan(calling(module()), { modules: [code], stores: [root] });
    await expect(loading).rejects.toBeInstanceOf(cw.ChunkwiseError);
    await expect(loading).rejects.toThrow(
      /wants to run|does not name a function|is not the address of a file/,
    );
  });

  test("nothing was imported on the way", async () => {
    const { existsSync } = await import("node:fs");
    expect(existsSync(mark)).toBe(false);
  });
});

describe("hostile stores", () => {
  test.each<[string, () => unknown]>([
    ["elsewhere", () => file(join(evil, "x.zarr"))],
    ["up and over", () => file(`${join(data, "x.zarr")}/../../evil/x.zarr`)],
    ["a link", () => file(join(data, "link", "x.zarr"))],
    ["a longer name that begins the same", () => file(join(`${data}2`, "x.zarr"))],
    ["above", () => file(root)],
    ["the root of all", () => file("/")],
    ["a file: URL", () => file(pathToFileURL(join(evil, "x.zarr")).href)],
    ["another case", () => file(join(root, "DATA", "x.zarr"))],
    ["a NUL", () => file(`${join(data, "x.zarr")}\0`)],
    ["relative", () => file("../../../../../../etc")],
    ["another kind", () => ({ kind: "zip", root: data })],
    ["a proxy", () => ({ kind: "proxy", id: 0 })],
    ["no location", () => null],
    ["a number", () => file(5 as unknown as string)],
  ])("%s", async (_, store) => {
    const loading = cw.loadPlan(await reading(store()), { stores: [data] });
    await expect(loading).rejects.toBeInstanceOf(cw.PlanError);
    await expect(loading).rejects.toThrow(/wants to read|is not the location of a store/);
  });

  test.each(["../../evil/x.zarr", "..", "/x.zarr/../../evil/x.zarr", "link/x.zarr", "x.zarr\\..\\.."])(
    "a path in the store: %s",
    async (path) => {
      const loading = cw.loadPlan(await reading(file(data), path), { stores: [data] });
      await expect(loading).rejects.toThrow(/part|leads out of the store/);
    },
  );
});

describe("hostile addresses", () => {
  const base = (): string => {
    const { port } = server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  };
  test.each<[string, (base: string) => string]>([
    ["another path", (at) => `${at}/private/x.zarr`],
    ["up and over", (at) => `${at}/open/../private/x.zarr`],
    ["encoded dots", (at) => `${at}/open/%2e%2e/private/x.zarr`],
    ["dots encoded twice", (at) => `${at}/open/%252e%252e/private/x.zarr`],
    ["an encoded slash", (at) => `${at}/open/..%2fprivate/x.zarr`],
    ["an encoded backslash", (at) => `${at}/open/..%5cprivate/x.zarr`],
    ["backslashes", (at) => `${at}/open\\..\\private\\x.zarr`],
    ["a longer name", (at) => `${at}/open2/x.zarr`],
    ["another case", (at) => `${at}/OPEN/x.zarr`],
    ["another port", () => "http://127.0.0.1:1/open/x.zarr"],
    ["another host before the at", (at) => `${at.replace("http://", "http://127.0.0.1:80@")}/open/x.zarr`],
    ["another host", (at) => `http://example.org/open/x.zarr?${at}/open/`],
    ["another scheme", (at) => `${at.replace("http", "https")}/open/x.zarr`],
    ["a broken encoding", (at) => `${at}/open/%E0%A4%A/x.zarr`],
    ["a file", () => `file://${data}/x.zarr`],
    ["nothing", () => ""],
  ])("%s", async (_, address) => {
    const text = await reading({ kind: "http", url: address(base()) });
    const before = asked;
    const loading = cw.loadPlan(text, { stores: [`${base()}/open`] });
    await expect(loading).rejects.toBeInstanceOf(cw.PlanError);
    await expect(loading).rejects.toThrow(/wants to read/);
    expect(asked).toBe(before);
  });

  test("what is below is asked for", async () => {
    for (const stores of [
      [`${base()}/open`],
      [`${base()}/open/`],
      [base()],
      [new URL(`${base()}/open/x.zarr`)],
    ]) {
      const before = asked;
      const text = await reading({ kind: "http", url: `${base()}/open/x.zarr` });
      await expect(cw.loadPlan(text, { stores })).rejects.toThrow(/no Zarr array/);
      expect(asked).toBeGreaterThan(before);
    }
  });
});
