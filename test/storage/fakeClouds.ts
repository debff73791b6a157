// Google Cloud Storage (its XML interface) and Azure's blob storage, as their references describe them, in memory: what the
// stores ask for and no more, and whoever asks for anything else, or without proof of who he is, is refused. Pages are short, so
// that listings have several.

import { createHash } from "node:crypto";
import type { Answered, Asked } from "./fakeServer.ts";

interface Stored {
  readonly bytes: Buffer;
  readonly tag: string;
  readonly notes: { readonly [name: string]: string };
}

const PAGE = 4;
const MODIFIED = new Date();

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex");
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const codeXml = (code: string): string => `<?xml version='1.0'?><Error><Code>${code}</Code></Error>`;
const refused = (status: number, code: string): Answered => ({ status, body: codeXml(code) });

abstract class FakeCloud {
  readonly objects = new Map<string, Stored>();
  readonly #bucket: string;

  constructor(bucket: string) {
    this.#bucket = bucket;
  }

  readonly answer = (asked: Asked): Answered => {
    const wrong = this.wrong(asked);
    if (wrong !== null) return wrong;
    const [, bucket, ...rest] = asked.path.split("/");
    if (bucket !== this.#bucket) return this.noBucket();
    const name = rest.join("/");
    return name === "" ? this.atBucket(asked) : this.atObject(name, asked);
  };

  protected abstract wrong(asked: Asked): Answered | null;
  protected abstract noBucket(): Answered;
  protected abstract atBucket(asked: Asked): Answered;
  protected abstract atObject(name: string, asked: Asked): Answered;

  /** The whole, a range, or only what is known of it. */
  protected read(name: string, { method, headers }: Asked, notes: string, missing: string): Answered {
    const found = this.objects.get(name);
    if (found === undefined) return method === "HEAD" ? { status: 404 } : refused(404, missing);
    if (headers["if-match"] !== undefined && headers["if-match"] !== found.tag)
      return refused(412, "PreconditionFailed");
    const { bytes, tag } = found;
    const known = Object.entries(found.notes).map(([name, text]) => [notes + name, text] as const);
    const shared = { ETag: tag, "Last-Modified": MODIFIED.toUTCString(), ...Object.fromEntries(known) };
    if (headers.range === undefined)
      return { headers: { ...shared, "Content-Length": String(bytes.length) }, body: bytes };
    const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range)!;
    const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
    const end = first === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
    if (start >= bytes.length) return refused(416, "InvalidRange");
    const range = `bytes ${start}-${end - 1}/${bytes.length}`;
    return { status: 206, headers: { ...shared, "Content-Range": range }, body: bytes.subarray(start, end) };
  }

  protected page(
    query: URLSearchParams,
    marker: string,
  ): { names: string[]; folders: string[]; next: string } {
    const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter")];
    const found = new Set<string>();
    for (const name of [...this.objects.keys()].sort()) {
      if (!name.startsWith(prefix)) continue;
      const cut = delimiter === null ? -1 : name.indexOf(delimiter, prefix.length);
      found.add(cut < 0 ? name : name.slice(0, cut + 1));
    }
    const rest = [...found].filter((name) => name > marker);
    const listed = rest.slice(0, PAGE);
    const isFolder = (name: string): boolean => delimiter !== null && name.endsWith(delimiter);
    return {
      names: listed.filter((name) => !isFolder(name)),
      folders: listed.filter(isFolder),
      next: rest.length > PAGE ? listed.at(-1)! : "",
    };
  }
}

/** Headers by which the object is described, without what their names begin with. */
const notesIn = ({ headers }: Asked, start: string): { [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(start))
      .map(([name, text]) => [name.slice(start.length), String(text)]),
  );

/** Parameters that are none of these. */
const others = ({ query }: Asked, ...known: string[]): string[] =>
  [...query.keys()].filter((name) => !known.includes(name));

export class FakeGcs extends FakeCloud {
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly #token: string;

