// Spec: with what a computation may be done. From code, the environment and a configuration file, in this order of
// precedence; the rest are defaults. In: sizes as numbers or "2GB". Out: checked numbers of bytes.

import { bytesText, parseBytes } from "../core/bytes.ts";
import { checkFlag } from "../core/check.ts";
import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { closest } from "../core/suggest.ts";
import { builtinNow } from "../storage/builtin.ts";
import type { CodecArgument } from "../storage/zarr/create.ts";
import { machineBytes } from "./machine.ts";
import { reservedFor, THREAD_RESERVED } from "./reserved.ts";
import { policyOf, type RetryOptions, type TwinOptions } from "./scheduler/policy.ts";

export type ExecutorName = "threads" | "inline";
export const EXECUTORS: readonly ExecutorName[] = ["threads", "inline"];

export interface SpecOptions {
  /** A folder for intermediates. Named, it keeps them when a run is killed, and the same computation resumes. */
  readonly workDir?: string | undefined;
  /** What tasks and intermediates may use together, with what is reserved. 60 % of the machine's unless given. */
  readonly allowedMem?: number | string | undefined;
  /**
   * What the process needs besides data: see measureReservedMemory(). Unless given, 138 MB with one thread, and a run counts
   * 28 MB of its budget for every other thread.
   */
  readonly reservedMem?: number | string | undefined;
  readonly executor?: ExecutorName | undefined;
  /** Threads for tasks and kernels; as many as the machine has, up to 8, unless given. */
  readonly threads?: number | undefined;
  readonly retries?: RetryOptions | undefined;
  readonly twins?: TwinOptions | undefined;
  /** What counts as done is on the disk, so that it outlives a power cut: slower. False unless given. */
  readonly durable?: boolean | undefined;
  /** How intermediates are stored. */
  readonly codecs?: readonly CodecArgument[] | undefined;
}

const NAMES: readonly (keyof SpecOptions)[] = [
  ...(["workDir", "allowedMem", "reservedMem", "executor", "threads"] as const),
  ...(["retries", "twins", "durable", "codecs"] as const),
];

const DEFAULT_PART = 0.6;

export class Spec {
  readonly workDir: string | null;
  readonly allowedMem: number;
  readonly reservedMem: number;
  /**
   * Bytes of the budget that each thread but the first takes, where nobody said what is to be reserved. Plans do not
   * depend on it: a run has fewer threads instead.
   */
  readonly threadMem: number;
  readonly executor: ExecutorName;
  /** The executor that somebody asked for: it is used however little there is to do. Null where nobody did. */
  readonly chosenExecutor: ExecutorName | null;
  readonly threads: number | null;
  readonly retries: RetryOptions;
  readonly twins: TwinOptions;
  readonly durable: boolean;
  readonly codecs: readonly CodecArgument[] | null;

  constructor(options: SpecOptions = {}) {
    const given = { ...fromConfiguration(), ...fromEnvironment(), ...definedIn(checkNames(options, "Spec")) };
    this.workDir = checkText(given.workDir) ?? null;
    const reserved = sizeOption(given.reservedMem, "reservedMem");
    this.reservedMem = reserved ?? reservedFor(1);
    this.threadMem = reserved === undefined ? THREAD_RESERVED : 0;
    const machine = machineBytes();
    const usual = Math.max(2 * this.reservedMem, DEFAULT_PART * machine);
    this.allowedMem = sizeOption(given.allowedMem, "allowedMem") ?? usual;
    this.chosenExecutor = given.executor === undefined ? null : checkExecutor(given.executor);
    this.executor = this.chosenExecutor ?? "threads";
    this.threads = checkThreads(given.threads);
    // null is not "not given".
    this.retries = given.retries === undefined ? {} : given.retries;
    this.twins = given.twins === undefined ? true : given.twins;
    policyOf(this.retries, this.twins);
    checkFlag(given.durable, "durable");
    this.durable = given.durable ?? false;
    this.codecs = given.codecs ?? null;
    checkMemory(this, machine);
  }

  /** Bytes for tasks and intermediates. */
  get budget(): number {
    return this.allowedMem - this.reservedMem;
  }

  toString(): string {
    const memory = `allowedMem ${bytesText(this.allowedMem)}, reservedMem ${bytesText(this.reservedMem)}`;
    return `Spec ${memory}, executor ${this.executor}, workDir ${this.workDir ?? "temporary"}`;
  }
}

let usual: Spec | null = null;

/** The spec of computations that name none. */
export function defaultSpec(): Spec {
  usual ??= new Spec();
  return usual;
}

function checkNames(options: unknown, where: string): SpecOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ValueError({ where, what: `the options are ${describe(options)}`, cure: "Give one object" });
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name as keyof SpecOptions)) continue;
    throw new ValueError({ where, what: `there is no option ${describe(name)}`, cure: closest(name, NAMES) });
  }
  return options as SpecOptions;
}

const definedIn = (options: SpecOptions): SpecOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const { process: host } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };

/** CHUNKWISE_WORK_DIR, CHUNKWISE_ALLOWED_MEM, CHUNKWISE_RESERVED_MEM, CHUNKWISE_EXECUTOR, CHUNKWISE_THREADS. */
function fromEnvironment(): SpecOptions {
  const env = (name: string): string | undefined => host?.env?.[`CHUNKWISE_${name}`] || undefined;
  const threads = env("THREADS");
  return definedIn({
    workDir: env("WORK_DIR"),
    allowedMem: env("ALLOWED_MEM"),
    reservedMem: env("RESERVED_MEM"),
    executor: env("EXECUTOR") as ExecutorName | undefined,
    threads: threads === undefined ? undefined : Number(threads),
  });
}

/** A JSON file that CHUNKWISE_CONFIG names, with the options of Spec. */
function fromConfiguration(): SpecOptions {
  const path = host?.env?.["CHUNKWISE_CONFIG"];
  const fs = builtinNow("node:fs");
  if (!path || fs === undefined) return {};
  const where = `the configuration ${path}`;
  try {
    return checkNames(JSON.parse(fs.readFileSync(path, "utf8")), where);
  } catch (error) {
    if (error instanceof ValueError) throw error;
    const cure = "CHUNKWISE_CONFIG must name a JSON file";
    throw new ValueError(
      { where, what: `cannot be read: ${(error as Error).message}`, cure },
      { cause: error },
    );
  }
}

function sizeOption(value: number | string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  const bytes = parseBytes(value);
  if (bytes !== null) return bytes;
  throw new ValueError({
    where: "Spec",
    what: `${name} is ${describe(value)}`,
    cure: 'Give a number of bytes, or a size such as "500MB" or "2GiB"',
  });
}

function checkText(workDir: unknown): string | undefined {
  if (workDir === undefined || (typeof workDir === "string" && workDir !== "")) return workDir;
  throw new ValueError({ where: "Spec", what: `workDir is ${describe(workDir)}`, cure: "Give a folder" });
}

function checkExecutor(name: string): ExecutorName {
  if (EXECUTORS.includes(name as ExecutorName)) return name as ExecutorName;
  throw new ValueError({
    where: "Spec",
    what: `there is no executor ${describe(name)}`,
    cure: closest(String(name), EXECUTORS),
  });
}

function checkThreads(threads: unknown): number | null {
  if (threads === undefined) return null;
  if (Number.isInteger(threads) && (threads as number) >= 1 && (threads as number) <= 1024)
    return threads as number;
  throw new ValueError({
    where: "Spec",
    what: `threads is ${describe(threads)}`,
    cure: "It must be a whole number from 1 to 1024",
  });
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
