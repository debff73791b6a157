// Who may come in, and how: what a Redis must be, what is said when it is not, TLS and access lists, and a worker's command line,
// health and metrics. No message has a password in it.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as cw from "chunkwise";
import { type BullmqOptions, bullmq, QueueError } from "chunkwise/bullmq";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WORKER_OPTIONS, workerSettings } from "../../src/cli/workerOptions.ts";
import { fairShare } from "../../src/runtime/pools/queue/presence.ts";
import { addressText, redisAddress } from "../../src/runtime/pools/queue/redisAddress.ts";
import { ensureBuilt } from "../built.ts";
import { ownPorts } from "../ports.mjs";
import { hasRedis, needsRedis, RedisServer } from "./redisServer.ts";
import { CLI, WorkerProcess } from "./workerProcess.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(ensureBuilt, 120_000);

const run = (options: BullmqOptions): Promise<number> =>
  cw
    .arange(20, { chunks: 5 })
    .add(1)
    .sum()
    .compute({ executor: bullmq(options), workDir: folder })
    .then((result) => Number(result.item()));

const failure = (options: BullmqOptions): Promise<string> =>
  run(options).then(
    () => "nothing failed",
    (error: unknown) => `${(error as Error).name} ${(error as Error).message} ${JSON.stringify(error)}`,
  );

describe("addresses", () => {
  test("are texts or parts", () => {
    const parts = { host: "10.0.0.5", port: 6380, username: "me", password: "p@ss", db: 2, tls: true };
    expect(redisAddress("rediss://me:p%40ss@10.0.0.5:6380/2")).toEqual(parts);
    expect(redisAddress("redis://[::1]")).toEqual({ host: "::1" });
    expect(addressText(parts)).toBe("rediss://10.0.0.5:6380/2");
    expect(addressText(redisAddress("redis://:secret@h"))).toBe("redis://h:6379");
  });

  test.each([
    ["another scheme", "http://:secret@host"],
    ["no address", "secret"],
    ["a % that begins no character", "redis://:secret%zz@host"],
    ["a query", "redis://:secret@host/0?password=secret"],
    ["a port that is none", { port: 70_000, password: "secret" }],
    ["a field that is none", { hots: "x", password: "secret" }],
    ["a password of two lines", { password: "secret\r\nFLUSHALL" }],
    ["a TLS option that is none", { tls: { rejectUnauthorized: false }, password: "secret" }],
    ["null", null],
  ])("%s is refused at once, without the secret", (_, connection) => {
    const made = (): unknown => bullmq({ connection } as BullmqOptions);
    expect(made).toThrow(/connection: .*Give an address/);
    expect(made).not.toThrow(/secret/);
  });

  test.each([
    [{ connection: "redis://h", quue: "x" }, /there is no option "quue". Did you mean queue\?/],
    [{ connection: "redis://h", queue: "a:b" }, /"a:b" is no name of a queue/],
    [{ connection: "redis://h", redisWithinMs: -1 }, /redisWithinMs is -1/],
    [undefined, /the options are undefined/],
  ])("options that are wrong: %j", (options, message) => {
    expect(() => bullmq(options as BullmqOptions)).toThrow(message);
  });
});

test("runs share what workers do, and one has what others leave", () => {
  const there = { workers: 4, slots: 8 };
  expect(fairShare({ ...there, runs: 1, others: 0 })).toBe(20);
  expect(fairShare({ ...there, runs: 2, others: 20 })).toBe(10);
  expect(fairShare({ ...there, runs: 2, others: 3 })).toBe(17);
  expect(fairShare({ ...there, runs: 100, others: 500 })).toBe(1);
  expect(fairShare({ workers: 0, slots: 0, runs: 1, others: 0 })).toBe(4);
});

test("without a Redis a run ends early, with the cure", async () => {
  const [port] = await ownPorts(1);
  const said = await failure({ connection: { port, password: "secret" } });
  expect(said).toMatch(
    /^QueueError redis:\/\/127\.0\.0\.1:\d+: Redis cannot be used: .*ECONNREFUSED.*Check that it runs/,
  );
  expect(said).not.toContain("secret");
});

