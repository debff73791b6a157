// Formats of users. In: a name, and where the code is: a module that every thread can import, or an object of this one. Out: an
// entry like those of built-in formats; a module is imported when something is opened or written with it.

import { ValueError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import type { Address } from "../../core/platform.ts";
import { describe } from "../../core/shape.ts";
import { messageOf, NotSupportedError } from "../errors.ts";
import { isModuleAddress } from "../modules.ts";
import type { DenseFormat } from "./denseFormat.ts";
import type { Format } from "./format.ts";
import type { RaggedFormat } from "./raggedFormat.ts";

/** A module of a format: its default export is one, without its name and suffixes. */
export interface FormatModule {
  /** The format, but for what `add` says of it. */
  readonly default: Omit<DenseFormat, "name" | "suffixes"> | Omit<RaggedFormat, "name" | "suffixes">;
}

/** A format that every thread can import. */
export interface ModuleFormat {
  /** As options and saved plans name it. */
  readonly name: string;
  /** How names of its files or folders end: ".grid". */
  readonly suffixes?: readonly string[] | undefined;
  /** Its address: `new URL("./grid-format.js", import.meta.url)`. */
  readonly module: string | Address;
}

/** A format as an object stays on this thread: tasks that need it are not for others. */
export type OwnFormat = ModuleFormat | Format;

/** A module format as plain data. */
export interface SentFormat extends ModuleFormat {
  readonly module: string;
}

export interface FormatEntry {
  readonly name: string;
  readonly suffixes: readonly string[];
  readonly isHereOnly: boolean;
  load(): Promise<Format>;
}

/** Null for one that no message can carry. */
export const sentFormat = (format: OwnFormat): SentFormat | null =>
  "module" in format
    ? { name: format.name, suffixes: [...(format.suffixes ?? [])], module: String(format.module) }
    : null;

export function ownEntry(format: OwnFormat): FormatEntry {
  const { name, suffixes = [] } = format;
  check(format);
  if (!("module" in format)) return { name, suffixes, isHereOnly: true, load: async () => format };
  return {
    name,
    suffixes,
    isHereOnly: false,
    load: once(() => imported(name, suffixes, String(format.module))),
  };
}

function check(format: OwnFormat): void {
  const { name, suffixes = [] } = format;
  const where = "formats.add";
  if (typeof name !== "string" || name === "")
    throw new ValueError({ where, what: `the name of a format is ${describe(name)}`, cure: "Give it one" });
  const areTexts = Array.isArray(suffixes) && suffixes.every((end) => typeof end === "string" && end !== "");
  if (!areTexts || suffixes.some((end) => end !== end.toLowerCase()))
    throw new ValueError({
      where,
      what: `the suffixes of the format ${describe(name)} are ${describe(suffixes)}`,
      cure: 'Give ends of names in small letters: [".grid"]',
    });
  if ("module" in format ? isModuleAddress(String(format.module)) : isFormat(format)) return;
  throw new ValueError({
    where,
    what: `the format ${describe(name)} has no code`,
    cure: 'Give {name, module: new URL("./format.js", import.meta.url)}, or {name, kind: "dense", open(place)}',
  });
}

const isFormat = (format: unknown): boolean => {
  const { kind, open } = (format ?? {}) as { kind?: unknown; open?: unknown };
  return (kind === "dense" || kind === "ragged") && typeof open === "function";
};

async function imported(name: string, suffixes: readonly string[], module: string): Promise<Format> {
  const cure = 'Its module must export by default {kind: "dense" or "ragged", open(place, options)}';
  let made: FormatModule["default"];
  try {
    made = ((await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as FormatModule).default;
  } catch (cause) {
    const what = `the format ${name} cannot be loaded: ${messageOf(cause)}`;
    throw new NotSupportedError({ what, cure }, { cause });
  }
  // Its methods may be those of a class.
  if (isFormat(made)) return Object.assign(Object.create(made) as object, { name, suffixes }) as Format;
  throw new NotSupportedError({ what: `the format ${name} is ${describe(made)}`, cure });
}
