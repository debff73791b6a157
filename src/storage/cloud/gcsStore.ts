// A store in Google Cloud Storage, by its XML interface: that of S3, with other proof of who asks. In: gs://bucket/path and
// options. Out: a Store. Must hold: tokens are in no location and in no error.

import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { hiddenIn } from "../hiddenText.ts";
import type { GcsLocation } from "../store.ts";
import { Token, type TokenOption } from "./accessToken.ts";
import {
  addressText,
  type CloudAddress,
  checkTokenEndpoint,
  cloudAddress,
  endpointOf,
  requestUrl,
} from "./cloudAddress.ts";
import { type CloudStoreOptions, checkCloudOptions, toldLocation } from "./cloudOptions.ts";
import { CloudStore } from "./cloudStore.ts";
import { environment } from "./environment.ts";
import { metadataToken } from "./googleMetadata.ts";
import type { Authorized, CloudRequest, ObjectService, Refusal } from "./objectService.ts";
import { S3_PARTS, s3Listing, s3Page } from "./s3Dialect.ts";

/** Options of `new cw.GcsStore(address, …)`. */
export interface GcsStoreOptions extends CloudStoreOptions {
  /** An OAuth token; GOOGLE_OAUTH_ACCESS_TOKEN, or the machine's own (the metadata server) unless given. */
  token?: TokenOption;
  /** Without a token: for what everybody may read. */
  anonymous?: boolean;
  /** Of a server that is not Google's; https://storage.googleapis.com unless given. */
  endpoint?: string | Address;
}

/**
 * A store in Google Cloud Storage: `new cw.GcsStore("gs://bucket/data.zarr", {anonymous: true})`. The address alone does
 * the same wherever a store is asked for, with what the environment says.
 */
export class GcsStore extends CloudStore {
  constructor(address: string | Address, options: GcsStoreOptions = {}) {
    const parsed = cloudAddress(address, "gs");
    checkCloudOptions(options, ["token", "anonymous", "endpoint"]);
    const named = options.endpoint ?? environment("STORAGE_EMULATOR_HOST");
    const endpoint = named === undefined ? undefined : endpointOf(withScheme(String(named)), "endpoint");
    const told = { endpoint, anonymous: options.anonymous === true ? true : undefined };
    const place = { kind: "gs", bucket: parsed.bucket, path: parsed.path };
    const location = toldLocation<GcsLocation>(place, options, told);
    super(parsed.path, options, location, async () => new GcsService(parsed, endpoint, options));
  }
}

/** Emulators are named by host and port. */
const withScheme = (text: string): string => (/^https?:\/\//.test(text) ? text : `http://${text}`);

class GcsService implements ObjectService {
  readonly title = "Google Cloud Storage";
  readonly where: string;
  readonly address: string;
  readonly putHeaders = {};
  readonly newHeaders = { "x-goog-if-generation-match": "0" };
  readonly noteHeader = "x-goog-meta-";
  readonly keepsConditions = true;
  readonly noBucketCodes = ["NoSuchBucket"];
  readonly listing = s3Listing;
  readonly pageOf = s3Page;
  readonly parts = S3_PARTS;
  readonly deletion = null;
  readonly #token: Token | null;

  constructor(address: CloudAddress, endpoint: string | undefined, options: GcsStoreOptions) {
    const url = endpoint ?? "https://storage.googleapis.com";
    this.where = addressText({ ...address, path: "" });
    this.address = `${url}/${address.bucket}`;
    this.#token = tokenOf(options);
    if (this.#token !== null) checkTokenEndpoint(url, "a token");
  }

  async authorized(request: CloudRequest, now: number): Promise<Authorized> {
    const { headers = {} } = request;
    const url = requestUrl(this.address, request);
    if (this.#token === null) return { url, headers };
    return { url, headers: { ...headers, Authorization: `Bearer ${await this.#token.text(now)}` } };
  }

  forgetCredentials(): boolean {
    return this.#token?.forget() ?? false;
  }

  readonly hidden = (text: string): string => hiddenIn(text, this.#token?.secrets ?? []);

  cureFor({ status }: Refusal): string | undefined {
    if (status !== 401 && status !== 403) return undefined;
    return this.#token === null
      ? "It is not for everybody: give {token}"
      : "Give a token that may do this: GOOGLE_OAUTH_ACCESS_TOKEN=$(gcloud auth print-access-token)";
  }
}

function tokenOf({ token, anonymous, fetch }: GcsStoreOptions): Token | null {
  if (token !== undefined && anonymous === true)
    throw new ValueError({ what: "a token, and anonymous: true", cure: "Give one of them" });
  if (anonymous === true) return null;
  const given = token ?? environment("GOOGLE_OAUTH_ACCESS_TOKEN");
  return given === undefined ? new Token(() => metadataToken(fetch)) : Token.of(given);
}
