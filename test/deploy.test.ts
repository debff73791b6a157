// deploy/ is held to what there is: files parse and have the fields that they need, every option in them is one of the
// command line's, what images copy exists, scripts run with an ssh and an sbatch that stay on this machine, and the commands of
// the compose file and of Kubernetes start workers that do a run's tasks.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as cw from "chunkwise";
import { bullmq } from "chunkwise/bullmq";
import { functions } from "chunkwise/functions";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { SECRETS, WORKER_OPTIONS, workerSettings } from "../src/cli/workerOptions.ts";
import { ensureBuilt } from "./built.ts";
import { hasRedis, needsRedis, RedisServer } from "./cluster/redisServer.ts";
import { CLI, WorkerProcess } from "./cluster/workerProcess.ts";

const ROOT = resolve(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "deploy");
const files = readdirSync(DEPLOY, { recursive: true, encoding: "utf8" });
const read = (file: string): string => readFileSync(join(DEPLOY, file), "utf8");
const folder = mkdtempSync(join(tmpdir(), "chunkwise-deploy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(ensureBuilt, 120_000);

/** CloudFormation's short forms are texts here. */
const CLOUD = ["!Ref", "!Sub", "!GetAtt"].map((tag) => ({ tag, resolve: (text: string) => text }));

// biome-ignore lint/suspicious/noExplicitAny: whatever a YAML file has
type Yaml = any;
const documents = (file: string): Yaml[] =>
  parseAllDocuments(read(file), { customTags: CLOUD, strict: true, uniqueKeys: true }).map((document) => {
    expect([...document.errors, ...document.warnings], file).toEqual([]);
    return document.toJS() as Yaml;
  });
const kinds = (file: string): Map<string, Yaml> => new Map(documents(file).map((one) => [one.kind, one]));

const compose = documents("compose.yaml")[0];
const workers = kinds("kubernetes/workers.yaml");
const container = workers.get("Deployment").spec.template.spec.containers[0];
const composeWords = compose.services.worker.command as string[];
const podWords = container.args as string[];

test("there is what the page says", () => {
  const rows = [...read("README.md").matchAll(/^\| `([\w./-]+)`/gm)].map((match) =>
    match[1]!.replace(/\/$/, ""),
  );
  expect(rows.sort()).toEqual(
    readdirSync(DEPLOY)
      .filter((file) => file !== "README.md")
      .sort(),
  );
});

test("every option and variable in these files is one that there is", () => {
  const options = new Set(WORKER_OPTIONS.map(({ name }) => `--${name}`));
  const own = new Set([...WORKER_OPTIONS.map(({ env }) => env), ...SECRETS]);
  // Of the scripts and the compose file themselves.
  const others = [
    "CHUNKWISE_FOLDER",
    "CHUNKWISE_REDIS_PASSWORD_FILE",
    "CHUNKWISE_WORK",
    "CHUNKWISE_DATA",
    "CHUNKWISE_MODULES",
  ];
  for (const file of files.filter((name) => /\.(yaml|sh|sbatch|mjs)$/.test(name))) {
    const variables = read(file).match(/CHUNKWISE_[A-Z_]+/g) ?? [];
    expect(
      variables.filter((name) => !own.has(name) && !others.includes(name) && name !== "CHUNKWISE_"),
      file,
    ).toEqual([]);
  }
  const words = [...composeWords, ...podWords].filter((word) => word.startsWith("--"));
  const script = read("slurm/workers.sbatch")
    .match(/^ {2}(--[a-z-]+)/gm)!
    .map((word) => word.trim());
  const remote = read("ssh/workers.sh")
    .match(/worker (--[a-z-]+)/g)!
    .map((word) => word.split(" ")[1]!);
  const used = [...words.map((word) => word.split("=")[0]!), ...script, ...remote];
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((word) => !options.has(word))).toEqual([]);
});

describe("compose.yaml", () => {
  const { redis, worker } = compose.services;

  test("has a Redis that keeps its jobs, on loopback", () => {
    const command = redis.command.join(" ");
    for (const setting of ["--appendonly yes", "--maxmemory-policy noeviction", "--requirepass"])
      expect(command).toContain(setting);
    expect(redis.ports).toEqual(["127.0.0.1:6379:6379"]);
  });

  test("has workers that are given time to leave, and memory beside their own", () => {
    const settings = workerSettings(composeWords.slice(1), {
      CHUNKWISE_REDIS_URL: worker.environment.CHUNKWISE_REDIS_URL,
    });
    if (settings === "help") throw new Error("help");
    expect(settings.graceMs).toBeLessThan(1000 * Number.parseInt(worker.stop_grace_period, 10));
    expect(settings.allowedMem).toBeLessThan(2 * 2 ** 30);
    const mounts = (worker.volumes as string[]).map((volume) =>
      volume.split(":").find((part) => /^\/\w/.test(part)),
    );
    expect(mounts).toEqual([settings.store, ...settings.stores, ...settings.modules]);
    expect(existsSync(join(DEPLOY, worker.build.context, worker.build.dockerfile))).toBe(true);
  });
});

describe("Kubernetes", () => {
  test("workers have time to leave, probes and limits; selectors agree", () => {
    const { spec } = workers.get("Deployment");
    const settings = workerSettings(podWords.slice(1), { CHUNKWISE_REDIS_URL: "redis://x" });
    if (settings === "help") throw new Error("help");
    expect(settings.graceMs).toBeLessThan(1000 * spec.template.spec.terminationGracePeriodSeconds);
    expect(container.livenessProbe.httpGet.path).toBe("/healthz");
    expect(container.ports[0].containerPort).toBe(settings.healthPort);
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(workers.get("Service").spec.selector).toEqual(spec.selector.matchLabels);
    const mounts = container.volumeMounts.map(({ mountPath }: Yaml) => mountPath);
    expect(mounts).toEqual(expect.arrayContaining([settings.store, ...settings.stores, ...settings.modules]));
    const volumes = spec.template.spec.volumes.map(({ name }: Yaml) => name);
    expect(container.volumeMounts.map(({ name }: Yaml) => name)).toEqual(volumes);
  });

  test("Redis keeps its jobs, and only clients reach it", () => {
    const redis = kinds("kubernetes/redis.yaml");
    const command = redis.get("StatefulSet").spec.template.spec.containers[0].command.join(" ");
    for (const setting of ["--appendonly yes", "--maxmemory-policy noeviction", "--requirepass"])
      expect(command).toContain(setting);
    const [{ from }] = redis.get("NetworkPolicy").spec.ingress;
    expect(workers.get("Deployment").spec.template.metadata.labels).toMatchObject(
      from[0].podSelector.matchLabels,
    );
  });

  test("workers are as many as the lists of the queue are long", () => {
    const scaling = kinds("kubernetes/scaling.yaml");
    const { spec } = scaling.get("ScaledObject");
    expect(spec.scaleTargetRef.name).toBe(workers.get("Deployment").metadata.name);
    expect(spec.triggers.map(({ metadata }: Yaml) => metadata.listName)).toEqual([
      "bull:chunkwise:wait",
      "bull:chunkwise:active",
    ]);
    expect(podWords).toContain("--queue=chunkwise");
    const secret = scaling.get("TriggerAuthentication").spec.secretTargetRef[0];
    expect(
      container.env.find(({ name }: Yaml) => name === "CHUNKWISE_REDIS_PASSWORD").valueFrom.secretKeyRef,
    ).toEqual({
      name: secret.name,
      key: secret.key,
    });
  });
});

test.each(["Dockerfile", "container-function/Dockerfile"])(
  "%s copies what exists, and starts what is there",
  (file) => {
    const text = read(file);
    const copied = [...text.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap((match) =>
      match[1]!.split(" ").slice(0, -1),
    );
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const { scripts, bin, devDependencies } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    ) as {
      scripts: object;
      bin: { chunkwise: string };
      devDependencies: { [name: string]: string };
    };
    expect(scripts).toHaveProperty("build");
    // The versions are those that tests ran with.
    for (const [, name, version] of text.matchAll(/ (bullmq|ioredis|aws4fetch)@(\S+)/g))
      expect(devDependencies[name!]).toBe(version);
    if (file === "Dockerfile") expect(text).toContain(bin.chunkwise.replace("./", "node_modules/chunkwise/"));
  },
);

test("the template of Lambda names the function that is there", () => {
  const { Properties } = documents("lambda/template.yaml")[0].Resources.Worker;
  const [file, name] = Properties.Handler.split(".");
  expect(read(`lambda/${file}.mjs`)).toContain(`export const ${name} = lambdaHandler(`);
  expect(Properties.FunctionUrlConfig.AuthType).toBe("AWS_IAM");
  expect(read("lambda/function.mjs")).toContain("token: null");
});

/** A folder in which `chunkwise` is installed. */
function installed(place: string): string {
  mkdirSync(join(place, "node_modules", ".bin"), { recursive: true });
  symlinkSync(ROOT, join(place, "node_modules", "chunkwise"));
  for (const name of ["bullmq", "ioredis"])
    symlinkSync(join(ROOT, "node_modules", name), join(place, "node_modules", name));
  return place;
}

test("the container function does a run's tasks", async () => {
  const place = installed(join(folder, "function"));
  const work = join(place, "work");
  mkdirSync(work);
  writeFileSync(join(place, "server.mjs"), read("container-function/server.mjs"));
  const token = "a token of a test, long enough";
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1", TOKEN: token, CHUNKWISE_STORE: work };
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: place,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    const url = `http://127.0.0.1:${/listens at (\d+)/.exec(String(line))![1]}/`;
    const sum = cw.arange(40, { chunks: 10 }).cumulativeSum().sum();
    const result = await sum.compute({ executor: functions({ url, token, concurrency: 2 }), workDir: work });
    expect(result.item()).toBe((await sum.compute({ executor: "inline" })).item());
  } finally {
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  }
});

