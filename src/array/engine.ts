// The default engine: the one that the functions of the namespace use.

import { defaultBackend } from "../defaultBackend.ts";
import { Engine } from "../engine.ts";
import { taskParts } from "./taskParts.ts";

export const engine: Engine = new Engine(taskParts(), defaultBackend);
