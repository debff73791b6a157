// Requests signed for services of AWS (SigV4), by aws4fetch. In: a request, and credentials from options or the
// environment. Out: headers with the signature. Must hold: credentials are in no header but the signature, and in no error.

import { ValueError } from "../../../core/errors.ts";

/** What requests are signed for. */
export interface Signing {
  /** "lambda" for function URLs, "execute-api" for API Gateway. */
  readonly service: string;
  /** "eu-west-1". */
  readonly region: string;
  /** Who signs; what the environment says (AWS_ACCESS_KEY_ID, …) unless given. */
  readonly credentials?: Credentials | undefined;
}

/** Keys of an identity. */
export interface Credentials {
  /** Which identity. */
  readonly accessKeyId: string;
  /** Its secret. */
  readonly secretAccessKey: string;
  /** Of a session that ends. */
  readonly sessionToken?: string | undefined;
}

type Headers = { readonly [name: string]: string };
type Sign = (url: string, headers: Headers, body: string) => Promise<{ [name: string]: string }>;

/** The parts of aws4fetch that are used: it is asked for when a request is signed. */
interface Signer {
  sign(): Promise<{ readonly headers: { forEach(each: (value: string, name: string) => void): void } }>;
}
interface SigningModule {
  readonly AwsV4Signer: new (request: object) => Signer;
}

const { process: host } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };

/** Null where nothing is signed. */
export function signerOf(signing: Signing | undefined): Sign | null {
  if (signing === undefined) return null;
  const { service, region } = signing;
  if (typeof service !== "string" || typeof region !== "string" || service === "" || region === "")
    throw new ValueError({
      where: "functions",
      what: "sign has no service or no region",
      cure: 'Give sign: {service: "lambda", region: "eu-west-1"}',
    });
  return async (url, headers, body) => {
    const { AwsV4Signer } = await signingModule();
    const credentials = signing.credentials ?? fromEnvironment();
    const request = { method: "POST", url, headers, body, service, region, ...credentials };
    const signed: { [name: string]: string } = {};
    (await new AwsV4Signer(request).sign()).headers.forEach((value, name) => {
      signed[name] = value;
    });
    return signed;
  };
}

function fromEnvironment(): Credentials {
  const accessKeyId = host?.env?.["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = host?.env?.["AWS_SECRET_ACCESS_KEY"];
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: host?.env?.["AWS_SESSION_TOKEN"] };
  throw new ValueError({
    where: "functions",
    what: "requests are to be signed, and there are no credentials",
    cure: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give sign: {service, region, credentials}",
  });
}

const signingModule = async (): Promise<SigningModule> =>
  (await import("aws4fetch")) as unknown as SigningModule;
