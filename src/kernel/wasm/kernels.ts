// The kernels made so far. In: a key that says what a kernel does, and how to make its bytes. Out: the kernel,
// compiled once however often it is asked for.

import { InvariantError } from "../../core/errors.ts";
import { type Kernel, type Run, trap } from "./control.ts";
import { giveBytes, memory, takeBytes } from "./memory.ts";
import { scratch } from "./threads.ts";

const MAX_KERNELS = 2000;

const kernels = new Map<string, Kernel>();
let made = 0;

export function kernelOf(key: string, bytesOf: () => Uint8Array<ArrayBuffer>): Kernel {
  const known = kernels.get(key);
  if (known !== undefined) return known;
  if (kernels.size >= MAX_KERNELS) forgetOldest();
  const kernel = newKernel(bytesOf());
  kernels.set(key, kernel);
  return kernel;
}

function newKernel(bytes: Uint8Array<ArrayBuffer>): Kernel {
  const code = takeBytes(bytes.length);
  if (code === null) throw new InvariantError({ what: "there is no memory for a kernel" });
  new Uint8Array(memory.buffer, code.address, bytes.length).set(bytes);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    env: { memory, trap, scratch },
  });
  return { number: ++made, run: instance.exports["run"] as Run, code };
}

/** The first of a map is the one that was made first. */
function forgetOldest(): void {
  const [[key, kernel]] = kernels as Iterable<[string, Kernel]> as unknown as [[string, Kernel]];
  kernels.delete(key);
  giveBytes(kernel.code);
}