  constructor(bucket: string, token: string) {
    super(bucket);
    this.#token = token;
  }

  protected wrong(asked: Asked): Answered | null {
    const { headers } = asked;
    if (Object.keys(headers).some((name) => name.startsWith("x-amz-") || name.startsWith("x-ms-")))
      return refused(400, "InvalidArgument");
    return headers.authorization === `Bearer ${this.#token}` ? null : refused(401, "AuthenticationRequired");
  }

  protected noBucket(): Answered {
    return refused(404, "NoSuchBucket");
  }

  protected atBucket(asked: Asked): Answered {
    const { method, query } = asked;
    const odd = others(asked, "list-type", "encoding-type", "prefix", "delimiter", "continuation-token");
    if (method !== "GET" || query.get("list-type") !== "2" || odd.length > 0)
      return refused(400, "InvalidArgument");
    const { names, folders, next } = this.page(query, query.get("continuation-token") ?? "");
    const contents = names.map((name) => {
      const { bytes, tag } = this.objects.get(name)!;
      return `<Contents><Key>${escaped(name)}</Key><Generation>1</Generation><LastModified>${MODIFIED.toISOString()}</LastModified><ETag>${escaped(tag)}</ETag><Size>${bytes.length}</Size></Contents>`;
    });
    const prefixes = folders.map(
      (name) => `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`,
    );
    const token = next === "" ? "" : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`;
    return {
      body: `<?xml version='1.0' encoding='UTF-8'?><ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'><Name>b</Name><IsTruncated>${next !== ""}</IsTruncated>${token}${contents.join("")}${prefixes.join("")}</ListBucketResult>`,
    };
  }

  protected atObject(name: string, asked: Asked): Answered {
    const { method, query, headers, body } = asked;
    if (query.size > 0) return this.#inParts(name, asked);
    if (method === "GET" || method === "HEAD") return this.read(name, asked, "x-goog-meta-", "NoSuchKey");
    if (method === "DELETE") return this.objects.delete(name) ? { status: 204 } : refused(404, "NoSuchKey");
    if (method !== "PUT") return refused(405, "MethodNotAllowed");
    const condition = headers["x-goog-if-generation-match"];
    if (condition !== undefined && (condition !== "0" || this.objects.has(name)))
      return refused(412, "PreconditionFailed");
    const tag = `"${md5(body)}"`;
    this.objects.set(name, { bytes: body, tag, notes: notesIn(asked, "x-goog-meta-") });
    return { headers: { ETag: tag } };
  }

  #inParts(name: string, asked: Asked): Answered {
    const { method, query, body } = asked;
    if (method === "POST" && query.has("uploads")) {
      const id = `${this.uploads.size}-${name}`;
      this.uploads.set(id, new Map());
      return {
        body: `<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    const id = query.get("uploadId") ?? "";
    const parts = this.uploads.get(id);
    if (parts === undefined || others(asked, "uploadId", "partNumber").length > 0)
      return refused(404, "NoSuchUpload");
    if (method === "PUT") {
      parts.set(Number(query.get("partNumber")), body);
      return { headers: { ETag: `"${md5(body)}"` } };
    }
    this.uploads.delete(id);
    if (method === "DELETE") return { status: 204 };
    const wanted = [...parts]
      .sort(([a], [b]) => a - b)
      .map(
        ([number, bytes]) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>&#34;${md5(bytes)}&#34;</ETag></Part>`,
      );
    if (body.toString() !== `<CompleteMultipartUpload>${wanted.join("")}</CompleteMultipartUpload>`)
      return refused(400, "InvalidPart");
    const bytes = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    this.objects.set(name, { bytes, tag: `"composite-${parts.size}"`, notes: {} });
    return { body: "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>" };
  }
}

export class FakeAzure extends FakeCloud {
  readonly blocks = new Map<string, Buffer>();
  readonly #proof: { readonly sas?: string; readonly token?: string };
  #changes = 0;

