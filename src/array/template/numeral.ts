// The text of a number literal → its value.
// In: text matched by `numeralPattern`. Out: a number; a bigint where a number would lose digits.
// Must hold: never a silently different value (octal-looking zeros, lost digits) and never a huge bigint.

export const numeralPattern: RegExp =
  /0[xX][\da-fA-F_]+|0[oO][\d_]+|0[bB][\d_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?/y;

export type Numeral =
  | { readonly kind: "number"; readonly value: number | bigint }
  | { readonly kind: "imaginary"; readonly value: number }
  | { readonly kind: "malformed"; readonly what: string; readonly cure?: string };

const longestInteger = "0b".length + 64;
const largestInteger = 2n ** 64n - 1n;

export function readNumeral(text: string): Numeral {
  if (/(?<![\da-fA-F])_|_(?![\da-fA-F])/.test(text)) {
    return { kind: "malformed", what: "`_` in a number stands only between two digits" };
  }
  const digits = text.replaceAll("_", "");
  if (/^(?:\d+|0[xXoObB].*)$/.test(digits)) return readInteger(digits);
  if (/[jJ]$/.test(digits)) return { kind: "imaginary", value: Number(digits.slice(0, -1)) };
  return { kind: "number", value: Number(digits) };
}

function readInteger(digits: string): Numeral {
  if (/^0+[1-9]/.test(digits)) {
    return {
      kind: "malformed",
      what: "A whole number does not begin with 0",
      cure: "Remove the zeros; an octal number is written `0o17`",
    };
  }
  const value = Number(digits);
  if (Number.isNaN(value))
    return { kind: "malformed", what: "A digit does not belong to the base of this number" };
  return Number.isSafeInteger(value) ? { kind: "number", value } : readLargeInteger(digits);
}

function readLargeInteger(digits: string): Numeral {
  // The length comes first: a million digits must not become a bigint only to be refused.
  if (digits.length <= longestInteger) {
    const value = BigInt(digits);
    if (value <= largestInteger) return { kind: "number", value };
  }
  return {
    kind: "malformed",
    what: "This whole number does not fit in 64 bits",
    cure: "Write it as a float, as in `1e30`",
  };
}
