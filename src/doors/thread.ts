// What a task thread loads: the loop that runs tasks, and the layer of arrays that users' functions work with.

import "../array/functions/userFunction.ts";
import "../array/ragged/index.ts";
import { serveTasks } from "../runtime/pools/thread.ts";

await serveTasks();