test("what is published has neither bullmq nor ioredis in it", () => {
  const dist = join(CLI, "..");
  const files = readdirSync(dist).filter((file) => file.endsWith(".js"));
  expect(files).toEqual(expect.arrayContaining(["bullmq.js", "cli.js", "index.js"]));
  const having = files.filter((file) =>
    /bzpopmin|moveToActive|from "(bullmq|ioredis)"/i.test(readFileSync(join(dist, file), "utf8")),
  );
  expect(having).toEqual([]);
});

describe("the command line", () => {
  const needed = ["--redis", "redis://h:1", "--store", "/work"];
  test.each([
    [["--redi", "x"], /there is no option --redi\. Did you mean --redis\?/],
    [["--redis"], /--redis has no value\. Write --redis <address>/],
    [[...needed, "--queue", "a", "--queue", "b"], /--queue is there twice/],
    [[...needed, "--threads", "many"], /--threads is "many"\. It is a whole number from 1 to 1024/],
    [[...needed, "--allowed-mem", "much"], /--allowed-mem is "much"\. It is a size, as 2GB/],
    [[...needed, "--name", "a b"], /--name is "a b"/],
    [[...needed, "--redis-ca", "/nowhere.pem"], /cannot be read \(ENOENT\)/],
    [["worker"], /Options begin with two dashes/],
    [["--redis", "redis://h"], /--store is missing/],
    [["--store", "/work"], /--redis is missing/],
  ])("%j is not understood", (words, message) => {
    expect(() => workerSettings(words, {})).toThrow(message);
  });

  test("takes words first, then the environment; secrets from there alone", () => {
    const environment = {
      ...{ CHUNKWISE_REDIS_PASSWORD: "secret", CHUNKWISE_QUEUE: "env", CHUNKWISE_ALLOW_STORES: "/a,/b" },
      ...{ CHUNKWISE_ALLOWED_MEM: "2GB", CHUNKWISE_REDIS_USERNAME: "worker" },
    };
    const settings = workerSettings(
      [...needed, "--queue=word", "--allow-modules=/m", "--allow-modules", "/n"],
      environment,
    );
    expect(settings).toMatchObject({
      address: { host: "h", port: 1, username: "worker", password: "secret" },
      ...{
        names: { queue: "word", prefix: "bull" },
        stores: ["/a", "/b"],
        modules: ["/m", "/n"],
        allowedMem: 2e9,
      },
    });
  });

  test("says what there is", () => {
    const { stdout, status } = spawnSync(process.execPath, [CLI, "worker", "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    for (const { name } of WORKER_OPTIONS) expect(stdout).toContain(`--${name}`);
    const wrong = spawnSync(process.execPath, [CLI, "wroker"], { encoding: "utf8" });
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      `chunkwise: there is no command "wroker". Did you mean worker?\n`,
    ]);
  });
});

/** Both end with their test, however that ends. */
async function redisServer(settings: readonly string[] = []): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  onTestFinished(() => server.stop());
  return server;
}
async function workerProcess(...given: Parameters<typeof WorkerProcess.run>): Promise<WorkerProcess> {
  const worker = await WorkerProcess.run(...given);
  onTestFinished(() => worker.endNow());
  return worker;
}

