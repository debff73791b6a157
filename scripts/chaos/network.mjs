// Machines inside this one: network namespaces on a bridge in a namespace of its own, so that nothing of the host's network is
// touched. In: how many. Out: for each how a program is started there; cuts, which lose every packet without a word, and their end.
// Must hold: this process itself runs at the bridge (`inside`), where every machine reaches it; what was made is removed.

import { spawn, spawnSync } from "node:child_process";

const NAME = "CHUNKWISE_CHAOS_NETWORK";
const HERE = "10.213.0.254";

const ip = (...words) => {
  const { status, stderr } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
};

/** Machines that can be cut off, and this process beside them. */
class Network {
  here = HERE;

  constructor(name) {
    this.name = name;
  }

  /** A program and its words, on a machine. */
  on(machine, program, words) {
    return ["ip", ["netns", "exec", `${this.name}-${machine}`, program, ...words]];
  }

  cut(machine) {
    ip("link", "set", `port${machine}`, "down");
  }

  heal(machine) {
    ip("link", "set", `port${machine}`, "up");
  }
}

/** Where there are no namespaces: everything on one machine, which nobody cuts. */
const LOOPBACK = { here: "127.0.0.1", on: (_, program, words) => [program, words] };

function made(name, machines) {
  ip("netns", "add", name);
  const inside = (...words) => ip("-n", name, ...words);
  inside("link", "set", "lo", "up");
  inside("link", "add", "bridge0", "type", "bridge");
  inside("address", "add", `${HERE}/24`, "dev", "bridge0");
  inside("link", "set", "bridge0", "up");
  for (let machine = 1; machine <= machines; machine++) {
    const own = `${name}-${machine}`;
    ip("netns", "add", own);
    inside("link", "add", `port${machine}`, "type", "veth", "peer", "name", "eth0", "netns", own);
    inside("link", "set", `port${machine}`, "master", "bridge0", "up");
    ip("-n", own, "link", "set", "lo", "up");
    ip("-n", own, "address", "add", `10.213.0.${machine}/24`, "dev", "eth0");
    ip("-n", own, "link", "set", "eth0", "up");
  }
}

/** Only what runs in them is ended. */
function removed(name) {
  const { stdout = "" } = spawnSync("ip", ["netns", "list"], { encoding: "utf8" });
  const all = stdout.split("\n").map((line) => line.split(" ")[0]);
  for (const space of all.filter((one) => one === name || one.startsWith(`${name}-`))) {
    const { stdout: pids } = spawnSync("ip", ["netns", "pids", space], { encoding: "utf8" });
    for (const pid of pids.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
    ip("netns", "delete", space);
  }
}

/** This script again, at the bridge of such a network; null where this is that, or where there can be none. */
async function again(machines) {
  if (process.env[NAME] !== undefined) return null;
  const name = `chunkwise-${process.pid}`;
  try {
    made(name, machines);
  } catch (error) {
    removed(name);
    console.log(
      `NO CUTS: there are no network namespaces here (root and iproute2 make some): ${error.message}`,
    );
    return null;
  }
  const words = ["netns", "exec", name, process.execPath, ...process.argv.slice(1)];
  const child = spawn("ip", words, { stdio: "inherit", env: { ...process.env, [NAME]: name } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const status = await new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  removed(name);
  process.exit(status);
}

export async function network(machines) {
  await again(machines);
  const name = process.env[NAME];
  return name === undefined ? LOOPBACK : new Network(name);
}
