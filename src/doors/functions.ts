// The door "chunkwise/functions": functions of any service as workers. `functions` is the executor of a run; `handler` and
// `lambdaHandler` make the function that a service is given.

import { batchWorker } from "../array/batchWorker.ts";
import {
  type LambdaAnswer,
  type LambdaEvent,
  lambdaOf,
  type RequestHandler,
  requestHandler,
} from "../runtime/pools/functions/requestHandler.ts";
import type { WorkerOptions } from "../runtime/pools/remote/batchRunner.ts";

export { type FunctionsOptions, functions } from "../runtime/pools/functions/functionsPool.ts";
export type { LambdaAnswer, LambdaEvent, RequestHandler } from "../runtime/pools/functions/requestHandler.ts";
export type { Credentials, Signing } from "../runtime/pools/functions/signing.ts";
export type { WorkerOptions } from "../runtime/pools/remote/batchRunner.ts";

/** Options of `handler` and `lambdaHandler`. */
export interface HandlerOptions extends WorkerOptions {
  /** What callers must know: 16 characters or more, at random. null: whoever may call the service may have batches done. */
  readonly token: string | null;
}

/**
 * A function for any service that hands over a Request and takes a Response: `export default {fetch: handler({store:
 * "s3://bucket/work", token: process.env.TOKEN})}`.
 */
export const handler = (options: HandlerOptions): RequestHandler =>
  requestHandler(() => batchWorker(options), options.token);

/**
 * The same for AWS Lambda, behind a function URL or an HTTP API: `export const handler = lambdaHandler({store:
 * "s3://bucket/work", token: null})`.
 */
export const lambdaHandler = (options: HandlerOptions): ((event: LambdaEvent) => Promise<LambdaAnswer>) =>
  lambdaOf(handler(options));