describe.skipIf(!hasRedis)(`a real Redis${needsRedis}`, () => {
  test.each([
    [
      "without an append-only file",
      ["--appendonly", "no"],
      /keeps no append-only file.*config set appendonly yes/,
    ],
    ["that evicts", ["--maxmemory-policy", "allkeys-lru"], /evicts keys.*allkeys-lru.*noeviction/],
    [
      "that evicts and forbids CONFIG",
      ["--maxmemory-policy", "volatile-ttl", "--rename-command", "CONFIG", ""],
      /evicts keys.*volatile-ttl/,
    ],
  ])("%s is refused, by runs and by workers", async (_, settings, message) => {
    const server = await redisServer(settings);
    try {
      const said = await failure({ connection: server.address });
      expect(said).toMatch(message);
      expect(said).not.toContain(server.password);
      const words = ["worker", "--redis", `redis://127.0.0.1:${server.port}`, "--store", folder];
      const worker = WorkerProcess.run("x", words, { CHUNKWISE_REDIS_PASSWORD: server.password });
      await expect(worker).rejects.toThrow(message);
    } finally {
      await server.stop();
    }
  });

  test("does not let in who has the wrong password", async () => {
    const server = await redisServer();
    const said = await failure({ connection: { ...server.address, password: "wrong-secret" } });
    expect(said).toMatch(/WRONGPASS.*Check the user, the password/);
    expect(said).not.toContain("wrong-secret");
    expect(new QueueError({ what: "x" })).toBeInstanceOf(cw.ChunkwiseError);
    await server.stop();
  });

  test("with TLS and an access list: a user who may use one queue, and nothing else", async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...subject], {
      stdio: "ignore",
    });
    const [port] = await ownPorts(1);
    const tls = ["--tls-port", String(port), "--tls-cert-file", cert, "--tls-key-file", key];
    const server = await redisServer([...tls, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"]);
    const admin = server.client();
    // As docs/clusters.md has it.
    const page = readFileSync(fileURLToPath(new URL("../../docs/clusters.md", import.meta.url)), "utf8");
    const rules = /ACL SETUSER chunkwise (.+)/.exec(page)![1]!.replace("<password>", "its-own").split(" ");
    await admin.call("ACL", "SETUSER", "chunkwise", ...rules);
    const words = ["worker", "--redis", `rediss://127.0.0.1:${port}`, "--redis-ca", cert, "--store", folder];
    const secrets = { CHUNKWISE_REDIS_USERNAME: "chunkwise", CHUNKWISE_REDIS_PASSWORD: "its-own" };
    const worker = await workerProcess("tls", [...words, "--threads", "1"], secrets);
    const connection = { host: "127.0.0.1", port, username: "chunkwise", password: "its-own" };
    const ca = readFileSync(cert, "utf8");
    expect(await run({ connection: { ...connection, tls: { ca } } })).toBe(210);
    // A certificate that nobody vouches for.
    expect(await failure({ connection: { ...connection, tls: true } })).toMatch(/self.signed certificate/);
    const other = server.client({ username: "chunkwise", password: "its-own" });
    await expect(other.call("GET", "another")).rejects.toThrow(/NOPERM/);
    await expect(other.call("FLUSHALL")).rejects.toThrow(/NOPERM/);
    await expect(other.call("CONFIG", "SET", "dir", "/")).rejects.toThrow(/NOPERM/);
    for (const client of [admin, other]) client.disconnect();
    await worker.endNow();
    await server.stop();
  });

  test("a worker says how it is", async () => {
    const server = await redisServer();
    const words = [
      "worker",
      "--redis",
      `redis://127.0.0.1:${server.port}`,
      "--store",
      folder,
      "--name",
      "hal",
    ];
    const more = ["--threads", "1", "--health-port", "0", "--allowed-mem", "500MB"];
    const worker = await workerProcess("hal", [...words, ...more], {
      CHUNKWISE_REDIS_PASSWORD: server.password,
    });
    const [, url] = await worker.says(/health at (http:\S+)\/healthz/);
    expect(await run({ connection: server.address })).toBe(210);
    const healthy = await fetch(`${url}/healthz`);
    expect([healthy.status, await healthy.text()]).toEqual([200, "well\n"]);
    const text = await (await fetch(`${url}/metrics`)).text();
    const figures = new Map(
      [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]),
    );
    expect(figures.get('chunkwise_worker_info{name="hal"}')).toBe(1);
    expect(figures.get('chunkwise_worker_tasks_total{outcome="done"}')).toBeGreaterThan(0);
    expect(figures.get('chunkwise_worker_tasks_total{outcome="failed"}')).toBe(0);
    expect(figures.get('chunkwise_worker_bytes_total{direction="written"}')).toBeGreaterThan(0);
    expect(figures.get("chunkwise_worker_allowed_bytes")).toBe(500e6);
    expect(figures.get("chunkwise_worker_resident_bytes")).toBeGreaterThan(10e6);
    // Every line is a comment or a number, as Prometheus reads it.
    expect(
      text
        .split("\n")
        .filter(
          (line) => line !== "" && !/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"\})? [\d.e+]+)$/.test(line),
        ),
    ).toEqual([]);
    expect(text + worker.text).not.toContain(server.password);
    expect((await fetch(url!)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
    await server.stop();
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status, { timeout: 20_000 }).toBe(503);
    worker.kill("SIGTERM");
    expect(await worker.end()).toBe(0);
  });
});
