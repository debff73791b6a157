// Spec: settings that computations share. From code, the environment and a configuration file, in this order of
// precedence; the rest are defaults. In: settings (settings.ts), sizes as numbers or "2GB". Out: checked numbers of bytes.

import { bytesText, parseBytes } from "../core/counts.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import { builtinNow } from "../storage/builtin.ts";
import type { CodecArgument } from "../storage/zarr/create.ts";
import { machineBytes } from "./machineMemory.ts";
import type { Executor } from "./pools/pool.ts";
import { reservedFor, THREAD_RESERVED } from "./reserved.ts";
import type { RetryOptions, TwinOptions } from "./scheduler/policy.ts";
import { type ExecutorName, SETTINGS, type Settings } from "./settings.ts";

/** Options of `new cw.Spec(…)`: each can also come from the environment or a configuration file. */
export type SpecOptions = Settings;

const DEFAULT_PART = 0.6;

/** Settings that computations share: `const spec = new cw.Spec({allowedMem: "2GB"})`, then `x.compute({spec})`. */
export class Spec {
  /** All that was said, here or elsewhere; what was not has its default. */
  readonly settings: Settings;
  /** The folder for intermediates; null: a temporary one. */
  readonly workDir: string | null;
  /** What the process may use, in bytes. */
  readonly allowedMem: number;
  /** What of it the process needs besides data. */
  readonly reservedMem: number;
  /**
   * Bytes of the budget that each thread but the first takes, where nobody said what is to be reserved. Plans do not
   * depend on it: a run has fewer threads instead.
   */
  readonly threadMem: number;
  /** What carries tasks: a name, or an executor. */
  readonly executor: ExecutorName | Executor;
  /** The executor that somebody asked for: it is used however little there is to do. Null where nobody did. */
  readonly chosenExecutor: ExecutorName | Executor | null;
  /** Threads for tasks and kernels; null: as many as the machine has, up to 8. */
  readonly threads: number | null;
  /** How often a task is tried. */
  readonly retries: RetryOptions;
  /** Whether tasks that take long get a second worker. */
  readonly twins: TwinOptions;
  /** Whether what counts as done is on the disk. */
  readonly durable: boolean;
  /** How intermediates are stored; null: as usual. */
  readonly codecs: readonly CodecArgument[] | null;

  constructor(options: SpecOptions = {}) {
    const said = checkSettings(options, "Spec");
    const given = checkValues({ ...fromConfiguration(), ...fromEnvironment(), ...definedIn(said) });
    this.settings = given;
    this.workDir = given.workDir ?? null;
    this.reservedMem = bytesOf(given.reservedMem) ?? reservedFor(1);
    this.threadMem = given.reservedMem === undefined ? THREAD_RESERVED : 0;
    const machine = machineBytes();
    const usual = Math.max(2 * this.reservedMem, DEFAULT_PART * machine);
    this.allowedMem = bytesOf(given.allowedMem) ?? usual;
    this.chosenExecutor = given.executor ?? null;
    this.executor = this.chosenExecutor ?? "threads";
    this.threads = given.threads ?? null;
    this.retries = given.retries ?? {};
    this.twins = given.twins ?? true;
    this.durable = given.durable ?? false;
    this.codecs = given.codecs ?? null;
    checkMemory(this, machine);
  }

  /** Bytes for tasks and intermediates. */
  get budget(): number {
    return this.allowedMem - this.reservedMem;
  }

  /** The same with other settings. */
  with(options: SpecOptions): Spec {
    return new Spec({ ...this.settings, ...definedIn(options) });
  }

  toString(): string {
    const memory = `allowedMem ${bytesText(this.allowedMem)}, reservedMem ${bytesText(this.reservedMem)}`;
    const executor = typeof this.executor === "string" ? this.executor : this.executor.name;
    return `Spec ${memory}, executor ${executor}, workDir ${this.workDir ?? "temporary"}`;
  }
}

const bytesOf = (size: number | string | undefined): number | undefined =>
  size === undefined ? undefined : parseBytes(size)!;

/** One object of settings that there are. */
function checkSettings(options: unknown, where: string): SpecOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ValueError({ where, what: `the options are ${describe(options)}`, cure: "Give one object" });
  const known = Object.keys(SETTINGS);
  for (const name of Object.keys(options)) {
    if (name in SETTINGS) continue;
    throw new ValueError({ where, what: `there is no option ${describe(name)}`, cure: closest(name, known) });
  }
  return options as SpecOptions;
}

function checkValues(settings: SpecOptions): SpecOptions {
  for (const [name, value] of Object.entries(settings)) {
    const { wanted, accepts } = SETTINGS[name as keyof Settings];
    if (accepts(value)) continue;
    throw new ValueError({
      where: "Spec",
      what: `${name} is ${describe(value)}`,
      cure: `It must be ${wanted}`,
    });
  }
  return settings;
}

/** Without what was left open. */
export const definedIn = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

const { process: host } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };

/** `workDir`: CHUNKWISE_WORK_DIR. */
export const variableOf = (name: string): string =>
  `CHUNKWISE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

function fromEnvironment(): SpecOptions {
  const found: { [name: string]: unknown } = {};
  for (const [name, { parse }] of Object.entries(SETTINGS)) {
    const text = host?.env?.[variableOf(name)];
    if (text) found[name] = parse!(text);
  }
  return found;
}

/** A JSON file that CHUNKWISE_CONFIG names, with the options of Spec. */
function fromConfiguration(): SpecOptions {
  const path = host?.env?.["CHUNKWISE_CONFIG"];
  const fs = builtinNow("node:fs");
  if (!path || fs === undefined) return {};
  const where = `the configuration ${path}`;
  try {
    return checkSettings(JSON.parse(fs.readFileSync(path, "utf8")), where);
  } catch (error) {
    if (error instanceof ValueError) throw error;
    const cure = "CHUNKWISE_CONFIG must name a JSON file";
    throw new ValueError(
      { where, what: `cannot be read: ${(error as Error).message}`, cure },
      { cause: error },
    );
  }
}

function checkMemory({ allowedMem, reservedMem }: Spec, machine: number): void {
  const [allowed, reserved] = [bytesText(allowedMem), bytesText(reservedMem)];
  if (allowedMem > machine)
    throw new ValueError({
      where: "Spec",
      what: `allowedMem is ${allowed} and the machine has ${bytesText(machine)}`,
      cure: "Allow no more than there is",
    });
  if (reservedMem >= allowedMem)
    throw new ValueError({
      where: "Spec",
      what: `reservedMem (${reserved}) leaves nothing of allowedMem (${allowed})`,
      cure: "Allow more, or reserve less: measureReservedMemory() says what is needed",
    });
}
