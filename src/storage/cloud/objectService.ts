// What one kind of object storage does in its own way: addresses, proof of who asks, pages of listings, uploads in parts. In:
// what CloudStore wants. Out: requests, and what answers mean. S3 and Google's XML interface are one dialect (s3Dialect.ts);
// Azure's is another (azureDialect.ts).

import type { XmlElement } from "./xmlReader.ts";

export interface CloudRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The object's name in its bucket; "" for the bucket. */
  readonly name: string;
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Uint8Array;
}

/** A request with all that proves who asks. Never part of a message: it holds secrets. */
export interface Authorized {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

/** Why a service does not do what was asked. */
export interface Refusal {
  readonly status: number;
  /** The service's name for it; "" where it gave none. */
  readonly code: string;
  readonly message: string;
  /** Where the bucket is, when it says so. */
  readonly region: string | undefined;
  /** The server's time, in ms. */
  readonly date: number;
  readonly retryAfterMs: number;
}

export interface ListedName {
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly version: string | undefined;
}

export interface ListedPage {
  readonly objects: readonly ListedName[];
  /** Names that end with "/", of what has more below it. */
  readonly folders: readonly string[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/** Parts of an object that a service has taken, in order. */
export interface TakenPart {
  readonly number: number;
  readonly tag: string;
}

/** Headers of an answer. */
interface AnswerHeaders {
  get(name: string): string | null;
}

export interface PartsDialect {
  /** Begins an upload: a request whose answer has its name; null where none is needed. */
  readonly begin: ((name: string) => CloudRequest) | null;
  uploadOf(answer: XmlElement): string | undefined;
  part(name: string, upload: string, number: number, body: Uint8Array): CloudRequest;
  tagOf(headers: AnswerHeaders, upload: string, number: number): string | null;
  complete(name: string, upload: string, parts: readonly TakenPart[]): CloudRequest;
  /** Null where what is not completed goes by itself. */
  readonly abort: ((name: string, upload: string) => CloudRequest) | null;
  /** The code of a refusal that says that the upload is over: completed, or ended. */
  readonly overCode: string;
}

export interface ObjectService {
  /** "S3": what messages call it. */
  readonly title: string;
  /** "s3://bucket" */
  readonly where: string;
  /** The bucket under its one true name. */
  readonly address: string;
  /** `now`: the server's time, as far as that is known. */
  authorized(request: CloudRequest, now: number): Promise<Authorized>;
  /** What proves who asks was refused as too old: whether something newer can be had. */
  forgetCredentials(): boolean;
  /** Text in which no secret of this service is to be read. */
  hidden(text: string): string;
  /** With every object that is put. */
  readonly putHeaders: { readonly [name: string]: string };
  /** Puts only where nothing is. */
  readonly newHeaders: { readonly [name: string]: string };
  /** What the names of own notes on objects begin with. */
  readonly noteHeader: string;
  /** Whether conditions are known to be kept; else that is tried once. */
  readonly keepsConditions: boolean;
  /** Codes of refusals that say that the bucket is not there. */
  readonly noBucketCodes: readonly string[];
  listing(prefix: string, isFlat: boolean, from: string | undefined): CloudRequest;
  pageOf(answer: XmlElement): ListedPage;
  readonly parts: PartsDialect;
  /** Many at once; null where they are deleted one by one. */
  readonly deletion: ((names: readonly string[]) => CloudRequest) | null;
  /** What would help, where this service knows more than the status says. */
  cureFor(refusal: Refusal): string | undefined;
}
