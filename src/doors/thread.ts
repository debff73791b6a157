// What a task thread loads: the loop that runs tasks, and the layer of arrays that users' functions work with.

import "../array/functions/userFunction.ts";
import "../runtime/pools/thread.ts";
