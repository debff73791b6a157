// A WebAssembly module and the licence of its sources → a TypeScript file that holds both. Called by build.sh.

import { readFileSync } from "node:fs";

const [, , wasm, license] = process.argv;
const text = readFileSync(wasm).toString("base64");
const lines = text.match(/.{1,400}/g).map((line) => `  "${line}",`);
const terms = readFileSync(license, "utf8").trim().split("\n");
const notice = terms.map((line) => `// ${line}`.trimEnd()).join("\n");
console.log(`// The decoder of Zstandard 1.5.7, compiled by build.sh, in base64. Its licence:
//
${notice}

export const ZSTD_DECODER: string = [
${lines.join("\n")}
].join("");`);
