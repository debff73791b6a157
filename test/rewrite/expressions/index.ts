// Random expressions for scripts and tests: made, built, compared.

export { buildProgram } from "./build.ts";
export { differenceFrom, judge, type ProgramResult } from "./compare.ts";
export { chunksFor, type RandomProgram, randomProgram } from "./program.ts";
export { digestOf, domainProgram } from "./wholeDomain.ts";
