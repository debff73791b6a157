// Spellings from JavaScript, C and mathematics that people will try, with what to write here instead.
// Must hold: no spelling in this file is ever valid in an expression at the place where it is looked up.

/** Never valid anywhere: the tokenizer rejects them. */
export const foreignSymbols: ReadonlyMap<string, string> = new Map([
  ["&&", "Write `and` or `&`"],
  ["||", "Write `or` or `|`"],
  ["!", "Write `not x`"],
  ["===", "Write `==`"],
  ["!==", "Write `!=`"],
  ["<>", "Write `!=`"],
  ["=>", "Write `>=`"],
  ["=<", "Write `<=`"],
  [">>>", "Write `>>`"],
  ["?", "Write `where(condition, a, b)`"],
  ["$", `A value is put in with \`\${value}\``],
  ["≤", "Write `<=`"],
  ["≥", "Write `>=`"],
  ["≠", "Write `!=`"],
  ["×", "Write `*`"],
  ["·", "Write `*`"],
  ["÷", "Write `/`"],
  ["−", "Write `-`, the ASCII minus"],
  ["–", "Write `-`, the ASCII minus"],
  ["²", "Write `**2`"],
  ["³", "Write `**3`"],
  ["√", "Write `sqrt(x)`"],
  ["π", "Write `pi`"],
  ["∞", "Write `inf`"],
  ["…", "Write `...`, three dots"],
]);

/** Good names, but not between two values, where an operator was meant. */
export const foreignWords: ReadonlyMap<string, string> = new Map([
  ["if", "Write `where(condition, a, b)`"],
  ["AND", "Write `and`"],
  ["OR", "Write `or`"],
  ["is", "Write `==`"],
  ["mod", "Write `%`"],
  ["div", "Write `//`"],
  ["xor", "Write `^`"],
]);

/** Good tokens, but not after a value, outside of calls and indices. */
export const misplacedAfterValue: ReadonlyMap<string, string> = new Map([
  ["=", "To compare, write `==`"],
  [",", "A tuple stands only as an argument, as in `axis=(0, 1)`"],
  [":", "A slice stands only as an index, as in `x[1:3]`"],
]);

/** Good tokens, but not where a value should begin. */
export const misplacedAsValue: ReadonlyMap<string, string> = new Map([
  ["not", "Put it in parentheses: `(not x)`"],
  ["[", `A list stands only as an argument, as in \`axis=[0, 1]\`; elsewhere put it in with \`\${list}\``],
  ["None", "`None` stands only as an argument or as an index"],
  ["null", "`null` stands only as an argument or as an index"],
  ["...", "`...` stands only as an index, as in `x[..., 0]`"],
  [":", "A slice stands only as an index, as in `x[1:3]`"],
]);
