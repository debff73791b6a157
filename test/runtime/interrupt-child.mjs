// A long computation with little memory, so that it has files of its own; says when it has begun.

import { join } from "node:path";
import * as cw from "../../dist/index.js";

const dir = process.argv[2];
const slow = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "slow");
const x = cw.mapBlocks(slow, cw.ones([4000, 100], { chunks: [10, 100] }));
let begun = 0;
await x
  .subtract(x.get("::-1"))
  .toZarr(join(dir, "y.zarr"), {
    spec: new cw.Spec({ allowedMem: "10.2MB", reservedMem: "10MB", threads: 2 }),
    onEvent(event) {
      if (event.type === "spill" && begun++ === 0) console.log("begun");
    },
  })
  .catch((error) => console.log(error.name, error.message));
