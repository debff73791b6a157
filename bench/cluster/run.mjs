import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { ownPorts } from "../../test/ports.mjs";
import { measureTasks } from "./tasks.mjs";

const [port] = await ownPorts(1);
const child = spawn(
  "redis-server",
  [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "yes",
    "--dir",
    mkdtempSync("/tmp/cw-bench-redis-"),
  ],
  { stdio: "ignore" },
);
console.log(await measureTasks({ redis: { host: "127.0.0.1", port }, rounds: 7, progress: console.log }));
child.kill();
process.exit();
