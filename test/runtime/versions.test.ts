// A run that was stopped goes on only with what the same computation made of the same sources: chunks behind HTTP by what
// the server says of each, functions by their module and all that it imports. What cannot be known is computed again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/runtime/events.ts";
import { importsIn, moduleState } from "../../src/runtime/runKey.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-versions-"));
let folder: string;
let validator: "etag" | "time" | "nothing" | "no head";
let server: Server;
let heads = 0;

function serve(request: IncomingMessage, response: ServerResponse): void {
  const path = join(folder, decodeURIComponent(request.url!));
  const stat = statSync(path, { throwIfNoEntry: false });
  if (request.method === "HEAD") heads++;
  if (request.method === "HEAD" && validator === "no head") return void response.writeHead(405).end();
  if (stat?.isFile() !== true) return void response.writeHead(404).end();
  const bytes = readFileSync(path);
  if (validator === "etag") response.setHeader("ETag", `"${stat.mtimeMs}"`);
  if (validator === "time") response.setHeader("Last-Modified", stat.mtime.toUTCString());
  response.setHeader("Content-Length", bytes.length);
  response.end(request.method === "HEAD" ? undefined : bytes);
}

beforeAll(async () => {
  server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  folder = mkdtempSync(join(root, "run-"));
  heads = 0;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const CHUNKS = 12;
const source = (): string => join(folder, "x.zarr");
const address = (): string => `http://127.0.0.1:${(server.address() as { port: number }).port}/x.zarr`;

/** Chunks that were changed long enough ago for a server that counts seconds. */
async function makeSource(): Promise<void> {
  await cw
    .arange(0, 10 * CHUNKS, 1, { dtype: "float64", chunks: 10 })
    .toZarr(source(), { codecs: [], executor: "inline" });
  for (let i = 0; i < CHUNKS; i++) utimesSync(join(source(), "c", String(i)), 1e9, 1e9);
  utimesSync(join(source(), "zarr.json"), 1e9, 1e9);
}

/** Other elements, and the same length. */
function changeChunk(at: number): void {
  const file = join(source(), "c", String(at));
  const bytes = readFileSync(file);
  bytes.reverse();
  writeFileSync(file, bytes);
  utimesSync(file, 1.1e9, 1.1e9);
}

interface Ran {
  readonly found: number;
  readonly error: unknown;
}

/** Stopped after so many tasks. */
async function run(x: cw.LazyArray, stopAfter: number, options: cw.ToZarrOptions = {}): Promise<Ran> {
  const stop = new AbortController();
  let [found, done] = [0, 0];
  const onEvent = (event: RunEvent): void => {
    if (event.type === "computeStart") found = event.tasksDone;
    if (event.type === "taskEnd" && ++done >= stopAfter) stop.abort(new Error("enough"));
  };
  try {
    const target = join(folder, "out.zarr");
    await x.toZarr(target, { executor: "inline", signal: stop.signal, onEvent, ...options });
    return { found, error: null };
  } catch (error) {
    return { found, error };
  }
}

const doubled = async (): Promise<cw.LazyArray> => (await cw.fromZarr(address())).multiply(2);
const stored = async (): Promise<unknown> =>
  (await (await cw.fromZarr(join(folder, "out.zarr"))).compute({ executor: "inline" })).toList();
const right = async (): Promise<unknown> =>
  (await (await doubled()).compute({ executor: "inline" })).toList();

const THERE = /out\.zarr.*there is something already|there is something already/;

describe.each(["etag", "time"] as const)("a server that tells versions by %s", (how) => {
  beforeEach(async () => {
    validator = how;
    await makeSource();
  });

  test("the same source: what is there is used", async () => {
    expect(await run(await doubled(), 5)).toMatchObject({ found: 0, error: { message: "enough" } });
    const again = await run(await doubled(), 99);
    expect(again.error).toBeNull();
    expect(again.found).toBeGreaterThanOrEqual(5);
    expect(await stored()).toEqual(await right());
  });

  test.each([0, CHUNKS - 1])("chunk %s was changed: nothing is mixed", async (at) => {
    await run(await doubled(), 5);
    changeChunk(at);
    const again = await run(await doubled(), 99);
    expect((again.error as Error).message).toMatch(THERE);
    expect(again.error).toBeInstanceOf(cw.MetadataError);
    expect(await run(await doubled(), 99, { overwrite: true })).toEqual({ found: 0, error: null });
    expect(await stored()).toEqual(await right());
  });

  test("only what is read is asked for", async () => {
    const part = async (): Promise<cw.LazyArray> => (await doubled()).get("20:60");
    await run(await part(), 2);
    expect(heads).toBe(3 + 4);
    changeChunk(CHUNKS - 1);
    expect((await run(await part(), 99)).error).toBeNull();
  });
});

describe.each(["nothing", "no head"] as const)("a server that tells %s", (how) => {
  test("nothing is resumed", async () => {
    validator = how;
    await makeSource();
    await run(await doubled(), 5);
    expect((await run(await doubled(), 99)).error).toBeInstanceOf(cw.MetadataError);
    expect(await run(await doubled(), 99, { overwrite: true })).toEqual({ found: 0, error: null });
    expect(await stored()).toEqual(await right());
  });
});

test("a time that is told to the second says nothing of what was changed just now", async () => {
  validator = "time";
  await makeSource();
  utimesSync(join(source(), "c", "3"), Date.now() / 1000, Date.now() / 1000);
  await run(await doubled(), 5);
  expect((await run(await doubled(), 99)).error).toBeInstanceOf(cw.MetadataError);
});

test("a store of one's own that knows no versions, and one that does", async () => {
  const objects = new Map<string, Uint8Array>();
  const plain: cw.Store = {
    get: (key) => objects.get(key),
    set: (key, value) => objects.set(key, value.slice()),
  };
  await cw.arange(0, 120, 1, { dtype: "float64", chunks: 10 }).toZarr(plain, { executor: "inline" });
  await run((await cw.fromZarr(plain)).multiply(2), 5);
  expect((await run((await cw.fromZarr(plain)).multiply(2), 99)).error).toBeInstanceOf(cw.MetadataError);
  const memory = new cw.MemoryStore();
  const x = await cw
    .arange(0, 120, 1, { dtype: "float64", chunks: 10 })
    .toZarr(memory, { executor: "inline" });
  const target = new cw.MemoryStore();
  const told: number[] = [];
  const onEvent = (event: RunEvent): void =>
    void (event.type === "computeStart" && told.push(event.tasksDone));
  const twice = x.multiply(2);
  await twice.toZarr(target, { executor: "inline", onEvent });
  await twice.toZarr(target, { executor: "inline", onEvent });
  expect(told).toEqual([0, 12]);
  await memory.set("/c/0", (await memory.get("/c/1"))!);
  await expect(twice.toZarr(target, { executor: "inline" })).rejects.toThrow(THERE);
});

describe("functions of modules", () => {
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const called = (): cw.LazyArray =>
    cw.mapBlocks(
      cw.moduleFunction(pathToFileURL(join(folder, "blocks.js")), "twice"),
      cw.arange(0, 120, 1, { dtype: "float64", chunks: 10 }),
    );

  beforeEach(() => {
    write(
      "blocks.js",
      'import { factor } from "./lib/a.js";\nexport const twice = (x) => x.data.map((v) => v * factor);',
    );
    write("lib/a.js", 'export { factor } from "./b.js";');
    write("lib/b.js", "export const factor = 2;");
  });

  test("the same: what is there is used", async () => {
    await run(called(), 5);
    const again = await run(called(), 99);
    expect([again.error, again.found >= 5]).toEqual([null, true]);
  });

  test.each(["blocks.js", "lib/a.js", "lib/b.js"])(
    "%s was changed, in a comment of the same length",
    async (name) => {
      write(name, `${readFileSync(join(folder, name), "utf8")}\n// 1`);
      await run(called(), 5);
      const { atime, mtime } = statSync(join(folder, name));
      write(name, readFileSync(join(folder, name), "utf8").replace("// 1", "// 2"));
      utimesSync(join(folder, name), atime, mtime);
      const again = await run(called(), 99);
      expect(again.error).toBeInstanceOf(cw.MetadataError);
      expect((again.error as Error).message).toMatch(THERE);
    },
  );

  test("a package is what its name and version say", () => {
    write("node_modules/pkg/package.json", '{"name": "pkg", "version": "1.0.0"}');
    write("lib/b.js", 'import "pkg/sub";\nexport const factor = 2;');
    const module = pathToFileURL(join(folder, "blocks.js")).href;
    const before = moduleState(module);
    expect(before).toContain("pkg 1.0.0");
    write("node_modules/pkg/package.json", '{"name": "pkg", "version": "1.0.1"}');
    expect(moduleState(module)).not.toBe(before);
  });

  test.each([
    ["a module that is not there", 'import "./nowhere.js";'],
    ["a package that is not there", 'import "no-such-package-anywhere";'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of code.
    ["an address that is computed", "const m = await import(`./${name}.js`);"],
    ["require of a variable", "const m = require(name);"],
    ["an address of the network", 'import "https://example.org/a.js";'],
    ["a name of the package's own", 'import "#inner";'],
    [
      "another way to import",
      'import { createRequire } from "node:module";\nconst r = createRequire(import.meta.url);',
    ],
  ])("what cannot be followed is not resumed: %s", (_, text) => {
    write("lib/b.js", `${text}\nexport const factor = 2;`);
    expect(moduleState(pathToFileURL(join(folder, "blocks.js")).href)).toBeNull();
  });

  test("a run that cannot be gone on with leaves nothing behind for long", async () => {
    const workDir = join(folder, "work");
    mkdirSync(join(workDir, "chunkwise-once-0"), { recursive: true });
    const lock = join(workDir, "chunkwise-once-0", "lock");
    const { processName } = await import("../../src/storage/strays.ts");
    writeFileSync(lock, processName().replace(/-\d+-/, "-999999999-"));
    const y = cw.mapBlocks((x) => x.data.slice(), cw.ones(20, { chunks: 10 }).cumulativeSum());
    await y.compute({ spec: new cw.Spec({ workDir }), executor: "inline" });
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(workDir)).toEqual([]);
  });
});

test.each<[string, string[] | null]>([
  ['import a from "./a.js"', ["./a.js"]],
  ['import a, { b as c } from "./a.js"', ["./a.js"]],
  ["import * as a from './a.js'", ["./a.js"]],
  ['import {\n  a,\n  b,\n} from "./a.js";', ["./a.js"]],
  ['import{a}from"./a.js"', ["./a.js"]],
  ['import "./a.js"', ["./a.js"]],
  ['export * from "./a.js"', ["./a.js"]],
  ['export * as a from "./a.js"', ["./a.js"]],
  ['export { a } from "./a.js"', ["./a.js"]],
  ['import a from "./a.json" with { type: "json" }', ["./a.json"]],
  ['const a = await import("./a.js")', ["./a.js"]],
  ['const a = require("./a.js")', ["./a.js"]],
  ['export default 1;\nimport a from "./a.js"', ["./a.js"]],
  ["export const a = 1; export { b };", []],
  ["const here = import.meta.url;", []],
  ["// what threads can import\nexport const a = 1;", []],
  ["/** import\n * this */\nexport const a = 1;", []],
  ["const a = 1; // import this", null],
  ["const a = import(name)", null],
  ['const a = "/*"; import(x); const b = "*/";', null],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of code.
  ["`\n// ${await import(x)}`", null],
  ["const r = require;", null],
  ['export { "a-b" as c } from "./a.js"', null],
])("%j imports %j", (text, found) => expect(importsIn(text)).toEqual(found));
