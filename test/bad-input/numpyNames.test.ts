// NumPy's names, where people who know them write them: the error says what they are here.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { DTYPES } from "../../src/core/dtype.ts";
import { NUMPY_FUNCTIONS, numpyMeans } from "../../src/core/numpyNames.ts";
import { wrong } from "./check.ts";

const x = cw.asarray(new Float64Array([1, 2, 3]));

test.each(Object.entries(NUMPY_FUNCTIONS))("%s is %s, which is there", (theirs, ours) => {
  expect(cw).toHaveProperty(ours);
  expect(cw).not.toHaveProperty(theirs);
  expect(() => (x as unknown as Record<string, () => unknown>)[theirs]!()).toThrow(
    `What NumPy calls ${theirs} is ${ours in x ? "x" : "cw"}.${ours}(…) here.`,
  );
  // Such a name is no member: it does not show up where members are listed.
  expect(Object.keys(cw.LazyArray.prototype)).not.toContain(theirs);
});

describe("letter by letter", () => {
  test.each<[() => unknown, string]>([
    [() => x.std(wrong({ ddof: 1 })), 'there is no option "ddof". What NumPy calls ddof is correction here.'],
    [() => x.astype(wrong("f8")), '"f8" is not a dtype. What NumPy calls f8 is float64 here.'],
    [() => x.astype(wrong("int")), '"int" is not a dtype. What NumPy calls int is int64 here.'],
    [() => cw.expr`cumsum(${x})`, "Unknown name `cumsum`"],
    [() => cw.expr`cumsum(${x})`, "Perhaps you meant `cumulativeSum`"],
    [() => x.sum(wrong({ keep_dims: 1 })), 'there is no option "keep_dims". Did you mean keepdims?'],
  ])("%#", (call, message) => {
    expect(call).toThrow(message);
  });
});

test("what is known keeps its name", () => {
  expect(numpyMeans("cumulativeSum", ["cumulativeSum"])).toBeUndefined();
  expect(numpyMeans("f8", ["axis"])).toBeUndefined();
  for (const dtype of DTYPES) expect(numpyMeans(dtype, DTYPES)).toBeUndefined();
});

test("a place without Zarr is named as it was given", async () => {
  await expect(cw.fromZarr("no/such/folder")).rejects.toThrow(/no\/such\/folder: there is no Zarr array/);
  await expect(cw.fromZarr("no/such", { path: "temperature" })).rejects.toThrow(
    /no\/such\/temperature: there is/,
  );
});
