// Requests and answers of Azure's blob storage: pages of listings, and blobs in blocks. In: names. Out: requests; what answers
// say.

import { utf8 } from "../zarr/zarrJson.ts";
import { mustHave } from "./cloudErrors.ts";
import type { CloudRequest, ListedName, ListedPage, PartsDialect } from "./objectService.ts";
import { childrenOf, childText, escaped, type XmlElement } from "./xmlReader.ts";

export function azureListing(prefix: string, isFlat: boolean, from: string | undefined): CloudRequest {
  const query: { [name: string]: string } = { restype: "container", comp: "list", prefix };
  if (!isFlat) query["delimiter"] = "/";
  if (from !== undefined) query["marker"] = from;
  return { method: "GET", name: "", query };
}

export function azurePage(answer: XmlElement): ListedPage {
  const blobs = answer.children.find(({ name }) => name === "Blobs");
  const entries = blobs === undefined ? [] : childrenOf(blobs, "Blob");
  const folders = blobs === undefined ? [] : childrenOf(blobs, "BlobPrefix");
  const next = mustHave(answer, "NextMarker");
  return {
    objects: entries.map(listed),
    folders: folders.map(nameOf),
    next: next === "" ? undefined : next,
  };
}

function listed(blob: XmlElement): ListedName {
  const properties = blob.children.find(({ name }) => name === "Properties") ?? blob;
  return {
    name: nameOf(blob),
    size: Number(mustHave(properties, "Content-Length")),
    modified: Date.parse(mustHave(properties, "Last-Modified")),
    version: quoted(childText(properties, "Etag")),
  };
}

/** Names that XML cannot say are encoded, and say so in an attribute: those are no names of ours. */
const nameOf = (entry: XmlElement): string => mustHave(entry, "Name");

/** In listings a tag has no quotes. */
const quoted = (tag: string | undefined): string | undefined =>
  tag === undefined || tag.startsWith('"') ? tag : `"${tag}"`;

/** Blocks of one blob have names of one length. */
const blockName = (upload: string, number: number): string =>
  btoa(`${upload}-${String(number).padStart(6, "0")}`);

export const AZURE_PARTS: PartsDialect = {
  begin: null,
  uploadOf: () => undefined,
  part: (name, upload, number, body) => ({
    ...{ method: "PUT", name, body },
    query: { comp: "block", blockid: blockName(upload, number) },
  }),
  tagOf: (_, upload, number) => blockName(upload, number),
  complete: (name, _, parts) => ({
    ...{ method: "PUT", name, query: { comp: "blocklist" } },
    body: utf8(
      `<?xml version="1.0" encoding="utf-8"?><BlockList>${parts
        .map(({ tag }) => `<Latest>${escaped(tag)}</Latest>`)
        .join("")}</BlockList>`,
    ),
  }),
  // Blocks that are in no list go within a week.
  abort: null,
  overCode: "",
};
