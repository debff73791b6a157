// A store in S3, or in what speaks like it. In: s3://bucket/path and options. Out: a Store. Must hold: its location names
// where it is, never who asks; keys that were given as options stay in this thread, and others ask it for objects.

import type { Address } from "../../core/platform.ts";
import type { StoreLocation } from "../store.ts";
import { cloudAddress } from "./cloudAddress.ts";
import { checkCloudOptions } from "./cloudOptions.ts";
import { CloudStore } from "./cloudStore.ts";
import type { S3StoreOptions } from "./s3Options.ts";
import { givenPlace, openS3 } from "./s3Service.ts";

/**
 * A store in S3, R2, MinIO, Ceph and the like: `new cw.S3Store("s3://bucket/data.zarr", {region: "eu-central-1"})`. The
 * address alone does the same wherever a store is asked for, with what the environment says.
 */
export class S3Store extends CloudStore {
  readonly #location: StoreLocation | null;

  constructor(address: string | Address, options: S3StoreOptions = {}) {
    const parsed = cloudAddress(address, "s3");
    checkCloudOptions(options, [...SENT, "credentials"]);
    super(parsed.path, options, () => openS3(parsed, options));
    const { region, endpoint } = givenPlace(options);
    const { pathStyle, anonymous, profile } = options;
    const isPlain = Object.keys(options).every((name) => SENT.has(name));
    this.#location = isPlain
      ? {
          ...({ kind: "s3", bucket: parsed.bucket, path: parsed.path } as const),
          ...(endpoint === undefined ? {} : { endpoint }),
          ...(region === undefined ? {} : { region }),
          ...(pathStyle === undefined ? {} : { pathStyle }),
          ...(anonymous === true ? { anonymous } : {}),
          ...(profile === undefined ? {} : { profile }),
        }
      : null;
  }

  /** Null where options were given that only this thread has, as keys. */
  location(): StoreLocation | null {
    return this.#location;
  }
}

/** Options that a location tells. */
const SENT: ReadonlySet<string> = new Set(["region", "endpoint", "anonymous", "profile", "pathStyle"]);
