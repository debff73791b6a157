// The door of `chunkwise/ragged`: nested data of any size, of which only what is needed is read.

export * from "../array/ragged/index.ts";