  constructor(container: string, proof: { readonly sas?: string; readonly token?: string }) {
    super(container);
    this.#proof = proof;
  }

  protected wrong({ headers, query }: Asked): Answered | null {
    const { sas, token } = this.#proof;
    if (!/^20\d\d-\d\d-\d\d$/.test(String(headers["x-ms-version"])))
      return refused(400, "MissingRequiredHeader");
    if (token !== undefined && Number.isNaN(Date.parse(String(headers["x-ms-date"]))))
      return refused(400, "MissingRequiredHeader");
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return refused(401, "InvalidAuthenticationInfo");
    for (const [name, value] of new URLSearchParams(sas ?? "")) {
      if (query.get(name) !== value) return refused(403, "AuthenticationFailed");
      query.delete(name);
    }
    return null;
  }

  protected noBucket(): Answered {
    return refused(404, "ContainerNotFound");
  }

  protected atBucket(asked: Asked): Answered {
    const { method, query } = asked;
    const odd = others(asked, "restype", "comp", "prefix", "delimiter", "marker");
    if (
      method !== "GET" ||
      query.get("restype") !== "container" ||
      query.get("comp") !== "list" ||
      odd.length > 0
    )
      return refused(400, "InvalidQueryParameterValue");
    const { names, folders, next } = this.page(query, query.get("marker") ?? "");
    const blobs = names.map((name) => {
      const { bytes, tag } = this.objects.get(name)!;
      return `<Blob><Name>${escaped(name)}</Name><Properties><Last-Modified>${MODIFIED.toUTCString()}</Last-Modified><Etag>${tag.slice(1, -1)}</Etag><Content-Length>${bytes.length}</Content-Length></Properties></Blob>`;
    });
    const prefixes = folders.map((name) => `<BlobPrefix><Name>${escaped(name)}</Name></BlobPrefix>`);
    return {
      body: `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="c"><Blobs>${blobs.join("")}${prefixes.join("")}</Blobs><NextMarker${next === "" ? " />" : `>${escaped(next)}</NextMarker>`}</EnumerationResults>`,
    };
  }

  protected atObject(name: string, asked: Asked): Answered {
    const { method, query, headers, body } = asked;
    if (method === "GET" || method === "HEAD") return this.read(name, asked, "x-ms-meta-", "BlobNotFound");
    if (method === "DELETE")
      return this.objects.delete(name) ? { status: 202 } : refused(404, "BlobNotFound");
    if (method !== "PUT") return refused(405, "UnsupportedHttpVerb");
    if (query.get("comp") === "block") {
      this.blocks.set(`${name} ${query.get("blockid")}`, body);
      return { status: 201 };
    }
    if (query.get("comp") === "blocklist") return this.#fromBlocks(name, body.toString());
    if (query.size > 0 || headers["x-ms-blob-type"] !== "BlockBlob")
      return refused(400, "MissingRequiredHeader");
    if (headers["if-none-match"] === "*" && this.objects.has(name)) return refused(409, "BlobAlreadyExists");
    return this.#put(name, body, notesIn(asked, "x-ms-meta-"));
  }

  #fromBlocks(name: string, list: string): Answered {
    const ids = [...list.matchAll(/<Latest>([^<]+)<\/Latest>/g)].map(
      ([, id]) => `${name} ${id!.replaceAll("&#61;", "=")}`,
    );
    if (ids.length === 0 || ids.some((id) => !this.blocks.has(id))) return refused(400, "InvalidBlockList");
    const lengths = new Set(ids.map((id) => id.length));
    if (lengths.size > 1) return refused(400, "InvalidBlobOrBlock");
    return this.#put(name, Buffer.concat(ids.map((id) => this.blocks.get(id)!)), {});
  }

  #put(name: string, bytes: Buffer, notes: { [name: string]: string }): Answered {
    const tag = `"0x8D${(++this.#changes).toString(16).toUpperCase()}"`;
    this.objects.set(name, { bytes, tag, notes });
    return { status: 201, headers: { ETag: tag } };
  }
}
