// Keys that a service gives for a while: for a token of a web identity (Kubernetes), or to a container. In: where to ask. Out:
// keys and when they end, or a typed error. Must hold: tokens are in no error; a container's address is one of this machine or
// encrypted, so that nobody else is told the token.

import { ValueError } from "../../core/errors.ts";
import { requireBuiltin } from "../builtin.ts";
import { messageOf, StoreRequestError } from "../errors.ts";
import { fromUtf8 } from "../zarr/zarrJson.ts";
import { endpointOf, queryText } from "./cloudAddress.ts";
import { bounded } from "./cloudErrors.ts";
import type { CloudStoreOptions } from "./cloudOptions.ts";
import { environment } from "./environment.ts";
import type { AwsKeys } from "./s3Options.ts";
import { childText, readXml, type XmlElement } from "./xmlReader.ts";

export interface WebIdentity {
  readonly tokenFile: string;
  readonly role: string;
  readonly session: string | undefined;
  readonly region: string;
}

const MOST_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

export async function webIdentityKeys(identity: WebIdentity, options: CloudStoreOptions): Promise<AwsKeys> {
  const { tokenFile, role, session, region } = identity;
  const token = await textOf(tokenFile, "AWS_WEB_IDENTITY_TOKEN_FILE");
  const china = region.startsWith("cn-") ? ".cn" : "";
  const named = environment("AWS_ENDPOINT_URL_STS");
  const endpoint =
    named === undefined
      ? `https://sts.${region}.amazonaws.com${china}`
      : endpointOf(named, "AWS_ENDPOINT_URL_STS");
  const body = queryText({
    ...{ Action: "AssumeRoleWithWebIdentity", Version: "2011-06-15", RoleArn: role },
    ...{ RoleSessionName: session ?? "chunkwise", WebIdentityToken: token },
  });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const what = "the role of the web identity";
  const answer = await asked(what, `${endpoint}/`, { method: "POST", headers, body }, options);
  return stsKeys(what, answer);
}

function stsKeys(what: string, answer: string): AwsKeys {
  try {
    const inside = (element: XmlElement, name: string): XmlElement =>
      element.children.find((child) => child.name === name) ?? element;
    const keys = inside(inside(readXml(answer), "AssumeRoleWithWebIdentityResult"), "Credentials");
    return keysFrom(what, (name) => childText(keys, name), "SecretAccessKey", "SessionToken");
  } catch (cause) {
    if (cause instanceof StoreRequestError) throw cause;
    throw failed(what, `an answer that is no XML (${messageOf(cause)})`, true);
  }
}

/** Null where the environment names no container's address. */
export async function containerKeys(options: CloudStoreOptions): Promise<AwsKeys | null> {
  const [relative, full] = [
    environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
    environment("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
  ];
  if (relative === undefined && full === undefined) return null;
  const url = relative === undefined ? containerUrl(full!) : new URL(`http://169.254.170.2${relative}`).href;
  const file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const token =
    file === undefined
      ? environment("AWS_CONTAINER_AUTHORIZATION_TOKEN")
      : await textOf(file, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const what = "the container's credentials";
  const headers = token === undefined ? {} : { Authorization: token };
  const answer = await asked(what, url, { headers }, options);
  let found: { readonly [name: string]: unknown };
  try {
    found = JSON.parse(answer) as { readonly [name: string]: unknown };
  } catch {
    throw failed(what, "an answer that is no JSON", true);
  }
  return keysFrom(what, (name) => found[name] as string | undefined, "SecretAccessKey", "Token");
}

const HOSTS_HERE = /^(localhost|127(\.\d+){3}|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;

function containerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url !== null &&
    (url.protocol === "https:" || (url.protocol === "http:" && HOSTS_HERE.test(url.hostname)))
  )
    return url.href;
  throw new ValueError({
    what: "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https: nor an address of this machine",
    cure: "Its token would be told to others: set it as the container's platform does",
  });
}

function keysFrom(
  what: string,
  of: (name: string) => unknown,
  secretName: string,
  tokenName: string,
): AwsKeys {
  const [accessKeyId, secretAccessKey, sessionToken] = [of("AccessKeyId"), of(secretName), of(tokenName)];
  const expires = Date.parse(String(of("Expiration")));
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string")
    throw failed(what, "an answer without keys", false);
  const token = typeof sessionToken === "string" ? { sessionToken } : {};
  return { accessKeyId, secretAccessKey, ...token, ...(Number.isNaN(expires) ? {} : { expires }) };
}

async function textOf(path: string, variable: string): Promise<string> {
  const fs = await requireBuiltin("node:fs");
  try {
    return fs.readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new ValueError({
      what: `${variable}: ${messageOf(cause)}`,
      cure: "Is the file there, and may this process read it?",
    });
  }
}

/** The text of an answer. What went wrong is told without the request, which holds a token. */
async function asked(
  what: string,
  url: string,
  init: RequestInit,
  options: CloudStoreOptions,
): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await (options.fetch ?? fetch)(url, { ...init, signal, redirect: "manual" });
    const text = fromUtf8(await bounded(response, MOST_BYTES));
    if (response.ok) return text;
    const isPassing = response.status >= 500 || response.status === 429;
    const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? "";
    throw failed(what, `the answer ${response.status} ${code}`.trimEnd(), isPassing);
  } catch (cause) {
    if (cause instanceof StoreRequestError) throw cause;
    throw failed(what, signal.aborted ? `no answer within ${TIMEOUT_MS} ms` : "no connection", true);
  }
}

const failed = (what: string, why: string, retryable: boolean): StoreRequestError =>
  new StoreRequestError({
    what: `${what} could not be had: ${why}`,
    retryable,
    cure: "Check the variables AWS_… of the environment, and whether the role may be taken",
  });
