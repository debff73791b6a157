// What goes wrong when a plan is drawn.

import { ChunkwiseError } from "../../core/errors.ts";

/** A plan cannot be drawn, or not be shown. */
export class VisualizeError extends ChunkwiseError {}
