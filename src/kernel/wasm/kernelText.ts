// What a program is, as text: equal for equal programs, so that a kernel is found by it.

import { programText, type ScalarProgram } from "../program.ts";
import { TRAPPING } from "../traps.ts";

/** Texts are long, and a program that runs again is often the same object. */
const texts = new WeakMap<ScalarProgram, string>();

export function textOf(program: ScalarProgram): string {
  let text = texts.get(program);
  if (text === undefined) {
    // A kernel says which step failed, so the steps that can fail are part of what it is.
    const origins = program.instructions.filter(({ prim }) => TRAPPING.has(prim)).map(({ origin }) => origin);
    text = `${program.operands.join()} ${origins.join()}\n${programText(program)}`;
    texts.set(program, text);
  }
  return text;
}
