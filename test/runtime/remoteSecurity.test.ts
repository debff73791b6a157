// An attacker who can write any message, and any text below plans/: a worker runs no code outside its roots, opens no other store,
// and takes no memory beyond its own.

import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as cw from "chunkwise";
import { handler, lambdaHandler } from "chunkwise/functions";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchWorker } from "../../src/array/batchWorker.ts";
import { BatchRefusedError } from "../../src/runtime/pools/remote/batchChecks.ts";
import type { BatchRunner } from "../../src/runtime/pools/remote/batchRunner.ts";
import type { Batch, Carrier } from "../../src/runtime/pools/remote/carrier.ts";
import { remoteExecutor } from "../../src/runtime/pools/remote/remotePool.ts";
import { hashOf } from "../../src/runtime/pools/remote/runText.ts";
import { moduleVersion } from "../../src/runtime/runKey.ts";
import { newFolder, removeFolder } from "./remoteParts.ts";

const base = newFolder("hostile");
const [work, stores, code, outside] = ["work", "stores", "code", "outside"].map((name) => join(base, name));
const TOKEN = "0123456789abcdef-token";

let worker: BatchRunner;
/** A batch that is one, and the text of its plan. */
let batch: Batch;
let text: { [name: string]: unknown };

beforeAll(async () => {
  for (const folder of [work, stores, code, outside]) mkdirSync(folder!, { recursive: true });
  const trap = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(base, "ran"))}, "");\n`;
  writeFileSync(
    join(outside!, "evil.mjs"),
    `${trap}export const double = (x) => x.data;\nexport default () => ({});\n`,
  );
  worker = await batchWorker({
    ...{ store: work!, threads: 0, stores: [stores!], modules: [code!], allowedMem: "400MB" },
  });
  ({ batch, text } = await seenBatch());
});
afterAll(async () => {
  await worker.close();
  removeFolder(base);
});

/** What a run sends: it is kept from cleaning up, so that its text can be spoiled. */
async function seenBatch(): Promise<{ batch: Batch; text: typeof text }> {
  const source = await cw
    .arange(40, { chunks: 10 })
    .astype("float64")
    .toZarr(join(stores!, "x.zarr"), { executor: "inline" });
  const x = source.multiply(3).cumulativeSum();
  const seen: { batch: Batch; text: typeof text }[] = [];
  const carrier: Carrier = {
    ...{ name: "seen", capacity: 1, close: async () => {} },
    async carry(given, signal) {
      const store = new cw.FileStore(work!);
      if (seen.length === 0) {
        const bytes = (await store.get(`/plans/${given.plan}`))!;
        seen.push({ batch: given, text: JSON.parse(new TextDecoder().decode(bytes)) as typeof text });
      }
      return worker.run(given, signal as AbortSignal);
    },
  };
  await x.compute({ executor: remoteExecutor(() => carrier, { name: "seen" }), workDir: work! });
  return seen[0]!;
}

/** Puts a text where plans are, and a batch that names it. */
async function planted(changes: (plan: typeof text) => unknown): Promise<Batch> {
  const bytes = new TextEncoder().encode(JSON.stringify(changes(structuredClone(text))));
  const hash = hashOf(bytes);
  await new cw.FileStore(work!).set(`/plans/${hash}`, bytes);
  return { ...batch, plan: hash };
}

const refusal = async (given: unknown): Promise<BatchRefusedError> => {
  const error = await worker.run(given as Batch).then(
    () => null,
    (caught: unknown) => caught,
  );
  // Not by the error itself: it would be printed with all that it holds.
  expect(error instanceof BatchRefusedError ? "refused" : String(error)).toBe("refused");
  return error as BatchRefusedError;
};

describe("batches", () => {
  test.each<[string, object, RegExp]>([
    ["another version", { v: 2 }, /version 2, and this worker takes 1/],
    ["a path as its plan", { plan: "../../etc/passwd" }, /its plan is/],
    ["a hash in capitals", { plan: "A".repeat(64) }, /its plan is/],
    ["a plan that is not there", { plan: "0".repeat(64) }, /not in the shared store.*workDir/],
    ["an operation that is none", { op: -1 }, /its operation is/],
    ["an operation beyond the plan", { op: 999 }, /there is no operation 999/],
    ["tasks beyond the grid", { tasks: [[0, 4000]] }, /there is no task 3999/],
    ["more tasks than memory holds", { tasks: [[0, Number.MAX_SAFE_INTEGER - 1]] }, /4096 are the most/],
    [
      "ranges that overlap",
      {
        tasks: [
          [0, 2],
          [1, 3],
        ],
      },
      /not a range of tasks after task 2/,
    ],
    ["no tasks", { tasks: [] }, /1 to 24 ranges/],
    [
      "a thousand ranges",
      { tasks: Array.from({ length: 1000 }, (_, i) => [2 * i, 2 * i + 1]) },
      /1 to 24 ranges/,
    ],
    ["a run with a path", { run: "../x" }, /its run is/],
    ["a field that is none", { code: "process.exit()" }, /a field "code"/],
    ["an attempt that is none", { attempt: 1.5 }, /its attempt is/],
  ])("%s", async (_, changes, message) => {
    const given = "op" in changes || "tasks" in changes ? await planted((plan) => withFolder(plan)) : batch;
    expect((await refusal({ ...given, ...changes })).message).toMatch(message);
  });

  test("anything at all gives a typed refusal", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), fc.record({ ...recordOf(batch) })), async (given) => {
        await refusal(given);
      }),
      { numRuns: 300 },
    );
  });
});

/** Arbitrary values for the fields of a batch, a right one now and then. */
const recordOf = (given: Batch): { [name: string]: fc.Arbitrary<unknown> } =>
  Object.fromEntries(
    Object.entries({ ...given, plan: "0".repeat(64) }).map(([name, value]) => [
      name,
      fc.oneof(fc.constant(value as unknown), fc.anything()),
    ]),
  );

const writtenFile = (path: string): string => {
  writeFileSync(path, "");
  return path;
};

/** A folder that is there, so that the run does not count as over. */
function withFolder(plan: typeof text): typeof text {
  const folder = String(plan["folder"]);
  mkdirSync(join(work!, folder), { recursive: true });
  writeFileSync(join(work!, folder, "written"), "test");
  return plan;
}

const evil = pathToFileURL(join(base, "outside", "evil.mjs")).href;
type Place = { array: string; format: string; store: object; path: string; sent?: unknown };
const sourceOf = (plan: typeof text): Place => (plan["sources"] as Place[])[0]!;

/** The same text, with something else of its source. */
const withSource =
  (changes: Partial<Place>) =>
  (plan: typeof text): unknown => {
    Object.assign(sourceOf(plan), changes);
    return plan;
  };

describe("plans", () => {
  test.each<[string, (plan: typeof text) => unknown, RegExp]>([
    ["no JSON that is a plan", () => [1, 2, 3], /is not "chunkwise run"/],
    ["another version", (plan) => ({ ...plan, version: 99 }), /version 99/],
    ["a source outside the roots", withSource({ store: { kind: "file", root: "/etc" } }), /read \/etc/],
    [
      "a source beside a root by its dots",
      withSource({ store: { kind: "file", root: join(base, "stores/../outside") } }),
      /outside/,
    ],
    ["a path that leaves its store", withSource({ path: "/../../outside" }), /part \.\./],
    [
      "a server that nobody named",
      withSource({ store: { kind: "http", url: "http://169.254.169.254/latest" } }),
      /169\.254/,
    ],
    [
      "a bucket that nobody named",
      withSource({ store: { kind: "s3", url: "s3://other/data" } }),
      /not the location|s3:/,
    ],
    [
      "a store made by a module",
      withSource({
        store: { kind: "module", module: evil, name: "double", argument: null },
      }),
      /run file:|evil/,
    ],
    ["a codec of a module", (plan) => ({ ...plan, codecs: [{ name: "evil", module: evil }] }), /evil/],
    [
      "a format of a module",
      (plan) => ({ ...plan, formats: [{ name: "evil", suffixes: [], module: evil }] }),
      /evil/,
    ],
    [
      "a codec that is code",
      (plan) => ({ ...plan, codecs: [{ name: "x", module: "data:text/javascript,0" }] }),
      /none of codecs/,
    ],
    ["a folder above", (plan) => ({ ...plan, folder: "/.." }), /not the folder of a run/],
    ["a folder of something else", (plan) => ({ ...plan, folder: "/plans" }), /not the folder of a run/],
    [
      "an array with a path as its name",
      (plan) => ({ ...plan, stored: [...(plan["stored"] as string[]), "../../x"] }),
      /part \.\.|no array/,
    ],
    [
      "an array in two places",
      (plan) => ({ ...plan, stored: [...(plan["stored"] as string[]), sourceOf(plan).array] }),
      /two places/,
    ],
    ["an array in no place", (plan) => ({ ...plan, sources: [] }), /in no place/],
    [
      "partitions of any file",
      (plan) => ({
        ...plan,
        partitioned: [
          { array: "z", location: { source: { format: "parquet", files: ["/etc/passwd"] }, need: [] } },
        ],
      }),
      /no array|passwd/,
    ],
    ["a format that is none", withSource({ format: "shell" }), /no format "shell"/],
  ])("%s", async (_, changes, message) => {
    expect((await refusal(await planted((plan) => changes(withFolder(plan))))).message).toMatch(message);
    expect(existsSync(join(base, "ran"))).toBe(false);
  });

  test("a function of a module outside the roots is not imported", async () => {
    const given = await planted((plan) => {
      const json = JSON.stringify(withFolder(plan));
      const spoiled = JSON.parse(json) as { plan: { operations: { steps: { attrs?: object }[] }[] } };
      const step = spoiled.plan.operations
        .flatMap(({ steps }) => steps)
        .find(({ attrs }) => attrs !== undefined)!;
      step.attrs = { ...step.attrs, function: { $reference: { module: evil, name: "double" } } };
      return spoiled;
    });
    expect((await refusal(given)).message).toMatch(/evil|makes no sense/);
    expect(existsSync(join(base, "ran"))).toBe(false);
  });

  test("a module of another version than the run's, and one that changed since it was imported", async () => {
    const file = join(code!, "blocks.mjs");
    const part = join(code!, "part.mjs");
    const module = pathToFileURL(file).href;
    writeFileSync(
      file,
      'import { by } from "./part.mjs";\nexport const times = (x) => x.data.map((y) => y * by);\n',
    );
    writeFileSync(part, "export const by = 2;\n");
    const version = moduleVersion(module);
    const given = (at: string | null) =>
      planted((plan) => ({ ...withFolder(plan), modules: [{ module, version: at }] }));
    expect(await worker.run(await given(version))).toHaveProperty("worker");
    expect((await refusal(await given("0".repeat(64)))).message).toMatch(
      /blocks\.mjs, or what it imports, is another version on this worker/,
    );
    expect((await refusal(await given(null))).message).toMatch(/no version of a module/);
    writeFileSync(part, "export const by = 3;\n");
    const changed = moduleVersion(module);
    expect(changed).not.toBe(version);
    expect((await refusal(await given(changed))).message).toMatch(
      /was changed since this worker imported it. Start the worker again/,
    );
    const elsewhere = await planted((plan) => ({
      ...withFolder(plan),
      modules: [{ module: evil, version: "0" }],
    }));
    expect((await refusal(elsewhere)).message).toMatch(/evil/);
  });

  test("names that objects have from the start are no names of arrays, and change no other object", async () => {
    const spoiled = JSON.stringify(withFolder(structuredClone(text)));
    const names = JSON.stringify((text["stored"] as string[])[0] ?? "a1");
    for (const name of ["__proto__", "constructor", "toString"]) {
      const bytes = new TextEncoder().encode(
        `{"__proto__":{"polluted":1},${spoiled.slice(1).replaceAll(names, JSON.stringify(name))}`,
      );
      const hash = hashOf(bytes);
      await new cw.FileStore(work!).set(`/plans/${hash}`, bytes);
      await worker.run({ ...batch, plan: hash }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(BatchRefusedError);
      });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }
    const inBatch = JSON.parse(`{"__proto__":{"v":1},${JSON.stringify(batch).slice(1)}`) as unknown;
    expect((await refusal(inBatch)).message).toMatch(/a field "__proto__"/);
  });

  test("a text of a hundred thousand brackets in each other, and one that is too long to be read", async () => {
    const store = new cw.FileStore(work!);
    const deep = new TextEncoder().encode(
      `{"format":"chunkwise run","version":1,"plan":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
    );
    await store.set(`/plans/${hashOf(deep)}`, deep);
    expect((await refusal({ ...batch, plan: hashOf(deep) })).message.length).toBeLessThan(2000);
    const hash = "2".repeat(64);
    truncateSync(writtenFile(join(work!, "plans", hash)), 3e9);
    const before = process.memoryUsage().rss;
    await expect(worker.run({ ...batch, plan: hash })).rejects.toThrow(/bytes/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  test("a store below the roots that leads out of them by a link", async () => {
    writeFileSync(join(outside!, "secret"), "secret");
    symlinkSync(outside!, join(stores!, "link"));
    const store = { kind: "file", root: join(stores!, "link") };
    const given = await planted((plan) => withSource({ store })(withFolder(plan)));
    expect((await refusal(given)).message).toMatch(/outside/);
  });

  test("a text that is not what its name says", async () => {
    const hash = "1".repeat(64);
    await new cw.FileStore(work!).set(`/plans/${hash}`, new TextEncoder().encode(JSON.stringify(text)));
    expect((await refusal({ ...batch, plan: hash })).message).toMatch(/not what its name says/);
  });

  test("tasks that need more memory than the worker has, with the numbers", async () => {
    const given = await planted((plan) => {
      withFolder(plan);
      const scaled = JSON.stringify(plan)
        .replaceAll("[40]", "[400000000]")
        .replaceAll('"chunks":[10]', '"chunks":[100000000]')
        .replaceAll('"unit":[10]', '"unit":[100000000]')
        .replaceAll('"grid":[4]', '"grid":[4]');
      return JSON.parse(scaled) as unknown;
    });
    const before = process.memoryUsage().rss;
    expect((await refusal({ ...given, tasks: [[0, 1]] })).message).toMatch(
      /need .*GB? each, and this worker has|makes no sense|is not that of/,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
  });

  test("a spoiled text is refused, or its tasks fail: it never runs what is outside", {
    timeout: 60_000,
  }, async () => {
    const whole = JSON.stringify(withFolder(text));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.constantFrom(...'0123456789{}[],:"ax.'),
        async (at, letter) => {
          const spoiled = `${whole.slice(0, at)}${letter}${whole.slice(at + 1)}`;
          const bytes = new TextEncoder().encode(spoiled);
          const hash = hashOf(bytes);
          await new cw.FileStore(work!).set(`/plans/${hash}`, bytes);
          const report = await worker.run({ ...batch, plan: hash }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(BatchRefusedError);
            return null;
          });
          if (report !== null) expect(report.done.length + report.failed.length).toBeGreaterThan(0);
          expect(existsSync(join(base, "ran"))).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("a handler", () => {
  const ask = (body: string, headers: { [name: string]: string } = {}, method = "POST"): Request =>
    new Request("https://f.invalid/", { method, headers, ...(method === "POST" ? { body } : {}) });
  const bearer = { authorization: `Bearer ${TOKEN}` };

  test("answers nobody without its token, and nothing that is too long", async () => {
    const handle = handler({ store: work!, threads: 0, token: TOKEN });
    expect((await handle(ask("{}"))).status).toBe(401);
    expect((await handle(ask("{}", { authorization: "Bearer wrong" }))).status).toBe(401);
    expect((await handle(ask("", bearer, "GET"))).status).toBe(405);
    expect((await handle(ask("x".repeat(20_000), bearer))).status).toBe(413);
    const answer = await handle(ask("not json", bearer));
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("not JSON")]);
    const refused = await handle(ask(JSON.stringify({ v: 1 }), { "x-chunkwise-token": TOKEN }));
    expect([refused.status, await refused.text()]).toEqual([422, expect.not.stringContaining(TOKEN)]);
  });

  test("wants a token, or is told that none is needed", () => {
    expect(() => handler({ store: work!, token: "short" })).toThrow(/5 characters.*16 or more/);
    expect(() => handler({ store: work! } as never)).toThrow(/token is undefined/);
    expect(handler({ store: work!, token: null })).toBeTypeOf("function");
  });

  test("takes events of Lambda", async () => {
    const handle = lambdaHandler({ store: work!, threads: 0, token: TOKEN });
    const event = { requestContext: { http: { method: "POST" } }, headers: bearer };
    const plain = await handle({ ...event, body: JSON.stringify({ ...batch, v: 7 }) });
    expect([plain.statusCode, JSON.parse(plain.body).error.name]).toEqual([422, "BatchRefusedError"]);
    const encoded = await handle({ ...event, body: btoa("{}"), isBase64Encoded: true });
    expect(encoded.statusCode).toBe(422);
    expect((await handle({ ...event, headers: {} })).statusCode).toBe(401);
    const broken = [{ body: "no base64!", isBase64Encoded: true }, { headers: { "no header": "x" } }];
    for (const one of broken) expect((await handle({ ...event, ...one })).statusCode).toBe(400);
  });
});

test("closures, and stores that nobody else can open, are refused before anything runs", async () => {
  const never: Carrier = {
    ...{ name: "never", capacity: 1, close: async () => {} },
    carry: async () => {
      throw new Error("a batch was sent");
    },
  };
  const run = { executor: remoteExecutor(() => never, { name: "never" }), workDir: work! };
  const x = cw.arange(10, { chunks: 5 });
  await expect(cw.mapBlocks((block) => block.data, x).compute(run)).rejects.toThrow(
    /closure.*moduleFunction/,
  );
  const inMemory = await x.toZarr(new cw.MemoryStore(), { executor: "inline" });
  await expect(inMemory.add(1).compute(run)).rejects.toThrow(/other processes cannot open/);
  await expect(x.add(1).toZarr(new cw.MemoryStore(), run)).rejects.toThrow(/other processes cannot open/);
  await expect(x.add(1).compute({ executor: run.executor })).rejects.toThrow(/Give workDir/);
});
