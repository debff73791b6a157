// Whole small objects are compared with the ETag that came with them, where that is the MD5 of the bytes: HTTP cannot show a
// body that something on the way cut short and counted again. An ETag is a version and no promise of a digest (it is none of
// uploads in parts, nor where keys of the user's encrypt): who finds that bytes and tag differ asks again, and where the
// server gives the same bytes again, and says of their length that it is right, its tags are no digests, and that is
// remembered. Larger objects have checksums of their own, as chunks do.

import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { StoreRequestError } from "../errors.ts";
import type { StoreKey } from "../store.ts";
import type { Answer } from "../wire/wireAnswer.ts";

/** A hash of so many bytes takes some milliseconds. */
const MOST_HASHED = 2 ** 20;

type Check = (response: Pick<Answer, "headers">, bytes: Uint8Array) => Promise<void>;

export class WholeChecks {
  #tagsAreDigests = true;

  /** For all attempts of one read. `head`: the length and the tag, as the server says them without the bytes. */
  begin(key: StoreKey, head: () => Promise<string | undefined>): Check {
    let before: string | null = null;
    return async ({ headers }, bytes) => {
      const tag = /^"([0-9a-f]{32})"$/.exec(headers.get("ETag") ?? "")?.[1];
      if (!this.#tagsAreDigests || tag === undefined || bytes.length > MOST_HASHED || isEncrypted(headers))
        return;
      const found = bytesToHex(md5(bytes));
      if (found === tag) return;
      const isSame = found === before;
      before = found;
      if (isSame && (await head()) === `${bytes.length} "${tag}"`) {
        this.#tagsAreDigests = false;
        return;
      }
      throw new StoreRequestError({
        what: `the answer's ${bytes.length} bytes have the MD5 ${found}, and its tag is ${tag}`,
        where: key,
        retryable: true,
        cure: "Something on the way changes answers, or the object is being written: try again",
      });
    };
  }
}

/** By keys of the user's or of a key service: then tags are of something else. */
const isEncrypted = (headers: Answer["headers"]): boolean =>
  /kms/i.test(headers.get("x-amz-server-side-encryption") ?? "") ||
  headers.has("x-amz-server-side-encryption-customer-algorithm");
