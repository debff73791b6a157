// The door of `chunkwise/observe`: progress, history, pictures and traces of runs; representations of arrays.

export * from "../observe/index.ts";
