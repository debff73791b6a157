// Names and the few words that are values.
// Must hold: `logical_and` and `logicalAnd` are one name; anything else, `__proto__` included, is just a name.

export const truthValues: ReadonlyMap<string, boolean> = new Map([
  ["True", true],
  ["true", true],
  ["False", false],
  ["false", false],
]);

export const noneWords: ReadonlySet<string> = new Set(["None", "null"]);

/** What may follow a dot without parentheses. Everything else is a method, and `x.sum` without `()` a slip. */
export const attributes: ReadonlySet<string> = new Set(["T", "mT"]);

/** snake_case → camelCase. Underscores at either end belong to the name. */
export function canonicalName(name: string): string {
  return name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