test.each(["ssh/workers.sh", "slurm/workers.sbatch"])("%s is a script of bash", (file) => {
  execFileSync("bash", ["-n", join(DEPLOY, file)]);
  expect(spawnSync("bash", [join(DEPLOY, file)], { encoding: "utf8" }).status).not.toBe(0);
});

describe.skipIf(!hasRedis)(`with a real Redis${needsRedis}`, () => {
  let server: RedisServer;
  const work = join(folder, "work");
  beforeAll(async () => {
    server = await RedisServer.start();
    for (const name of ["work", "data", "modules", "bin"]) mkdirSync(join(folder, name));
    // Programs that stay here: what ssh would have run there, and what sbatch and srun would have run on nodes.
    const fakes = {
      ssh: '#!/usr/bin/env bash\nwhile [ "$1" != -- ]; do shift; done\nshift 2\ncd "$FAKE_HOME" && exec bash -c "$*"\n',
      sbatch: '#!/usr/bin/env bash\nexport SLURM_CPUS_PER_TASK=1 SLURM_MEM_PER_CPU=600\nexec bash "$@"\n',
      srun: '#!/usr/bin/env bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n',
    };
    for (const [name, text] of Object.entries(fakes)) {
      writeFileSync(join(folder, "bin", name), text);
      chmodSync(join(folder, "bin", name), 0o755);
    }
  });
  afterAll(() => server.stop());

  const sum = (): cw.LazyArray => cw.arange(40, { chunks: 10 }).cumulativeSum().sum();
  const computed = async (): Promise<unknown> => {
    const executor = bullmq({ connection: server.address, queue: "chunkwise" });
    return (await sum().compute({ executor, workDir: work })).item();
  };
  const url = (): string => `redis://127.0.0.1:${server.port}`;

  test.each([
    ["the compose file", composeWords],
    ["Kubernetes", podWords],
  ])("the command of %s starts a worker", async (_, words) => {
    const here = words.map((word) =>
      word
        .replace(/=\/(work|data|modules)$/, `=${folder}/$1`)
        .replace("9464", "0")
        .replace("0.0.0.0", "127.0.0.1"),
    );
    const worker = await WorkerProcess.run("x", here, {
      ...{ CHUNKWISE_REDIS_URL: url(), CHUNKWISE_REDIS_PASSWORD: server.password },
    });
    onTestFinished(() => worker.endNow());
    expect(await computed()).toBe((await sum().compute({ executor: "inline" })).item());
    worker.kill("SIGTERM");
    expect(await worker.end()).toBe(0);
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    ...{ CHUNKWISE_REDIS_URL: url(), CHUNKWISE_STORE: work, CHUNKWISE: `${process.execPath} ${CLI}` },
    ...{ CHUNKWISE_ALLOW_STORES: folder, CHUNKWISE_ALLOW_MODULES: folder },
  });

  test("ssh starts a worker on each host, says which are there, and tells them to go", async () => {
    const home = join(folder, "home");
    mkdirSync(join(home, "chunkwise"), { recursive: true });
    const hosts = join(folder, "hosts.txt");
    writeFileSync(hosts, "# machines\nnode-1\n");
    const env = {
      ...environment(),
      FAKE_HOME: home,
      CHUNKWISE_REDIS_PASSWORD: server.password,
      CHUNKWISE_THREADS: "1",
    };
    const ask = (what: string): string =>
      execFileSync("bash", [join(DEPLOY, "ssh/workers.sh"), what, hosts], { env, encoding: "utf8" });
    expect(ask("status")).toBe("node-1: not there\n");
    expect(ask("start")).toBe("node-1: started\n");
    expect(ask("start")).toBe("node-1: runs already\n");
    expect(ask("status")).toBe("node-1: there\n");
    expect(await computed()).toBe((await sum().compute({ executor: "inline" })).item());
    expect(ask("stop")).toBe("node-1: told to go\n");
    const log = (): string => readFileSync(join(home, "chunkwise", "worker.log"), "utf8");
    await expect.poll(log, { timeout: 20_000 }).toContain("worker: left");
    expect(log()).not.toContain(server.password);
  });

  test("sbatch starts workers, with the password of a file", async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, `${server.password}\n`, { mode: 0o600 });
    const env = { ...environment(), CHUNKWISE_REDIS_PASSWORD_FILE: secret };
    const child = spawn("sbatch", [join(DEPLOY, "slurm/workers.sbatch")], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const worker = new WorkerProcess("slurm", child);
    await worker.says(/ is at /);
    expect(worker.text).toMatch(/1 threads, 503 MB/);
    onTestFinished(() => worker.endNow());
    expect(await computed()).toBe((await sum().compute({ executor: "inline" })).item());
    worker.kill("SIGTERM");
    expect(await worker.end()).toBe(0);
  });
});
