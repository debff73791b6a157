// The token that a machine at Google is given by its metadata server. Out: a token and when it ends, or an error that says where
// was looked.

import type { Fetch } from "../../core/platform.ts";
import { StoreRequestError } from "../errors.ts";
import { fromUtf8 } from "../zarr/zarrJson.ts";
import type { AccessToken } from "./accessToken.ts";
import { bounded } from "./cloudErrors.ts";
import { environment } from "./environment.ts";

const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
/** It is on the same machine, or nowhere. */
const TIMEOUT_MS = 3000;

export async function metadataToken(use: Fetch | undefined): Promise<AccessToken> {
  const host = environment("GCE_METADATA_HOST") ?? "metadata.google.internal";
  try {
    const response = await (use ?? fetch)(`http://${host}${PATH}`, {
      headers: { "Metadata-Flavor": "Google" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
    });
    const text = fromUtf8(await bounded(response, 64 * 1024));
    const answer = (response.ok ? JSON.parse(text) : {}) as { access_token?: unknown; expires_in?: unknown };
    if (typeof answer.access_token === "string")
      return { token: answer.access_token, expires: Date.now() + Number(answer.expires_in ?? 300) * 1000 };
  } catch {
    // What it said may hold the token: the error below says enough.
  }
  throw new StoreRequestError({
    what: `no token for Google Cloud Storage: looked for GOOGLE_OAUTH_ACCESS_TOKEN in the environment, and asked ${host}`,
    retryable: false,
    cure: "Set GOOGLE_OAUTH_ACCESS_TOKEN=$(gcloud auth print-access-token), give {token}, or say {anonymous: true} for what everybody may read",
  });
}
