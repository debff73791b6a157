// The door of `chunkwise/zarr`: stores, groups and arrays chunk by chunk, for those who want no computation.

export { type Block, newBlock } from "../core/block.ts";
export * from "../storage/index.ts";
