// The door of `chunkwise/bullmq`: workers at a queue in Redis. The packages bullmq and ioredis are loaded when a run begins.

export { type BullmqOptions, bullmq } from "../runtime/pools/queue/bullmqExecutor.ts";
export { QueueError } from "../runtime/pools/queue/queueErrors.ts";
export type { RedisAddress, RedisTls } from "../runtime/pools/queue/redisAddress.ts";
