// Which task threads the library starts in this process, seen from outside: runs with default options are given no option,
// and so nobody who could be told. In: nothing. Out: a function that says how many there were.

import { createRequire } from "node:module";

/** Before the library is imported. */
export function watchThreads() {
  const threads = createRequire(import.meta.url)("node:worker_threads");
  let count = 0;
  threads.Worker = class extends threads.Worker {
    constructor(address, options) {
      super(address, options);
      if (options?.name === "chunkwise-task") count++;
    }
  };
  return () => count;
}
