// Requests and answers of S3, which Google's XML interface shares: pages of listings, uploads in parts, deletion of many. In:
// names. Out: requests; what answers say. Must hold: a listing that left something out is not taken for a whole one.

import { md5 } from "@noble/hashes/legacy.js";
import { utf8 } from "../zarr/zarrJson.ts";
import { mustHave } from "./cloudErrors.ts";
import type { CloudRequest, ListedName, ListedPage, PartsDialect } from "./objectService.ts";
import { childrenOf, childText, escaped, type XmlElement } from "./xmlReader.ts";

export function s3Listing(prefix: string, isFlat: boolean, from: string | undefined): CloudRequest {
  const query: { [name: string]: string } = { "list-type": "2", "encoding-type": "url", prefix };
  if (!isFlat) query["delimiter"] = "/";
  if (from !== undefined) query["continuation-token"] = from;
  return { method: "GET", name: "", query };
}

export function s3Page(answer: XmlElement): ListedPage {
  const isEncoded = childText(answer, "EncodingType") === "url";
  const nameOf = (text: string): string =>
    isEncoded ? decodeURIComponent(text.replaceAll("+", "%20")) : text;
  const objects = childrenOf(answer, "Contents").map(
    (entry): ListedName => ({
      name: nameOf(mustHave(entry, "Key")),
      size: Number(mustHave(entry, "Size")),
      modified: Date.parse(mustHave(entry, "LastModified")),
      version: childText(entry, "ETag"),
    }),
  );
  const folders = childrenOf(answer, "CommonPrefixes").map((entry) => nameOf(mustHave(entry, "Prefix")));
  const isCut = mustHave(answer, "IsTruncated") === "true";
  return { objects, folders, next: isCut ? mustHave(answer, "NextContinuationToken") : undefined };
}

export const S3_PARTS: PartsDialect = {
  begin: (name) => ({ method: "POST", name, query: { uploads: "" } }),
  uploadOf: (answer) => childText(answer, "UploadId"),
  part: (name, uploadId, number, body) => ({
    ...{ method: "PUT", name, body },
    query: { partNumber: String(number), uploadId },
  }),
  tagOf: (headers) => headers.get("ETag"),
  complete: (name, uploadId, parts) => ({
    ...{ method: "POST", name, query: { uploadId } },
    body: utf8(
      `<CompleteMultipartUpload>${parts
        .map(
          ({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
        )
        .join("")}</CompleteMultipartUpload>`,
    ),
  }),
  abort: (name, uploadId) => ({ method: "DELETE", name, query: { uploadId } }),
  overCode: "NoSuchUpload",
};

/** At most 1000, as many as a page lists. */
export function s3Deletion(names: readonly string[]): CloudRequest {
  const objects = names.map((name) => `<Object><Key>${escaped(name)}</Key></Object>`).join("");
  const body = utf8(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
  const digest = btoa(String.fromCharCode(...md5(body)));
  return { method: "POST", name: "", query: { delete: "" }, headers: { "Content-MD5": digest }, body };
}
