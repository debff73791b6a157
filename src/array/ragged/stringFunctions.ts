// Functions of texts: `rg.str.upper(x)`. Names and habits are those of Awkward's ak.str, in camelCase. In: arrays of texts, in memory or
// lazy, of any structure. Out: what each text becomes; null stays null.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { userCall } from "../../lazy/call.ts";
import { STRING_OPS } from "../../ragged/strings/ops.ts";
import { apply } from "./apply.ts";
import { checkCount, inMemory } from "./argumentChecks.ts";
import { asRagged, type Ragged, type RaggedArray, type RaggedInput } from "./raggedArrays.ts";
import type { Joint } from "./types.ts";

/** Options of searches. */
export interface MatchOptions {
  /** true: small letters and capitals are the same. */
  readonly ignoreCase?: boolean | undefined;
}
/** Options of replacements. */
export interface ReplaceOptions {
  /** So many in each text; all unless given. */
  readonly maxReplacements?: number | undefined;
}
/** Options of splitting. */
export interface SplitOptions {
  /** So many cuts in each text; all unless given. */
  readonly maxSplits?: number | undefined;
  /** true: where there are more, the last ones are made. */
  readonly reverse?: boolean | undefined;
}

type OfTexts = <const X extends RaggedInput>(x: X) => Joint<X>;
type With<Args extends readonly unknown[]> = <const X extends RaggedInput>(x: X, ...args: Args) => Joint<X>;

const called = (name: string, arrays: readonly Ragged[], attrs: object = {}): never =>
  apply(STRING_OPS.get(name) as never, arrays, attrs) as never;

const ofOne = (name: string): OfTexts =>
  userCall(`str.${name}`, (x: RaggedInput) => called(name, [asRagged(x)])) as OfTexts;

function checkText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a text" });
}

function checkWhole(value: unknown, name: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a whole number" });
}

const most = (value: number | undefined, name: string): number | null =>
  value === undefined ? null : checkCount(name, value, 0);

/** Whether, where, how often a pattern is there. */
const searching = (name: string): With<[pattern: string, options?: MatchOptions]> =>
  userCall(
    `str.${name}`,
    (x: RaggedInput, pattern: string, { ignoreCase = false }: MatchOptions = {}) =>
      called(name, [asRagged(x)], { pattern: checkText(pattern, "the pattern"), ignoreCase }),
    [2, "ignoreCase"],
  ) as never;

const replacing = (name: string): With<[pattern: string, replacement: string, options?: ReplaceOptions]> =>
  userCall(
    `str.${name}`,
    (x: RaggedInput, pattern: string, replacement: string, { maxReplacements }: ReplaceOptions = {}) =>
      called(name, [asRagged(x)], {
        pattern: checkText(pattern, "the pattern"),
        replacement: checkText(replacement, "the replacement"),
        most: most(maxReplacements, "maxReplacements"),
      }),
    [3, "maxReplacements"],
  ) as never;

const splitting = (name: string): With<[pattern: string, options?: SplitOptions]> =>
  userCall(
    `str.${name}`,
    (x: RaggedInput, pattern: string, { maxSplits, reverse = false }: SplitOptions = {}) =>
      called(name, [asRagged(x)], {
        pattern: checkText(pattern, "the pattern"),
        most: most(maxSplits, "maxSplits"),
        reverse,
      }),
    [2, "maxSplits", "reverse"],
  ) as never;

type Side = "left" | "right" | "both";

const trimming = (name: string, side: Side): With<[characters: string]> =>
  userCall(`str.${name}`, (x: RaggedInput, characters: string) =>
    called("trim", [asRagged(x)], { side, characters: checkText(characters, "the characters") }),
  ) as never;

const trimmingSpace = (name: string, side: Side): OfTexts =>
  userCall(`str.${name}`, (x: RaggedInput) =>
    called("trim", [asRagged(x)], { side, characters: null }),
  ) as OfTexts;

const padding = (name: string, side: Side): With<[width: number, padding?: string]> =>
  userCall(`str.${name}`, (x: RaggedInput, width: number, padding = " ") =>
    called("pad", [asRagged(x)], {
      side,
      width: checkCount("width", width, 0),
      padding: checkText(padding, "the padding"),
    }),
  ) as never;

const among = (name: string): With<[set: RaggedArray | readonly string[]]> =>
  userCall(`str.${name}`, (x: RaggedInput, given: RaggedArray | readonly string[]) => {
    const set = Array.isArray(given) ? (given as readonly unknown[]) : inMemory(given).toList();
    if (!set.every((text) => typeof text === "string"))
      throw new ValueError({ what: `the set is ${describe(set)}`, cure: "Use a list of texts, in memory" });
    return called(name, [asRagged(x)], { set });
  }) as never;

