// Functions of texts: predicates, cases, parts, searches, splitting and joining, in nested data.

import assert from "node:assert/strict";
import * as rg from "chunkwise/ragged";

const show = (value: unknown): void => console.log(JSON.stringify(value));
const { str } = rg;

const rows = rg.fromIter([
  { file: "run_012-Zmm.root", tags: ["Data", "2024 "] },
  { file: "run_7-ttbar.txt", tags: [] },
  { file: null, tags: ["straße", null] },
]);
const files = rows.field("file");

// What each text is, wherever it is; null stays null.
show(str.endsWith(files, ".root"));
show(str.length(rows.field("tags")));
show(str.upper(str.trimWhitespace(rows.field("tags"))));
show(str.isIn(rows.field("tags"), ["Data", "MC"]));

// Looked for, cut, put together.
show(str.findSubstring(files, "-"));
show(str.replaceSubstringRegex(files, "_0*([0-9]+)", " $1"));
show(str.extractRegex(files, "run_0*(?<run>[0-9]+)-(?<kind>\\w+)"));
show(str.join(str.splitPattern(files, "-", { maxSplits: 1 }), " | "));
show(str.joinElementWise(str.slice(files, 0, 3), str.lpad(["1", "22", "3"], 4, "0"), ":"));

// Lazily, as everything: only texts that are asked for are read.
const lazy = rg.lazy(rows, { npartitions: 2 });
const chosen = lazy.get(str.matchLike(lazy.field("file"), "run%.root"));
assert.deepEqual(Object.values(rg.necessaryColumns(chosen.field("tags"))), [["file", "tags"]]);
show(await chosen.field("tags").compute());
