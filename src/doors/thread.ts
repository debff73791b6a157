// What a task thread loads: the loop that runs tasks, and the layer of arrays that users' functions work with.

import { taskParts } from "../array/taskParts.ts";
import { serveTasks } from "../runtime/pools/thread.ts";

await serveTasks(taskParts());
