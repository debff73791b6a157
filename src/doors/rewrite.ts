// The door of `chunkwise/rewrite`: the engine, and the pipeline with all its rules.

export { pipeline } from "../array/rewriting.ts";
export * from "../rewrite/index.ts";
