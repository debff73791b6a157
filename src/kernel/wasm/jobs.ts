// Jobs that threads share. In: a kernel, its parameters, how many units of work there are. Out: all units done, by the calling
// thread and those that help it.

import { InvariantError } from "../../core/errors.ts";
import { type Control, type WasmKernel, WORDS } from "./control.ts";
import type { Helpers } from "./helperThreads.ts";
import { PARAMETER_BYTES, PARAMETERS_AT } from "./memoryLayout.ts";

export class Jobs {
  readonly #control: Control;
  readonly #helpers: Helpers;
  readonly #parameters: Int32Array;

  constructor(buffer: ArrayBufferLike, control: Control, helpers: Helpers) {
    this.#control = control;
    this.#helpers = helpers;
    this.#parameters = new Int32Array(buffer, PARAMETERS_AT, PARAMETER_BYTES / 4);
  }

  /** Does all units, in parts of `part`, with up to so many threads. */
  run(kernel: WasmKernel, parameters: readonly number[], units: number, part: number, threads: number): void {
    if (parameters.length > this.#parameters.length)
      throw new InvariantError({ what: `${parameters.length} parameters are too many` });
    this.#parameters.set(parameters);
    const isShareable = threads > 1 && units > part;
    for (let from = 0; from < units; from += part) {
      const to = Math.min(units, from + part);
      if (!isShareable) kernel.run(PARAMETERS_AT, from, to);
      else if (this.#helpers.areThere(threads - 1)) return this.#runTogether(kernel, from, units, part);
      else this.#helpers.without(() => kernel.run(PARAMETERS_AT, from, to));
    }
  }

  #runTogether(kernel: WasmKernel, first: number, units: number, part: number): void {
    const { words } = this.#control;
    this.#control.share(kernel, { parameters: PARAMETERS_AT, first, units, part, slots: 0 }, () => {
      for (;;) {
        const from = Atomics.add(words, WORDS.next, part);
        if (from >= units) return;
        kernel.run(PARAMETERS_AT, from, Math.min(units, from + part));
      }
    });
  }
}
