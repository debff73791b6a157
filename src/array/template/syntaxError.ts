// The one error of the expression template.
// In: the display text, the offset that is to blame, what was expected and found, and a cure if there is one.
// Out: a message that shows the text on one line with a caret below the culprit.
// Must hold: the message stays short however long (and however strange) the text is.

import { ChunkwiseError } from "../../core/errors.ts";

export interface SyntaxProblem {
  /** The display text: one line, holes shown as `${0}`, `${1}`, … */
  readonly text: string;
  /** Position in `text`, from 0. */
  readonly offset: number;
  readonly what: string;
  readonly cure?: string | undefined;
}

/** The text of a `cw.expr` cannot be read: `column` says where. */
export class ExprSyntaxError extends ChunkwiseError {
  readonly text: string;
  /** Position in `text`, from 1. */
  readonly column: number;

  constructor(problem: SyntaxProblem) {
    const { text, offset, what, cure } = problem;
    const column = offset + 1;
    // `where` stays open for the public function that the user called: it signs the error with `at`.
    super({ what: `Invalid expression, column ${column}:\n${pointAt(text, offset)}\n${what}`, cure });
    this.text = text;
    this.column = column;
  }
}

const windowWidth = 72;
const longestQuote = 40;

/** The part of the text around the offset, and a caret under it. */
function pointAt(text: string, offset: number): string {
  const from = text.length <= windowWidth ? 0 : Math.max(0, offset - windowWidth / 2);
  const to = from + windowWidth;
  const before = (from > 0 ? "…" : "") + text.slice(from, offset);
  const after = text.slice(offset, to) + (to < text.length ? "…" : "");
  // Counted in code points, so that an emoji before the culprit does not shift the caret.
  const indent = " ".repeat([...before].length);
  return `${`  ${before}${after}`.trimEnd()}\n  ${indent}^`;
}

/** A piece of the input as it may appear in a sentence of the message. */
export function quote(piece: string): string {
  const shown = piece.length > longestQuote ? `${piece.slice(0, longestQuote)}…` : piece;
  return `\`${printable(shown)}\``;
}

/** Line ends, control and invisible characters become blanks; every offset stays what it was. */
export function printable(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]/gu, (character) => " ".repeat(character.length));
}
