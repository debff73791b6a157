// Options of a command line. In: a table of what there is, the words after the command, and the environment. Out: values by
// name, or an error that says what is wrong and what was perhaps meant. Must hold: a value on the command line goes before one
// of the environment; nothing that is not in the table is taken.

import { describe } from "../core/chunks.ts";
import { ChunkwiseError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";

/** Words that cannot be understood. */
export class UsageError extends ChunkwiseError {}

export interface CommandOption {
  /** As it is written, without its dashes. */
  readonly name: string;
  /** What stands for its value in the help; undefined for one that has none. */
  readonly value?: string;
  /** A variable of the environment that gives it, too. */
  readonly env?: string;
  /** It may be given several times; in the environment, with commas between. */
  readonly isMany?: boolean;
  /** For the help. */
  readonly unless?: string;
  readonly text: string;
}

export type Environment = { readonly [name: string]: string | undefined };

export class Given {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  one(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** A whole number between bounds. */
  number(name: string, unless: number, [least, most]: readonly [number, number]): number {
    const text = this.one(name);
    if (text === undefined) return unless;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const cure = `It is a whole number from ${least} to ${most}`;
    throw new UsageError({ what: `--${name} is ${describe(text)}`, cure });
  }
}

export function optionsGiven(
  table: readonly CommandOption[],
  words: readonly string[],
  environment: Environment,
): Given {
  const values = new Map<string, string[]>();
  for (const { name, env, isMany } of table) {
    const text = env === undefined ? undefined : environment[env];
    if (text === undefined || text === "") continue;
    values.set(name, isMany === true ? text.split(",").filter((part) => part !== "") : [text]);
  }
  const fromWords = readWords(table, words);
  for (const [name, list] of fromWords) values.set(name, list);
  return new Given(values);
}

function readWords(table: readonly CommandOption[], words: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (let i = 0; i < words.length; i++) {
    const { option, inline } = optionOf(table, words[i]!);
    const { name, value, isMany } = option;
    const text = value === undefined ? "" : (inline ?? words[++i]);
    if (text === undefined || (value !== undefined && inline === undefined && text.startsWith("--")))
      throw new UsageError({ what: `--${name} has no value`, cure: `Write --${name} ${value}` });
    const known = values.get(name);
    if (known === undefined) values.set(name, [text]);
    else if (isMany === true) known.push(text);
    else throw new UsageError({ what: `--${name} is there twice`, cure: "Give it once" });
  }
  return values;
}

/** What is wrong is named without its value, which may be a secret. */
function optionOf(
  table: readonly CommandOption[],
  word: string,
): { readonly option: CommandOption; readonly inline: string | undefined } {
  const [, name, , inline] = /^--([^=]+)(=([\s\S]*))?$/.exec(word) ?? [];
  if (name === undefined)
    throw new UsageError({
      what: "a word stands where an option should",
      cure: "Options begin with two dashes; --help names them",
    });
  const option = table.find((entry) => entry.name === name);
  const names = table.map((entry) => `--${entry.name}`);
  if (option === undefined)
    throw new UsageError({ what: `there is no option --${name}`, cure: closest(`--${name}`, names) });
  if (inline !== undefined && option.value === undefined)
    throw new UsageError({ what: `--${name} has no value`, cure: `Write --${name} alone` });
  return { option, inline };
}

/** The table, for people. */
export function helpText(usage: string, table: readonly CommandOption[]): string {
  const left = table.map(({ name, value }) => `  --${name}${value === undefined ? "" : ` ${value}`}`);
  const width = Math.max(...left.map((text) => text.length)) + 2;
  const lines = table.map(({ text, unless, env, isMany }, i) => {
    const notes = [
      ...(isMany === true ? ["several times if need be"] : []),
      ...(unless === undefined ? [] : [`${unless} unless given`]),
      ...(env === undefined ? [] : [`or ${env}`]),
    ];
    return `${left[i]!.padEnd(width)}${text}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
  });
  return `${usage}\n\n${lines.join("\n")}\n`;
}