const slice: With<[start: number, stop?: number | null, step?: number]> = userCall(
  "str.slice",
  (x: RaggedInput, start: number, stop: number | null = null, step = 1) =>
    called("slice", [asRagged(x)], {
      start: checkWhole(start, "start"),
      stop: stop === null ? null : checkWhole(stop, "stop"),
      step: checkWhole(step, "step"),
    }),
) as never;

const replaceSlice: With<[start: number, stop: number, replacement: string]> = userCall(
  "str.replaceSlice",
  (x: RaggedInput, start: number, stop: number, replacement: string) =>
    called("replaceSlice", [asRagged(x)], {
      start: checkWhole(start, "start"),
      stop: checkWhole(stop, "stop"),
      by: checkText(replacement, "the replacement"),
    }),
) as never;

const splitWhitespace: With<[options?: SplitOptions]> = userCall(
  "str.splitWhitespace",
  (x: RaggedInput, { maxSplits, reverse = false }: SplitOptions = {}) =>
    called("splitPatternRegex", [asRagged(x)], {
      pattern: "\\p{White_Space}+",
      most: most(maxSplits, "maxSplits"),
      reverse,
    }),
  [1, "maxSplits", "reverse"],
) as never;

const repeat: With<[times: number | RaggedInput]> = userCall(
  "str.repeat",
  (x: RaggedInput, times: number | RaggedInput) =>
    typeof times === "number"
      ? called("repeat", [asRagged(x)], { times: checkCount("times", times, 0) })
      : called("repeat", [asRagged(x), asRagged(times)]),
) as never;

const join: With<[separator: string | RaggedInput]> = userCall(
  "str.join",
  (x: RaggedInput, separator: string | RaggedInput) =>
    typeof separator === "string"
      ? called("join", [asRagged(x)], { separator })
      : called("join", [asRagged(x), asRagged(separator)]),
) as never;

const joinElementWise: <const X extends readonly (RaggedInput | string)[]>(
  ...arrays: X
) => Joint<Exclude<X[number], string>> = userCall(
  "str.joinElementWise",
  (...given: readonly (RaggedInput | string)[]) => {
    const arrays = given.filter((value) => typeof value !== "string") as readonly RaggedInput[];
    if (given.length < 2 || arrays.length === 0)
      throw new ValueError({
        what: `${given.length} arguments`,
        cure: "Give arrays of texts, and last what stands between them",
      });
    const texts = given.map((value) => (typeof value === "string" ? value : null));
    return called("joinElementWise", arrays.map(asRagged), { texts });
  },
) as never;

