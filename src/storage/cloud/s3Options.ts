// Options of stores in S3, and keys as users give them and as they are used.

import type { Address } from "../../core/platform.ts";
import type { CloudStoreOptions } from "./cloudOptions.ts";

/** Keys of S3, as `credentials` of an S3Store takes them. */
export interface AwsCredentials {
  /** The public half. */
  readonly accessKeyId: string;
  /** The secret half. */
  readonly secretAccessKey: string;
  /** Comes with keys that hold for a while. */
  readonly sessionToken?: string;
  /** When they end: a Date, or ms since 1970. */
  readonly expires?: Date | number;
}

/** Options of `new cw.S3Store(address, …)`. What is not given comes from the environment and from profile files. */
export interface S3StoreOptions extends CloudStoreOptions {
  /** Where the bucket is; AWS_REGION, the profile's, or us-east-1 unless given. */
  region?: string;
  /** Of a service other than AWS: "https://minio.example.org:9000"; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL unless given. */
  endpoint?: string | Address;
  /** Keys, or a function that gives some whenever those it gave are about to end. */
  credentials?: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>);
  /** Requests are not signed: for what everybody may read. */
  anonymous?: boolean;
  /** The profile of ~/.aws/credentials and ~/.aws/config; AWS_PROFILE or default unless given. */
  profile?: string;
  /** Whether the bucket is part of the path, not of the host's name; so with other endpoints than AWS unless given. */
  pathStyle?: boolean;
}

/** Keys as they were found. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** In ms since 1970. */
  readonly expires?: number | undefined;
}
