// The default engine: the one that the functions of the namespace use.

import { defaultBackend } from "../defaultBackend.ts";
import { Engine } from "../engine.ts";
import { VECTORS } from "./ragged/behaviors/vectors.ts";
import { taskParts } from "./taskParts.ts";

/**
 * What computations share: codecs, executors, passes, plans, usual settings. `cw.engine.codecs.add({name: "delta",
 * module: new URL("./delta.js", import.meta.url)})`.
 */
export const engine: Engine = new Engine(taskParts(), defaultBackend, VECTORS);
