// What a task thread loads: the loop that runs tasks, and the layer of arrays that users' functions work with.

import { installRaggedMethods } from "../array/ragged/methods.ts";
import { taskParts } from "../array/taskParts.ts";
import { defaultBackend } from "../defaultBackend.ts";
import { serveTasks } from "../runtime/pools/threadServer.ts";

installRaggedMethods();
await serveTasks(taskParts(), defaultBackend);