/** Functions of texts, as `rg.str` has them. */
export interface StringFunctions {
  /** Letters and numbers, and nothing else? */
  readonly isAlnum: OfTexts;
  /** Letters? */
  readonly isAlpha: OfTexts;
  /** Characters of ASCII? */
  readonly isAscii: OfTexts;
  /** Digits 0 to 9, and those of other scripts? */
  readonly isDecimal: OfTexts;
  /** The same: what is asked for is the decimal digit. */
  readonly isDigit: OfTexts;
  /** Small letters, of what has cases? */
  readonly isLower: OfTexts;
  /** Numbers of any kind: ², ½, Ⅳ too? */
  readonly isNumeric: OfTexts;
  /** Nothing that cannot be seen, but for the space? */
  readonly isPrintable: OfTexts;
  /** White space? */
  readonly isSpace: OfTexts;
  /** Words that begin with capitals, which stand nowhere else? */
  readonly isTitle: OfTexts;
  /** Capitals, of what has cases? */
  readonly isUpper: OfTexts;
  /** In small letters, character by character. */
  readonly lower: OfTexts;
  /** In capitals; ß becomes ẞ. */
  readonly upper: OfTexts;
  /** Capitals for small letters, and the other way. */
  readonly swapcase: OfTexts;
  /** The first character a capital, all others small. */
  readonly capitalize: OfTexts;
  /** The first letter of each word a capital, all others small. */
  readonly title: OfTexts;
  /** The last character first. */
  readonly reverse: OfTexts;
  /** How many characters there are; of bytestrings bytes. */
  readonly length: OfTexts;
  /** Each text so many times: a number, or one for each. */
  readonly repeat: typeof repeat;
  /** Characters start to before stop, as Python's text[start:stop:step]. */
  readonly slice: typeof slice;
  /** Another text in the place of characters start to before stop. */
  readonly replaceSlice: typeof replaceSlice;
  /** Another text in the place of one: `rg.str.replaceSubstring(x, "a", "b", { maxReplacements: 1 })`. */
  readonly replaceSubstring: ReturnType<typeof replacing>;
  /** The same of a regular expression; `$1` and `$<name>` are its groups. */
  readonly replaceSubstringRegex: ReturnType<typeof replacing>;
  /** As wide as `width` characters at least, the text in the middle. */
  readonly center: ReturnType<typeof padding>;
  /** The same, the text on the right. */
  readonly lpad: ReturnType<typeof padding>;
  /** The same, the text on the left. */
  readonly rpad: ReturnType<typeof padding>;
  /** Without these characters at the beginning. */
  readonly ltrim: ReturnType<typeof trimming>;
  /** Without white space at the beginning. */
  readonly ltrimWhitespace: OfTexts;
  /** Without these characters at the end. */
  readonly rtrim: ReturnType<typeof trimming>;
  /** Without white space at the end. */
  readonly rtrimWhitespace: OfTexts;
  /** Without these characters at both ends. */
  readonly trim: ReturnType<typeof trimming>;
  /** Without white space at both ends. */
  readonly trimWhitespace: OfTexts;
  /** Lists of the parts between a pattern. */
  readonly splitPattern: ReturnType<typeof splitting>;
  /** The same of a regular expression. */
  readonly splitPatternRegex: ReturnType<typeof splitting>;
  /** The same of white space. */
  readonly splitWhitespace: typeof splitWhitespace;
  /** Records of the named groups of an expression, null where it does not match: `rg.str.extractRegex(x, "(?<year>[0-9]+)")`. */
  readonly extractRegex: ReturnType<typeof searching>;
  /** Lists of texts as one text each, with a separator between: a text, or one for each list. A null makes null. */
  readonly join: typeof join;
  /** Texts of several arrays as one text each; the last argument stands between them. */
  readonly joinElementWise: typeof joinElementWise;
  /** How often a text is in each. */
  readonly countSubstring: ReturnType<typeof searching>;
  /** How often an expression matches. */
  readonly countSubstringRegex: ReturnType<typeof searching>;
  /** Do they begin so? */
  readonly startsWith: ReturnType<typeof searching>;
  /** Do they end so? */
  readonly endsWith: ReturnType<typeof searching>;
  /** At which character a text first is; −1 where it is not. */
  readonly findSubstring: ReturnType<typeof searching>;
  /** The same of an expression. */
  readonly findSubstringRegex: ReturnType<typeof searching>;
  /** Is it one of these? */
  readonly isIn: ReturnType<typeof among>;
  /** Which of these it is; null where it is none. */
  readonly indexIn: ReturnType<typeof among>;
  /** SQL's LIKE: % is any text, _ any character. */
  readonly matchLike: ReturnType<typeof searching>;
  /** Is a text in it? */
  readonly matchSubstring: ReturnType<typeof searching>;
  /** Does an expression match anywhere? */
  readonly matchSubstringRegex: ReturnType<typeof searching>;
  /** Of the type categorical: few different texts. */
  readonly toCategorical: OfTexts;
}

/** Functions of texts: `rg.str.upper(["a", "b"])` is ["A", "B"]. */
export const str: StringFunctions = {
  ...{ isAlnum: ofOne("isAlnum"), isAlpha: ofOne("isAlpha"), isAscii: ofOne("isAscii") },
  ...{ isDecimal: ofOne("isDecimal"), isDigit: ofOne("isDigit"), isLower: ofOne("isLower") },
  ...{ isNumeric: ofOne("isNumeric"), isPrintable: ofOne("isPrintable"), isSpace: ofOne("isSpace") },
  ...{ isTitle: ofOne("isTitle"), isUpper: ofOne("isUpper"), lower: ofOne("lower"), upper: ofOne("upper") },
  ...{ swapcase: ofOne("swapcase"), capitalize: ofOne("capitalize"), title: ofOne("title") },
  ...{ reverse: ofOne("reverse"), length: ofOne("length"), toCategorical: ofOne("toCategorical") },
  ...{ repeat, slice, replaceSlice, splitWhitespace, join, joinElementWise },
  replaceSubstring: replacing("replaceSubstring"),
  replaceSubstringRegex: replacing("replaceSubstringRegex"),
  ...{ center: padding("center", "both"), lpad: padding("lpad", "left"), rpad: padding("rpad", "right") },
  ...{ ltrim: trimming("ltrim", "left"), rtrim: trimming("rtrim", "right"), trim: trimming("trim", "both") },
  ltrimWhitespace: trimmingSpace("ltrimWhitespace", "left"),
  rtrimWhitespace: trimmingSpace("rtrimWhitespace", "right"),
  trimWhitespace: trimmingSpace("trimWhitespace", "both"),
  ...{ splitPattern: splitting("splitPattern"), splitPatternRegex: splitting("splitPatternRegex") },
  ...{ extractRegex: searching("extractRegex"), countSubstring: searching("countSubstring") },
  ...{ countSubstringRegex: searching("countSubstringRegex"), startsWith: searching("startsWith") },
  ...{ endsWith: searching("endsWith"), findSubstring: searching("findSubstring") },
  ...{ findSubstringRegex: searching("findSubstringRegex"), isIn: among("isIn"), indexIn: among("indexIn") },
  ...{ matchLike: searching("matchLike"), matchSubstring: searching("matchSubstring") },
  matchSubstringRegex: searching("matchSubstringRegex"),
};
