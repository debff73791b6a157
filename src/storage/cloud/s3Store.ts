// A store in S3, or in what speaks like it. In: s3://bucket/path and options. Out: a Store. Must hold: its location names
// where it is, never who asks; keys that were given as options stay in this thread, and others ask it for objects.

import type { Address } from "../../core/platform.ts";
import type { S3Location } from "../store.ts";
import { cloudAddress } from "./cloudAddress.ts";
import { checkCloudOptions, toldLocation } from "./cloudOptions.ts";
import { CloudStore } from "./cloudStore.ts";
import type { S3StoreOptions } from "./s3Options.ts";
import { givenPlace, openS3 } from "./s3Service.ts";

/**
 * A store in S3, R2, MinIO, Ceph and the like: `new cw.S3Store("s3://bucket/data.zarr", {region: "eu-central-1"})`. The
 * address alone does the same wherever a store is asked for, with what the environment says.
 */
export class S3Store extends CloudStore {
  constructor(address: string | Address, options: S3StoreOptions = {}) {
    const parsed = cloudAddress(address, "s3");
    const { pathStyle, anonymous, profile } = options;
    checkCloudOptions(options, [...TOLD, "credentials"]);
    const told = {
      ...givenPlace(options),
      pathStyle,
      anonymous: anonymous === true ? true : undefined,
      profile,
    };
    const place = { kind: "s3", bucket: parsed.bucket, path: parsed.path };
    super(parsed.path, options, toldLocation<S3Location>(place, options, told), () =>
      openS3(parsed, options),
    );
  }
}

/** Options that a location tells. */
const TOLD = ["region", "endpoint", "anonymous", "profile", "pathStyle"];
