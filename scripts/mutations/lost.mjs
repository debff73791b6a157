// Mistakes about intermediates that are gone when somebody reads them (A7): see ../mutate.mjs.

export const TESTS = ["test/runtime/lost.test.ts"];

export const MUTATIONS = [
  {
    name: "A7: a missing intermediate is read as its fill value",
    changes: [["storage/zarr/array.ts", 'return this.#options.missing === "error";', "return false;"]],
  },
  {
    name: "A7: a missing intermediate is read as its fill value, on task threads",
    changes: [["runtime/pools/openRun.ts", 'missing: expectsAll ? "error" : "fill"', 'missing: "fill"']],
  },
  {
    name: "A7: what is gone is not computed again",
    changes: [
      [
        "runtime/run.ts",
        "lostBy: (ref, error) => lostInputs(execution, store, ref, error)",
        "lostBy: () => null",
      ],
    ],
  },
];
