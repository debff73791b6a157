// A store in Azure's blob storage. In: az://account/container/path and options. Out: a Store. Must hold: a SAS is in no
// location, no message and no listing, although it is part of every address that is asked.

import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { hiddenIn } from "../hiddenText.ts";
import type { AzureLocation } from "../store.ts";
import { Token, type TokenOption } from "./accessToken.ts";
import { AZURE_PARTS, azureListing, azurePage } from "./azureDialect.ts";
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
import type { Authorized, CloudRequest, ObjectService, Refusal } from "./objectService.ts";

/** Options of `new cw.AzureStore(address, …)`. */
export interface AzureStoreOptions extends CloudStoreOptions {
  /** A shared access signature, "sv=…&sig=…"; AZURE_STORAGE_SAS_TOKEN unless given. */
  sas?: string;
  /** An OAuth token of Entra ID. */
  token?: TokenOption;
  /** Without either: for what everybody may read. */
  anonymous?: boolean;
  /** Of the account, where it is not Azure's public one: "http://127.0.0.1:10000/devstoreaccount1". */
  endpoint?: string | Address;
}

/**
 * A store in Azure's blob storage: `new cw.AzureStore("az://account/container/data.zarr", {sas})`. The address alone does
 * the same wherever a store is asked for, with what the environment says.
 */
export class AzureStore extends CloudStore {
  constructor(address: string | Address, options: AzureStoreOptions = {}) {
    const parsed = cloudAddress(address, "az");
    checkCloudOptions(options, ["sas", "token", "anonymous", "endpoint"]);
    const named = options.endpoint ?? environment("AZURE_STORAGE_BLOB_ENDPOINT");
    const endpoint = named === undefined ? undefined : endpointOf(named, "endpoint");
    const told = { endpoint, anonymous: options.anonymous === true ? true : undefined };
    const place = { kind: "az", account: parsed.account, container: parsed.bucket, path: parsed.path };
    const location = toldLocation<AzureLocation>(place, options, told);
    super(parsed.path, options, location, async () => new AzureService(parsed, endpoint, options));
  }
}

class AzureService implements ObjectService {
  readonly title = "Azure";
  readonly where: string;
  readonly address: string;
  readonly putHeaders = { "x-ms-blob-type": "BlockBlob" };
  readonly newHeaders = { "If-None-Match": "*" };
  readonly noteHeader = "x-ms-meta-";
  readonly keepsConditions = true;
  readonly noBucketCodes = ["ContainerNotFound", "ContainerBeingDeleted"];
  readonly listing = azureListing;
  readonly pageOf = azurePage;
  readonly parts = AZURE_PARTS;
  readonly deletion = null;
  readonly #token: Token | null;
  readonly #sas: string;

  constructor(address: CloudAddress, endpoint: string | undefined, options: AzureStoreOptions) {
    const url = endpoint ?? `https://${address.account}.blob.core.windows.net`;
    this.where = addressText({ ...address, path: "" });
    this.address = `${url}/${address.bucket}`;
    const { token, anonymous } = options;
    const given = token === undefined ? (options.sas ?? environment("AZURE_STORAGE_SAS_TOKEN")) : options.sas;
    if (anonymous === true && (token !== undefined || options.sas !== undefined))
      throw new ValueError({ what: "anonymous: true, and a token or SAS", cure: "Give one of them" });
    this.#token = token === undefined ? null : Token.of(token);
    this.#sas = anonymous === true || given === undefined ? "" : checkedSas(given);
    if (anonymous !== true && this.#token === null && this.#sas === "") throw nothingGiven(this.where);
    if (anonymous !== true) checkTokenEndpoint(url, "a token or SAS");
  }

  async authorized(request: CloudRequest, now: number): Promise<Authorized> {
    const sent: { [name: string]: string } = { ...request.headers, "x-ms-version": "2021-12-02" };
    if (this.#token !== null) {
      sent["Authorization"] = `Bearer ${await this.#token.text(now)}`;
      sent["x-ms-date"] = new Date(now).toUTCString();
    }
    return { url: requestUrl(this.address, request, this.#sas), headers: sent };
  }

  forgetCredentials(): boolean {
    return this.#token?.forget() ?? false;
  }

  readonly hidden = (text: string): string => {
    const signature = /(?:^|&)sig=([^&]+)/.exec(this.#sas)?.[1];
    return hiddenIn(text, [
      this.#sas,
      ...(signature === undefined ? [] : [signature]),
      ...(this.#token?.secrets ?? []),
    ]);
  };

  cureFor({ status, code }: Refusal): string | undefined {
    if (code === "AuthenticationFailed")
      return "The SAS or token is wrong or too old: get a new one, and look at the clock of this machine";
    if (
      status === 401 ||
      status === 403 ||
      code === "ResourceNotFound" ||
      code === "PublicAccessNotPermitted"
    )
      return "Give a SAS or a token that may do this (read, write, list, delete)";
    return undefined;
  }
}

/** Its parts are sent as they are: a "?" before them is left out, and nothing but parts of a query may be in it. */
function checkedSas(given: string): string {
  const sas = given.replace(/^\?/, "");
  if (/^[\w.%=&:+/~-]+$/.test(sas) && /(?:^|&)sig=/.test(sas)) return sas;
  throw new ValueError({
    what: "sas is not a shared access signature",
    cure: 'It is a text like "sv=2022-11-02&sr=c&sp=rwdl&se=…&sig=…"',
  });
}

const nothingGiven = (where: string): ValueError =>
  new ValueError({
    what: `nothing that proves who asks for ${where}: looked for the options sas and token, and AZURE_STORAGE_SAS_TOKEN in the environment`,
    cure: "Give one of them, or say {anonymous: true} for what everybody may read",
  });
