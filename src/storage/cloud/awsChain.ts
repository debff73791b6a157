// Keys for S3: from the options, the environment, a web identity, a profile file, or the container. In: options. Out: keys that
// still hold for some minutes; they are had again before they end. Must hold: keys are in no error; where there are none, the
// error says where was looked.

import { StoreRequestError } from "../errors.ts";
import { hiddenIn } from "../hiddenText.ts";
import { awsProfile, profileName } from "./awsProfiles.ts";
import { containerKeys, webIdentityKeys } from "./awsRoles.ts";
import { environment } from "./environment.ts";
import { FreshValue } from "./freshValue.ts";
import type { AwsCredentials, AwsKeys, S3StoreOptions } from "./s3Options.ts";

/** Keys with what the signer remembers of them. */
type UsedKeys = AwsKeys & { readonly cache: Map<string, ArrayBuffer> };

export class AwsChain {
  readonly #options: S3StoreOptions;
  readonly #region: string;
  readonly #keys = new FreshValue<UsedKeys>(async () => ({ ...(await this.#found()), cache: new Map() }));
  #secrets: readonly string[] = [];

  constructor(options: S3StoreOptions, region: string) {
    this.#options = options;
    this.#region = region;
  }

  async keys(now: number): Promise<UsedKeys> {
    const keys = await this.#keys.value(now);
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    this.#secrets = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    return keys;
  }

  forget(): boolean {
    return this.#keys.forget();
  }

  hidden(text: string): string {
    return hiddenIn(text, this.#secrets);
  }

  async #found(): Promise<AwsKeys> {
    const { credentials, profile } = this.#options;
    if (typeof credentials === "function")
      return checkedKeys(await credentials(), "the function `credentials`");
    if (credentials !== undefined) return checkedKeys(credentials, "the option `credentials`");
    const looked: string[] = [];
    const ways = profile === undefined ? [this.#environment, this.#webIdentity] : [];
    for (const way of [...ways, this.#profile, this.#container]) {
      const keys = await way.call(this, looked);
      if (keys !== null) return keys;
    }
    throw new StoreRequestError({
      what: `no credentials for S3: looked for ${looked.join(", ")}`,
      retryable: false,
      cure: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, give {credentials}, or say {anonymous: true} (AWS_NO_SIGN_REQUEST=YES) for what everybody may read",
    });
  }

  async #environment(looked: string[]): Promise<AwsKeys | null> {
    const [accessKeyId, secretAccessKey] = [
      environment("AWS_ACCESS_KEY_ID"),
      environment("AWS_SECRET_ACCESS_KEY"),
    ];
    looked.push("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
    if (accessKeyId === undefined || secretAccessKey === undefined) return null;
    return { accessKeyId, secretAccessKey, sessionToken: environment("AWS_SESSION_TOKEN") };
  }

  async #webIdentity(looked: string[]): Promise<AwsKeys | null> {
    const [tokenFile, role] = [environment("AWS_WEB_IDENTITY_TOKEN_FILE"), environment("AWS_ROLE_ARN")];
    looked.push("a web identity (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN)");
    if (tokenFile === undefined || role === undefined) return null;
    const session = environment("AWS_ROLE_SESSION_NAME");
    return webIdentityKeys({ tokenFile, role, session, region: this.#region }, this.#options);
  }

  async #profile(looked: string[]): Promise<AwsKeys | null> {
    const name = profileName(this.#options.profile);
    looked.push(`the profile ${name} in ~/.aws`);
    const settings = await awsProfile(this.#options.profile);
    const [accessKeyId, secretAccessKey] = [
      settings.get("aws_access_key_id"),
      settings.get("aws_secret_access_key"),
    ];
    if (accessKeyId !== undefined && secretAccessKey !== undefined)
      return { accessKeyId, secretAccessKey, sessionToken: settings.get("aws_session_token") };
    const [tokenFile, role] = [settings.get("web_identity_token_file"), settings.get("role_arn")];
    if (tokenFile !== undefined && role !== undefined) {
      const session = settings.get("role_session_name");
      return webIdentityKeys({ tokenFile, role, session, region: this.#region }, this.#options);
    }
    const other = ["sso_session", "sso_start_url", "credential_process", "source_profile"].find((setting) =>
      settings.has(setting),
    );
    if (other === undefined) return null;
    throw new StoreRequestError({
      what: `the profile ${name} has ${other}, which is for the AWS command line`,
      retryable: false,
      cure: `Let it write keys to the environment: eval "$(aws configure export-credentials --profile ${name} --format env)"`,
    });
  }

  async #container(looked: string[]): Promise<AwsKeys | null> {
    looked.push("a container's (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI)");
    return containerKeys(this.#options);
  }
}

function checkedKeys(given: AwsCredentials, what: string): AwsKeys {
  const { accessKeyId, secretAccessKey, sessionToken, expires } = (given ?? {}) as Partial<AwsCredentials>;
  const isText = (text: unknown): boolean => typeof text === "string" && text !== "";
  if (isText(accessKeyId) && isText(secretAccessKey)) {
    const until = expires === undefined ? undefined : Number(expires);
    return { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey!, sessionToken, expires: until };
  }
  throw new StoreRequestError({
    what: `${what} gave no keys`,
    retryable: false,
    cure: "Give {accessKeyId, secretAccessKey}, and sessionToken where there is one",
  });
}
