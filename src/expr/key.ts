// Content keys: a name for a computation that is the same in every process. A key hashes the op, its
// attributes, the keys of the inputs, and the fingerprints of what is in memory: 128 bits of SHA-256, so
// two different computations never share a name.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { attrsText } from "../core/attrs.ts";
import type { Expr } from "./expr.ts";
import { postOrder } from "./walk.ts";

const keys = new WeakMap<Expr, string>();

/** 32 hexadecimal digits. */
export function contentKey(expr: Expr): string {
  for (const node of postOrder([expr], (input) => keys.has(input)))
    keys.set(node, hashText(describeNode(node)));
  return keys.get(expr)!;
}

function describeNode(node: Expr): string {
  const attrs = attrsText(node.attrs, (resource) => resource.fingerprint());
  return `${node.op.name}(${node.inputs.map((input) => keys.get(input)).join(",")}){${attrs}}`;
}

const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32);

/** The fingerprint of bytes in memory. */
export const fingerprintBytes = (bytes: Uint8Array): string => bytesToHex(sha256(bytes)).slice(0, 32);
