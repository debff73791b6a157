// Reductions over rows in parts: states of partitions, put together in any tree, give what all rows at once give.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import * as rg from "../../src/ragged/index.ts";
import { check } from "../property/settings.ts";
import { halfNumber, nested, wholeNumber } from "./arbitrary.ts";
import { run } from "./check.ts";

describe("reductions over rows, partition by partition", () => {
  const rows = fc.integer({ min: 1, max: 3 }).chain((depth) =>
    fc.tuple(
      nested({
        depth,
        leaf: fc.oneof(halfNumber, wholeNumber),
        nullLeaves: true,
        nullLists: true,
        maxLength: 6,
      }),
      fc.constant(depth),
    ),
  );
  const cases = fc.tuple(rows, fc.array(fc.nat(7), { maxLength: 4 }), fc.constantFrom(null, 0), fc.boolean());

  test.each(Object.keys(rg.REDUCTIONS))("%s", (name) =>
    check(60, cases, ([[x, depth], cuts, axis, keepdims]) => {
      const layout = rg.plain(rg.fromIter(x));
      const op = rg.REDUCTIONS[name]!;
      const whole = op.run([layout], { axis, keepdims });
      const bounds = [0, ...cuts.map((cut) => Math.min(cut, x.length)).sort((a, b) => a - b), x.length];
      const states = bounds.slice(1).map((stop, i) => partial(rg.sliceRows(layout, bounds[i]!, stop)));
      const dtype = leafDType(rg.formOf(whole));
      const finish = { name, axis, keepdims, depth: rg.depthsOf(layout)[1], dtype };
      const result = run(rg.reduceFinish, [combine(combineInPairs(states))], finish);
      expect(rg.formText(rg.formOf(result)), `${depth} axes`).toBe(rg.formText(rg.formOf(whole)));
      expect(rg.toList(result)).toEqual(closeTo(rg.toList(whole)));
      const forms = [rg.formOf(states[0]!)];
      expect(rg.reduceFinish.isItem(forms, finish)).toBe(op.isItem([rg.formOf(layout)], { axis, keepdims }));

      function partial(part: rg.Plain): rg.Plain {
        return run(rg.reducePartial, [part], { name, axis }) as rg.Plain;
      }
      function combine(parts: readonly rg.Plain[]): rg.Plain {
        return run(rg.reduceCombine, [rg.mergeRows(parts)], { name }) as rg.Plain;
      }
      /** A tree: neighbours first. */
      function combineInPairs(parts: readonly rg.Plain[]): rg.Plain[] {
        return parts.flatMap((part, i) =>
          i % 2 === 1 ? [] : i + 1 < parts.length ? [combine([part, parts[i + 1]!])] : [part],
        );
      }
    }),
  );

  test("an inner axis needs no parts", () =>
    expect(() => rg.reducePartial.run([rg.fromIter([[1]])], { name: "sum", axis: 1 })).toThrow(
      "reducePartial: axis 1 lies within rows. Reduce every partition by itself",
    ));
});

function leafDType(form: rg.Form): DType {
  if (form.kind === "numpy") return form.dtype;
  return leafDType((form as { content: rg.Form }).content);
}

/** Sums in another order are a little different. */
function closeTo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeTo);
  return typeof value === "number" && !Number.isInteger(value) && !Number.isNaN(value)
    ? expect.closeTo(value, 9)
    : value;
}
