// Runs a function of hoard.js over 100 blocks in a process of its own. In: its name, "module" (on threads) or "closure"
// (here), and what is allowed. Out: JSON: the error, or null, and the peak of resident memory.

import * as cw from "../../dist/index.js";
import { frugal, hoard, leak } from "./hoard.js";

const [name, kind, allowedMem] = process.argv.slice(2);
const module = new URL("./hoard.js", import.meta.url);
const fn = kind === "module" ? cw.moduleFunction(module, name) : { frugal, hoard, leak }[name];
const spec = new cw.Spec({ allowedMem, reservedMem: "200MB", threads: 2 });
let failed = null;
try {
  await cw
    .mapBlocks(fn, cw.ones([100_000], { chunks: 1000 }))
    .sum()
    .compute({ spec });
} catch (error) {
  const { name: type, message, cause } = error;
  failed = { type, message, cause: cause?.name, resident: cause?.resident, allowed: cause?.allowed };
}
console.log(JSON.stringify({ failed, peak: process.resourceUsage().maxRSS * 1024 }));
process.exit();
