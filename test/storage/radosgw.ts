// A private S3 server for tests: Ceph's radosgw with one monitor and one OSD in memory, on loopback, in a folder of its own. In:
// the programs of Debian's packages ceph-mon, ceph-osd, radosgw and ceph-common. Out: where it is, keys, and how it ends.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import { ownPorts } from "../ports.mjs";

const PROGRAMS = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "monmaptool", "ceph-authtool"];

const isThere = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** False where the programs are; else why tests are skipped, for their titles. */
export const noRadosgw: string | false = PROGRAMS.every(isThere)
  ? false
  : "skipped: install ceph-mon, ceph-osd, radosgw and ceph-common (Debian) to run it";

/** For the title of what needs it. */
export const titled = (title: string): string => (noRadosgw === false ? title : `${title} (${noRadosgw})`);

export interface Radosgw {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: "us-east-1";
  /** A request signed with these keys, as the gateway itself checks it. */
  readonly client: AwsClient;
  makeBucket(name: string): Promise<void>;
  /** Everybody may read it and list it. */
  makePublic(bucket: string): Promise<void>;
  /** The gateway alone: objects stay. */
  killGateway(): Promise<void>;
  startGateway(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

export async function startRadosgw(): Promise<Radosgw> {
  const folder = mkdtempSync("/tmp/rgw-");
  const started: ChildProcess[] = [];
  const end = (): void => {
    for (const child of started) child.kill("SIGKILL");
  };
  process.once("exit", end);
  const stop = async (): Promise<void> => {
    process.removeListener("exit", end);
    for (const child of started.reverse()) await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await launched(folder, started)), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

async function launched(folder: string, started: ChildProcess[]): Promise<Omit<Radosgw, "stop">> {
  const conf = join(folder, "ceph.conf");
  const [v2, v1, port] = (await ownPorts(3)) as [number, number, number];
  const fsid = randomUUID();
  for (const name of ["mon", "osd", "rgw", "log", "run"]) mkdirSync(join(folder, name));
  writeFileSync(conf, configuration(folder, fsid, { v2, v1, port }));
  const start = (...[program, ...args]: [string, ...string[]]): ChildProcess => {
    const log = openSync(join(folder, "log", `${program}.out`), "a");
    const child = spawn(program, ["-c", conf, ...args, "-f"], { stdio: ["ignore", log, log] });
    started.push(child);
    return child;
  };
  const ceph = (...args: string[]): Promise<unknown> =>
    run("ceph", ["-c", conf, "--connect-timeout", "15", ...args], { timeout: 20_000 });
  await makeKeys(join(folder, "keyring"));
  const map = join(folder, "monmap");
  await run("monmaptool", [
    ...["--create", "--clobber", "--fsid", fsid],
    ...["--addv", "a", `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`, map],
  ]);
  await run("ceph-mon", [
    ...["-c", conf, "-i", "a", "--mkfs", "--monmap", map, "--keyring", join(folder, "keyring")],
  ]);
  start("ceph-mon", "-i", "a");
  await until("the monitor", () => ceph("mon", "stat"));
  const uuid = randomUUID();
  await ceph("osd", "new", uuid);
  await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", uuid]);
  start("ceph-osd", "-i", "0");
  let gateway: ChildProcess;
  const startGateway = async (): Promise<void> => {
    gateway = start("radosgw", "-n", "client.rgw");
    await until("the gateway", () => reachable(port));
  };
  await startGateway();
  const user = await withUser(conf, `http://127.0.0.1:${port}`);
  return { ...user, startGateway, killGateway: () => ended(gateway) };
}

type User = Omit<Radosgw, "stop" | "killGateway" | "startGateway">;

async function withUser(conf: string, endpoint: string): Promise<User> {
  const accessKeyId = `CW${randomBytes(9).toString("hex").toUpperCase()}`;
  const credentials = { accessKeyId, secretAccessKey: randomBytes(20).toString("hex") };
  await run("radosgw-admin", [
    ...["-c", conf, "-n", "client.rgw", "user", "create", "--uid=tester", "--display-name=tester"],
    ...[`--access-key=${credentials.accessKeyId}`, `--secret-key=${credentials.secretAccessKey}`],
  ]);
  const region = "us-east-1";
  const client = new AwsClient({ ...credentials, region, service: "s3", retries: 3 });
  const put = async (url: string, body?: string): Promise<void> => {
    const response = await client.fetch(`${endpoint}/${url}`, { method: "PUT", ...(body ? { body } : {}) });
    const text = await response.text();
    if (!response.ok) throw new Error(`PUT ${url}: ${response.status} ${text}`);
  };
  const makePublic = (bucket: string): Promise<void> => put(`${bucket}?policy`, publicPolicy(bucket));
  return { endpoint, credentials, region, client, makeBucket: put, makePublic };
}

const publicPolicy = (bucket: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        ...{ Effect: "Allow", Principal: "*", Action: ["s3:GetObject", "s3:ListBucket"] },
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      },
    ],
  });

async function makeKeys(ring: string): Promise<void> {
  const caps: readonly (readonly string[])[] = [
    ["mon.", "--cap", "mon", "allow *"],
    ["client.admin", "--cap", "mon", "allow *", "--cap", "osd", "allow *"],
    ["osd.0", "--cap", "mon", "allow profile osd", "--cap", "osd", "allow *"],
    ["client.rgw", "--cap", "mon", "allow rw", "--cap", "osd", "allow rwx"],
  ];
  for (const [i, [name, ...rest]] of caps.entries())
    await run("ceph-authtool", [
      ...(i === 0 ? ["--create-keyring"] : []),
      ...[ring, "--gen-key", "-n", name!, ...rest],
    ]);
}

/**
 * Small GETs are slow without tcp_nodelay. One monitor has nobody to wait for, one OSD nobody to compare with. What is deleted
 * is gone after seconds and not after hours: it lies in memory.
 */
function configuration(
  folder: string,
  fsid: string,
  { v2, v1, port }: { v2: number; v1: number; port: number },
): string {
  return `[global]
fsid = ${fsid}
mon initial members = a
mon host = [v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]
public network = 127.0.0.0/8
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = ${folder}/keyring
auth allow insecure global id reclaim = false
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/log/$name.log
crash dir = ${folder}/log
mon data = ${folder}/mon
mon data avail crit = 1
mon cluster log file = ${folder}/log/cluster.log
mon allow pool size one = true
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd max object name len = 2048
paxos propose interval = 0.05
paxos min wait = 0.01
mon osd min in ratio = 0
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw thread pool size = 64
rgw max concurrent requests = 512
rgw enable usage log = false
rgw enable ops log = false
rgw run sync thread = false
rgw gc obj min wait = 1
rgw gc processor period = 2
`;
}

function reachable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    }).once("error", reject);
  });
}

async function until(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const last = Date.now() + 60_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (cause) {
      if (Date.now() > last) throw new Error(`${what} did not start`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
