// The battery's processes. `Referees`: sources and references from processes that stay, each made once. `runOnce`: one run in
// a process of its own, which is ended when it takes too long. Out: what became of the run: {difference} or {error}.

import { fork } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { storedKind } from "./sources.mjs";

const CHILD = join(import.meta.dirname, "child.mjs");
const REFEREE = join(import.meta.dirname, "referee.mjs");
/** Large arrays take so many times as long. */
const LARGE_TIMES = 3;
const QUIET = { stdio: ["ignore", "ignore", "pipe", "ipc"] };

/** Programs are given to referees by turns; what is asked for twice is made once. */
export class Referees {
  #processes;
  #waiting = new Map();
  #made = new Map();
  #homes = new Map();
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

  /** `home`: requests of one home go to one process. */
  #ask(home, request) {
    const key = JSON.stringify(request);
    if (!this.#made.has(key)) {
      const asked = new Promise((resolve, reject) => {
        const id = ++this.#next;
        this.#waiting.set(id, { resolve, reject });
        this.#homeOf(home).send({ id, ...request });
      });
      asked.catch(() => {});
      this.#made.set(key, asked);
    }
    return this.#made.get(key);
  }

  #homeOf(home) {
    if (!this.#homes.has(home)) this.#homes.set(home, this.#homes.size % this.#processes.length);
    return this.#processes[this.#homes.get(home)];
  }

  /** It can be opened from now on. */
  async source(name, size, kind) {
    const home = `${name} ${size}`;
    await this.#ask(home, { type: "source", name, size, kind: "typed" });
    if (storedKind(kind) !== "typed")
      await this.#ask(home, { type: "source", name, size, kind: storedKind(kind) });
  }

  /** The folder of a program's results under a budget, and how many they are. */
  reference(program, size, budget) {
    return this.#ask(program, { type: "reference", program, size, budget });
  }

  /** The folder of what is stored beside a lone result. */
  async companion(source, size) {
    return (await this.#ask(`${source} ${size}`, { type: "companion", source, size })).folder;
  }

  /** In what a program differs from its meaning by more than rounding (null when it does not), and the folder of its results. */
  meaning(program, size) {
    return this.#ask(program, { type: "meaning", program, size });
  }

  close() {
    for (const process of this.#processes) process.kill();
  }
}

/** `referencesFor` gives, for the budget that a run had, the folders of its references. */
export function runOnce(request, referencesFor) {
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
      const answer = await referencesFor(message.budget).then(
        (folders) => ({ folders }),
        (error) => ({ error }),
      );
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
