// What a task thread loads where no user's function is called. Building makes one file of it (scripts/bundle.mjs):
// a thread starts in a fraction of the time that hundreds of modules take.

import { serveTasks } from "../runtime/pools/thread.ts";

await serveTasks();
