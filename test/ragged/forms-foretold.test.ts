// Every operation on data of every type: where it runs, its form was foretold; where its form is refused, so is its
// data; and whatever is wrong is said by a typed error.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkwiseError } from "../../src/core/errors.ts";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { BY_NAME, inputs } from "./cases.ts";

const attempt = <T>(act: () => T): { readonly value: T } | { readonly error: unknown } => {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
};

describe("forms are foretold", () => {
  test.each([...BY_NAME])("%s", (_, cases) =>
    check(Math.max(40, 6 * cases.length), fc.tuple(inputs, fc.nat(cases.length - 1)), ([layouts, number]) => {
      const [op, count, attrs] = cases[number]!;
      const given = layouts.slice(0, count);
      const run = attempt(() => op.run(given, attrs));
      const form = attempt(() => op.form(given.map(rg.formOf), attrs));
      for (const outcome of [run, form]) if ("error" in outcome) typedOrThrow(outcome.error);
      if ("error" in form) expect(run).toHaveProperty("error");
      if (!("value" in run) || !("value" in form)) return;
      rg.validate(run.value);
      expect(rg.formText(rg.formOf(run.value)), JSON.stringify(attrs)).toBe(rg.formText(form.value));
      // A form that has been made plain is plain: operations would see another one otherwise.
      expect(rg.formText(rg.plainForm(form.value))).toBe(rg.formText(form.value));
      rg.toList(run.value);
    }),
  );
});

function typedOrThrow(error: unknown): void {
  if (!(error instanceof ChunkwiseError) || error.constructor.name === "InvariantError") throw error;
}
