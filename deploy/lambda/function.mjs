// A function on AWS Lambda that does batches: behind a function URL with IAM, for executor: functions({url, sign: {service:
// "lambda", region}}). Of the environment: CHUNKWISE_STORE, CHUNKWISE_ALLOW_STORES (with commas between), CHUNKWISE_ALLOWED_MEM.

import { lambdaHandler } from "chunkwise/functions";

const { CHUNKWISE_STORE, CHUNKWISE_ALLOW_STORES = "", CHUNKWISE_ALLOWED_MEM, LAMBDA_TASK_ROOT } = process.env;

export const handler = lambdaHandler({
  store: CHUNKWISE_STORE,
  stores: CHUNKWISE_ALLOW_STORES.split(",").filter((root) => root !== ""),
  // Users' functions come with the code of the function, and from nowhere else.
  modules: [`${LAMBDA_TASK_ROOT ?? import.meta.dirname}/modules`],
  threads: 1,
  allowedMem: CHUNKWISE_ALLOWED_MEM ?? "1200MB",
  // Who may call is what AWS checks (AuthType: AWS_IAM).
  token: null,
});
