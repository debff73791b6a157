// Who may work now: so many tasks at once, of so much memory together. In: tasks with what they state. Out: each has its turn, in
// the order in which they came. Must hold: what running tasks state is within the budget; one that waits and is not wanted any
// more leaves the line.

import type { StopSignal } from "../../../core/platform.ts";

interface InLine {
  readonly bytes: number;
  readonly signal: StopSignal;
  begin(): void;
  leave(): void;
}

export class TaskRoom {
  readonly budget: number;
  readonly #most: number;
  readonly #line: InLine[] = [];
  #running = 0;
  #used = 0;

  constructor(most: number, budget: number) {
    this.#most = most;
    this.budget = budget;
  }

  /** Tasks that run now. */
  get running(): number {
    return this.#running;
  }

  async pass<T>(bytes: number, signal: StopSignal, action: () => Promise<T>): Promise<T> {
    await this.#turn(bytes, signal);
    try {
      return await action();
    } finally {
      this.#running--;
      this.#used -= bytes;
      this.#admit();
    }
  }

  #turn(bytes: number, signal: StopSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#line.push({ bytes, signal, begin: resolve, leave: () => reject(signal.reason) });
      this.#admit();
    });
  }

  /** Those that came with a signal are not wanted any more. */
  leave(signal: StopSignal): void {
    const leaving = this.#line.filter((one) => one.signal === signal);
    const left = this.#line.filter((one) => one.signal !== signal);
    this.#line.splice(0, this.#line.length, ...left);
    for (const one of leaving) one.leave();
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#line[0]; next !== undefined; next = this.#line[0]) {
      if (this.#running >= this.#most || this.#used + next.bytes > this.budget) return;
      this.#line.shift();
      this.#running++;
      this.#used += next.bytes;
      next.begin();
    }
  }
}
