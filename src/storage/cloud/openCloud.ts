// Stores of object storage by address or by location. In: text, or plain data that another thread or process sent. Out: a store,
// with the credentials of this environment.

import type { Address } from "../../core/platform.ts";
import type { AzureLocation, GcsLocation, S3Location } from "../store.ts";
import { AzureStore } from "./azureStore.ts";
import { addressText, cloudAddress, endpointOf } from "./cloudAddress.ts";
import type { CloudStore } from "./cloudStore.ts";
import { environment } from "./environment.ts";
import { GcsStore } from "./gcsStore.ts";
import { givenPlace } from "./s3Service.ts";
import { S3Store } from "./s3Store.ts";

export type CloudLocation = S3Location | GcsLocation | AzureLocation;

export function cloudStoreOf(address: string | Address): CloudStore {
  const { scheme } = cloudAddress(address);
  if (scheme === "s3") return new S3Store(address);
  return scheme === "gs" ? new GcsStore(address) : new AzureStore(address);
}

export function cloudStoreAt(location: CloudLocation): CloudStore {
  const { kind, endpoint, anonymous } = location;
  const shared = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(anonymous === true ? { anonymous } : {}),
  };
  const address = locationAddress(location);
  if (kind === "gs") return new GcsStore(address, shared);
  if (kind === "az") return new AzureStore(address, shared);
  const { region, pathStyle, profile } = location;
  return new S3Store(address, {
    ...shared,
    ...(region === undefined ? {} : { region }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
    ...(profile === undefined ? {} : { profile }),
  });
}

/** As users write it. */
export function locationAddress(location: CloudLocation): string {
  const { kind: scheme, path } = location;
  const [account, bucket] =
    location.kind === "az" ? [location.account, location.container] : ["", location.bucket];
  return addressText({ scheme, account, bucket, path });
}

/** Where a location's endpoint is not the one that this environment uses: its bucket's address there; else null. */
export function foreignSite(location: CloudLocation): string | null {
  const { kind, endpoint, path } = location;
  if (endpoint === undefined || endpoint === hereEndpoint(kind)) return null;
  const bucket = kind === "az" ? location.container : location.bucket;
  return [endpointOf(endpoint, "endpoint"), bucket, path].filter((part) => part !== "").join("/");
}

function hereEndpoint(kind: CloudLocation["kind"]): string | undefined {
  const variable = { gs: "STORAGE_EMULATOR_HOST", az: "AZURE_STORAGE_BLOB_ENDPOINT" };
  return kind === "s3" ? givenPlace({}).endpoint : environment(variable[kind]);
}

const TEXTS: ReadonlySet<string> = new Set([
  ...["bucket", "account", "container", "path", "endpoint", "region", "profile"],
]);

/** A location as a text has it: its members, as they must be, and no others; null where it is none. */
export function cloudLocationFrom(json: unknown): CloudLocation | null {
  if (typeof json !== "object" || json === null || !("kind" in json)) return null;
  if (json.kind !== "s3" && json.kind !== "gs" && json.kind !== "az") return null;
  const isRight = ([name, value]: [string, unknown]): boolean =>
    name === "kind" ||
    (TEXTS.has(name) && typeof value === "string") ||
    (name === "anonymous" && value === true) ||
    (name === "pathStyle" && typeof value === "boolean");
  if (!Object.entries(json).every(isRight)) return null;
  const location = { ...json } as CloudLocation;
  // Names that no address has are refused as addresses are.
  return isSame(locationAddress(location), location.path) ? location : null;
}

function isSame(address: string, path: unknown): boolean {
  try {
    return cloudAddress(address).path === path;
  } catch {
    return false;
  }
}
