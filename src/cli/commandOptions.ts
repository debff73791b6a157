// Options of a command line. In: a table of what there is, the words after the command, and the environment. Out: values by
// name and the other words, or an error that says what is wrong and what was perhaps meant. Must hold: a value on the command line goes before one
// of the environment; nothing that is not in the table is taken.

import { parseArgs } from "node:util";
import { describe } from "../core/chunks.ts";
import { ChunkwiseError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";

/** Words that cannot be understood. */
export class UsageError extends ChunkwiseError {}

export interface CommandOption {
  /** As it is written, without its dashes. */
  readonly name: string;
  /** One letter that stands for it, behind one dash. */
  readonly short?: string;
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
  /** The words that are no options, in order. */
  readonly places: readonly string[];

  constructor(values: ReadonlyMap<string, readonly string[]>, places: readonly string[] = []) {
    this.#values = values;
    this.places = places;
  }

  /** A word that has to be there. */
  place(at: number, name: string): string {
    const word = this.places[at];
    if (word !== undefined) return word;
    throw new UsageError({ what: `${name} is missing`, cure: "--help shows how the command is written" });
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

/** `places`: what the words beside the options are; a last one that ends with … stands for several. */
export function optionsGiven(
  table: readonly CommandOption[],
  words: readonly string[],
  environment: Environment,
  places: readonly string[] = [],
): Given {
  const values = new Map<string, string[]>();
  for (const { name, env, isMany } of table) {
    const text = env === undefined ? undefined : environment[env];
    if (text === undefined || text === "") continue;
    values.set(name, isMany === true ? text.split(",").filter((part) => part !== "") : [text]);
  }
  const read = readWords(table, words, places);
  for (const [name, list] of read.values) values.set(name, list);
  return new Given(values, read.places);
}

/** The platform's parser says which words are options and which are their values; what is wrong is told here, with a cure. */
function readWords(
  table: readonly CommandOption[],
  words: readonly string[],
  places: readonly string[],
): Read {
  const read: Read = { values: new Map(), places: [] };
  for (const token of tokensOf(table, words)) {
    if (token.kind === "positional") read.places.push(token.value);
    else if (token.kind === "option") addOption(read.values, table, token);
  }
  if (read.places.length > places.length && places.at(-1)?.endsWith("…") !== true)
    throw new UsageError({
      what: places.length === 0 ? "a word stands where an option should" : "there are words too many",
      cure:
        places.length === 0
          ? "Options begin with two dashes; --help names them"
          : `It takes ${places.join(" and ")}; --help says more`,
    });
  return read;
}

interface Read {
  readonly values: Map<string, string[]>;
  readonly places: string[];
}

function tokensOf(table: readonly CommandOption[], words: readonly string[]): readonly Token[] {
  const options = Object.fromEntries(
    table.map(({ name, value, short }) => [
      name,
      {
        type: value === undefined ? "boolean" : "string",
        ...(short === undefined ? {} : { short }),
      } as const,
    ]),
  );
  const how = { options, strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ args: [...words], ...how }).tokens as readonly Token[];
}

type Token =
  | { readonly kind: "positional"; readonly value: string }
  | { readonly kind: "option-terminator" }
  | (OptionToken & { readonly kind: "option" });

interface OptionToken {
  readonly name: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** What is wrong is named without its value, which may be a secret. */
function addOption(values: Map<string, string[]>, table: readonly CommandOption[], token: OptionToken): void {
  const { name, value: text, inlineValue: isInline } = token;
  const option = table.find((entry) => entry.name === name);
  if (option === undefined) {
    const names = table.map((entry) => `--${entry.name}`);
    throw new UsageError({ what: `there is no option --${name}`, cure: closest(`--${name}`, names) });
  }
  const { value, isMany } = option;
  if (value === undefined && isInline === true)
    throw new UsageError({ what: `--${name} has no value`, cure: `Write --${name} alone` });
  if (value !== undefined && (text === undefined || (isInline !== true && text.startsWith("--"))))
    throw new UsageError({ what: `--${name} has no value`, cure: `Write --${name} ${value}` });
  const known = values.get(name);
  if (known === undefined) values.set(name, [text ?? ""]);
  else if (isMany === true) known.push(text ?? "");
  else throw new UsageError({ what: `--${name} is there twice`, cure: "Give it once" });
}

/** The table, for people. */
export function helpText(usage: string, table: readonly CommandOption[]): string {
  const left = table.map(
    ({ name, short, value }) =>
      `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
  );
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
