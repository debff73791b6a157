// The kernels made so far. In: a key that says what a kernel does, and how to make its bytes. Out: the kernel,
// compiled once however often it is asked for.

import { InvariantError } from "../../core/errors.ts";
import { type Run, trap, type WasmKernel } from "./control.ts";
import type { KernelMemory } from "./memory.ts";
import { SCRATCH_BYTES } from "./module.ts";

const MAX_KERNELS = 2000;

export class Kernels {
  readonly #memory: KernelMemory;
  /** The calling thread's own. */
  readonly #scratch: number;
  readonly #known = new Map<string, WasmKernel>();
  #made = 0;

  constructor(memory: KernelMemory) {
    const scratch = memory.take(SCRATCH_BYTES, true);
    if (scratch === null) throw new InvariantError({ what: "there is no memory for a thread's scratch" });
    this.#memory = memory;
    this.#scratch = scratch.address;
  }

  get size(): number {
    return this.#known.size;
  }

  /** `bytesOf` is told whether the memory is shared, which a module has to say. */
  get(key: string, bytesOf: (isShared: boolean) => Uint8Array<ArrayBuffer>): WasmKernel {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KERNELS) this.#forgetOldest();
    const kernel = this.#compiled(bytesOf(this.#memory.isShared));
    this.#known.set(key, kernel);
    return kernel;
  }

  #compiled(bytes: Uint8Array<ArrayBuffer>): WasmKernel {
    const code = this.#memory.take(bytes.length);
    if (code === null) throw new InvariantError({ what: "there is no memory for a kernel" });
    new Uint8Array(this.#memory.buffer, code.address, bytes.length).set(bytes);
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory: this.#memory.wasm, trap, scratch: this.#scratch },
    });
    return { number: ++this.#made, run: instance.exports["run"] as Run, code };
  }

  /** The first of a map is the one that was made first. */
  #forgetOldest(): void {
    for (const [key, { code }] of this.#known) {
      this.#known.delete(key);
      this.#memory.give(code);
      return;
    }
  }
}
