// A contestant is a process of its own that answers one JSON line with one JSON line: no library's garbage, threads or
// crashes reach another. A request that takes too long ends the process; the next load starts it again.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Contestant {
  /** @param {{ name: string, command: string, args: string[], env?: object, once?: boolean }} how once: a process per load */
  constructor(how) {
    this.how = how;
    this.name = how.name;
    this.waiting = null;
    this.child = null;
    this.lastWords = "";
  }

  /** Starts the process and waits for its greeting: `{ ok, version, … }`. */
  async start(limit = 60_000) {
    const { command, args, env } = this.how;
    this.lastWords = "";
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    child.on("error", (error) => this.#ended(child, error.message));
    child.on("exit", () => this.#ended(child, this.lastWords || "the process ended"));
    child.stdin.on("error", () => {});
    child.stderr.on("data", (text) => {
      this.lastWords = String(text).trim().split("\n").at(-1).slice(0, 200);
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#answer(JSON.parse(line)));
    return this.#next(limit);
  }

  /** One request, one answer; never rejects: what went wrong is `{ ok: false, why }`. */
  async ask(request, limit = 60_000) {
    if (this.child === null) return { ok: false, why: "not running" };
    const answer = this.#next(limit);
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    return answer;
  }

  get running() {
    return this.child !== null;
  }

  stop() {
    this.child?.kill("SIGKILL");
    this.child = null;
  }

  #next(limit) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.stop();
        this.#answer({ ok: false, why: `no answer in ${limit / 1000} s` });
      }, limit);
      this.waiting = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
    });
  }

  #answer(answer) {
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.(answer);
  }

  /** The end of a process that was stopped is not news about the one that took its place. */
  #ended(child, why) {
    if (child !== this.child) return;
    this.child = null;
    this.#answer({ ok: false, why });
  }
}
