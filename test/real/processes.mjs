// The battery's processes. `ask`: sources and references from processes that stay, each made once. `runOnce`: one run in
// a process of its own, which is ended when it takes too long. Out: what became of the run: {difference} or {error}.

import { fork } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const CHILD = join(import.meta.dirname, "child.mjs");
const REFEREE = join(import.meta.dirname, "referee.mjs");
/** Large arrays take so many times as long. */
const LARGE_TIMES = 3;
const QUIET = { stdio: ["ignore", "ignore", "pipe", "ipc"] };

/** Referees take requests by turns; what is asked for twice is made once. */
export class Referees {
  #processes;
  #waiting = new Map();
  #made = new Map();
  #next = 0;

  constructor(count, setting) {
    this.#processes = Array.from({ length: count }, () => {
      const process = fork(REFEREE, [JSON.stringify(setting)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      process.on("message", (answer) => this.#answered(answer));
      return process;
    });
  }

  #answered({ id, ...answer }) {
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer.error === undefined) resolve(answer);
    else reject(new Error(answer.error));
  }

  ask(key, request) {
    if (!this.#made.has(key)) {
      const asked = new Promise((resolve, reject) => {
        const id = ++this.#next;
        this.#waiting.set(id, { resolve, reject });
        this.#processes[id % this.#processes.length].send({ id, ...request });
      });
      asked.catch(() => {});
      this.#made.set(key, asked);
    }
    return this.#made.get(key);
  }

  close() {
    for (const process of this.#processes) process.kill();
  }
}

/** `referenceFor` gives, for the budget that a run had, the folder of its reference. */
export function runOnce(request, referenceFor) {
  rmSync(request.scratch, { recursive: true, force: true });
  mkdirSync(request.scratch, { recursive: true });
  const child = fork(CHILD, [JSON.stringify(request)], QUIET);
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr = (stderr + text).slice(-2000);
  });
  return new Promise((resolve) => {
    const begun = performance.now();
    let outcome = null;
    let seen = {};
    const seconds = request.patience * (request.size === "large" ? LARGE_TIMES : 1);
    const late = setTimeout(() => {
      outcome = { error: `it did not end within ${seconds} s` };
      end();
    }, 1000 * seconds);
    child.on("message", async (message) => {
      if (message.type === "failed") outcome = { error: message.error };
      if (message.type === "compared") outcome = { difference: message.difference };
      if (message.type !== "done") return;
      clearTimeout(late);
      seen = { ...message.seen, budget: message.budget, ms: performance.now() - begun };
      const answer = await referenceFor(message.budget).catch((error) => ({ error }));
      if (answer.error === undefined) return child.connected && child.send(answer);
      outcome = { error: `there is no reference: ${answer.error.message}` };
      child.kill();
    });
    child.on("close", (code, signal) => {
      process.off("exit", end);
      clearTimeout(late);
      rmSync(request.scratch, { recursive: true, force: true });
      resolve({
        ...(outcome ?? { error: `it ended with ${signal ?? code} before it was done: ${stderr}` }),
        seen,
      });
    });
  });
}
