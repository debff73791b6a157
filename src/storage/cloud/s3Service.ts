// S3 itself, and what speaks like it (R2, MinIO, Ceph). In: an address and options, the environment, profile files. Out: a
// service that signs requests. Must hold: keys are nowhere but in signatures; what messages and locations say is where the
// bucket is, never who asks.

import { once } from "../../core/block.ts";
import { ValueError } from "../../core/errors.ts";
import { ownBytes } from "../wire/wireClient.ts";
import { AwsChain } from "./awsChain.ts";
import { awsProfile } from "./awsProfiles.ts";
import { addressText, type CloudAddress, endpointOf, requestUrl } from "./cloudAddress.ts";
import { environment } from "./environment.ts";
import type { Authorized, CloudRequest, ObjectService, Refusal } from "./objectService.ts";
import { S3_PARTS, s3Deletion, s3Listing, s3Page } from "./s3Dialect.ts";
import type { S3StoreOptions } from "./s3Options.ts";

const signer = once(() => import("aws4fetch"));

interface Place {
  readonly region: string;
  /** Of the bucket, without "/" at its end. */
  readonly base: string;
}

/** Settings that are known without reading files: what a location tells. */
export function givenPlace({ region, endpoint }: S3StoreOptions): {
  region: string | undefined;
  endpoint: string | undefined;
} {
  const url = endpoint ?? environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL");
  return {
    region: checkedRegion(region ?? environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION")),
    endpoint: url === undefined ? undefined : endpointOf(url, "endpoint"),
  };
}

/** It becomes part of the name of a host. */
function checkedRegion(region: string | undefined): string | undefined {
  if (region === undefined || /^[a-z0-9-]{1,40}$/.test(region)) return region;
  throw new ValueError({
    what: "region is not the name of one",
    cure: 'Write it like "eu-central-1"',
  });
}

export async function openS3(address: CloudAddress, options: S3StoreOptions): Promise<S3Service> {
  const given = givenPlace(options);
  const needsFile = given.region === undefined || given.endpoint === undefined;
  const profile = needsFile ? await awsProfile(options.profile) : new Map<string, string>();
  const region = given.region ?? checkedRegion(profile.get("region")) ?? "us-east-1";
  const named = given.endpoint ?? profile.get("endpoint_url");
  const endpoint = named === undefined ? undefined : endpointOf(named, "endpoint_url");
  const place = { region, base: baseOf(address.bucket, region, endpoint, options.pathStyle) };
  const chain = options.anonymous === true || isUnsigned(options) ? null : new AwsChain(options, region);
  return new S3Service(addressText({ ...address, path: "" }), place, chain);
}

/** As other programs have it, where nobody says more. */
const isUnsigned = ({ credentials, profile, anonymous }: S3StoreOptions): boolean =>
  credentials === undefined &&
  profile === undefined &&
  anonymous === undefined &&
  /^(yes|true|1)$/i.test(environment("AWS_NO_SIGN_REQUEST") ?? "");

function baseOf(
  bucket: string,
  region: string,
  endpoint: string | undefined,
  pathStyle: boolean | undefined,
): string {
  const china = region.startsWith("cn-") ? ".cn" : "";
  const url = endpoint ?? `https://s3.${region}.amazonaws.com${china}`;
  // Certificates are for one name before the dot, and hosts have no capitals.
  const isHostName = /^[a-z0-9-]+$/.test(bucket);
  if (pathStyle ?? (endpoint !== undefined || !isHostName)) return `${url}/${bucket}`;
  return url.replace("://", `://${bucket}.`);
}

export class S3Service implements ObjectService {
  readonly title = "S3";
  readonly where: string;
  readonly address: string;
  readonly putHeaders = {};
  readonly newHeaders = { "If-None-Match": "*" };
  readonly noteHeader = "x-amz-meta-";
  readonly keepsConditions = false;
  readonly noBucketCodes = ["NoSuchBucket"];
  readonly listing = s3Listing;
  readonly pageOf = s3Page;
  readonly parts = S3_PARTS;
  readonly deletion = s3Deletion;
  readonly #place: Place;
  readonly #chain: AwsChain | null;

  constructor(where: string, place: Place, chain: AwsChain | null) {
    this.where = where;
    this.address = place.base;
    this.#place = place;
    this.#chain = chain;
  }

  async authorized(request: CloudRequest, now: number): Promise<Authorized> {
    const { method, headers = {}, body } = request;
    const url = requestUrl(this.#place.base, request);
    if (this.#chain === null) return { url, headers };
    const keys = await this.#chain.keys(now);
    const { AwsV4Signer } = await signer();
    const signed = await new AwsV4Signer({
      ...{ method, url, service: "s3", region: this.#place.region },
      headers: { ...headers, "X-Amz-Content-Sha256": await hexDigest(body) },
      ...{ accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
      ...(keys.sessionToken === undefined ? {} : { sessionToken: keys.sessionToken }),
      datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
      cache: keys.cache,
    }).sign();
    return { url, headers: Object.fromEntries(signed.headers) };
  }

  forgetCredentials(): boolean {
    return this.#chain?.forget() ?? false;
  }

  readonly hidden = (text: string): string => this.#chain?.hidden(text) ?? text;

  cureFor({ status, code, region }: Refusal): string | undefined {
    const isElsewhere = status === 301 || status === 307 || code === "AuthorizationHeaderMalformed";
    if (isElsewhere)
      return region === undefined
        ? `The bucket is in another region than ${this.#place.region}: say which, as {region: "eu-central-1"} or AWS_REGION`
        : `The bucket is in ${region}, not in ${this.#place.region}: say {region: "${region}"}, or AWS_REGION=${region}`;
    if (code === "InvalidAccessKeyId" || code === "SignatureDoesNotMatch")
      return "The keys are not those of this service: check them, the endpoint, and which profile is used";
    if (status === 403 && this.#chain === null) return "It is not for everybody: give credentials";
    if (code === "RequestTimeTooSkewed") return "Set the clock of this machine";
    return undefined;
  }
}

/** So that the service notices what was damaged on its way. */
async function hexDigest(body: Uint8Array | undefined): Promise<string> {
  const bytes = ownBytes(body ?? new Uint8Array(0));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
