// What runs WebAssembly kernels on a thread: the memory, compiled kernels, helper threads. One value has all of it, and two of
// them know nothing of each other. In: nothing. Out: a machine that steps of programs run on.

import { Control } from "./control.ts";
import { Families } from "./families.ts";
import { Helpers } from "./helperThreads.ts";
import { Jobs } from "./jobs.ts";
import { Kernels } from "./madeKernels.ts";
import { KernelMemory } from "./memory.ts";
import { PreparedLoops } from "./prepared.ts";

export class WasmMachine {
  readonly memory: KernelMemory = new KernelMemory();
  readonly control: Control = new Control(this.memory.buffer);
  readonly kernels: Kernels = new Kernels(this.memory);
  readonly helpers: Helpers = new Helpers(this.memory);
  readonly jobs: Jobs = new Jobs(this.memory.buffer, this.control, this.helpers);
  readonly families: Families = new Families();
  readonly loops: PreparedLoops = new PreparedLoops(this.memory, this.jobs);
}
