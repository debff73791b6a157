// What a command is, and what commands have in common: options of runs, words that are places, where results go. In: tables and
// words. Out: settings of runs, selections, text. Must hold: a command prints its result on the standard output and nothing else;
// what is for people besides, as the progress bar, goes to the error output.

import type { SelectionItem } from "../array/selection.ts";
import { describe } from "../core/chunks.ts";
import { parseBytes } from "../core/counts.ts";
import { progressBar } from "../observe/progressBar.ts";
import { type AsyncComputeOptions, Spec } from "../runtime/spec.ts";
import { type CommandOption, type Given, helpText, optionsGiven, UsageError } from "./commandOptions.ts";

/** A command as the command line knows it. */
export interface Command {
  readonly name: string;
  /** A line for the list of commands. */
  readonly summary: string;
  readonly options: readonly CommandOption[];
  run(words: readonly string[]): Promise<void>;
}

const HELP: CommandOption = { name: "help", short: "h", text: "this text" };
export const JSON_OUT: CommandOption = { name: "json", text: "the result as JSON, for programs" };

/** How a command is written: `places` are the words beside its options, what it does is said under them. */
interface CommandParts extends Omit<Command, "run"> {
  readonly places: readonly string[];
  readonly about: string;
  run(given: Given): Promise<void>;
}

export function command({ places, about, run, ...parts }: CommandParts): Command {
  const options = [...parts.options, HELP];
  const usage = `chunkwise ${[parts.name, ...places].join(" ")} …\n\n${about}`;
  return {
    ...parts,
    options,
    async run(words) {
      const given = optionsGiven(options, words, process.env, places);
      if (given.has("help")) return print(helpText(usage, options).trimEnd());
      await run(given);
    },
  };
}

/** A line, or several, of the result. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, jsonValue, 2));

/** Whole numbers beyond what JSON's readers keep exact are text. */
const jsonValue = (_: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : String(value)
    : value;

/** Of every command that computes. */
export const RUN_OPTIONS: readonly CommandOption[] = [
  { name: "allowed-mem", value: "<size>", unless: "2GB", text: "the most memory of this process, as 500MB" },
  { name: "threads", value: "<n>", unless: "one a core", text: "tasks at once" },
  { name: "work-dir", value: "<folder>", text: "where what does not fit in memory goes" },
  { name: "quiet", text: "no progress bar" },
];

export function runOptions(given: Given): AsyncComputeOptions {
  const memory = bytesGiven(given, "allowed-mem");
  const workDir = given.one("work-dir");
  const spec = new Spec({
    ...(memory === undefined ? {} : { allowedMem: memory }),
    ...(workDir === undefined ? {} : { workDir }),
  });
  return {
    spec,
    ...(given.has("threads") ? { threads: given.number("threads", 1, [1, 1024]) } : {}),
    ...(given.has("quiet") ? {} : { onEvent: progressBar() }),
  };
}

/** A size in bytes, as 500MB. */
export function bytesGiven(given: Given, name: string): number | undefined {
  const text = given.one(name);
  if (text === undefined) return undefined;
  const bytes = parseBytes(/^\d+$/.test(text) ? Number(text) : text);
  if (bytes !== null && bytes > 0) return bytes;
  throw new UsageError({ what: `--${name} is ${describe(text)}`, cure: "It is a size, as 2GB or 512MiB" });
}

/** Whole numbers with commas between, as 100,100. */
export function lengthsGiven(given: Given, name: string): readonly number[] | undefined {
  const text = given.one(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}(,\d{1,15})*$/.test(text)) return text.split(",").map(Number);
  const cure = `Write whole numbers with commas between: --${name} 100,100`;
  throw new UsageError({ what: `--${name} is ${describe(text)}`, cure });
}

/** What of an array is wanted, as x.get takes it: "0, 10:20, ...". */
export function selectionGiven(given: Given): readonly SelectionItem[] {
  const text = given.one("select")?.trim();
  if (text === undefined || text === "") return [];
  return text.split(",").map((item) => {
    const word = item.trim();
    if (/^[+-]?\d+$/.test(word)) return Number(word);
    if (word === "..." || /^[+-]?\d*:[+-]?\d*(:[+-]?\d*)?$/.test(word)) return word;
    const cure = 'Write places and ranges with commas between: --select "0, 10:20, ..."';
    throw new UsageError({ what: `--select has ${describe(word)}`, cure });
  });
}

export const SELECT: CommandOption = {
  name: "select",
  value: "<items>",
  text: 'a part of the array: "0, 10:20, ..."',
};
export const PATH: CommandOption = {
  name: "path",
  value: "<path>",
  text: "where in the store; its root unless given",
};
