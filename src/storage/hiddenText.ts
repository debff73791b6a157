// Text for messages, without secrets. In: text that services or `fetch` wrote, and what must not be read in it. Out: the same,
// with stars in their places, also where a secret stands as an address has it.

/** Shorter ones are no secrets, and would make stars of everything. */
const SHORTEST = 6;

/** Signatures and tokens, as requests have them. */
const PROOFS = /\b((?:X-Amz-)?Signature=|Credential=|sig=|Bearer\s+)[^\s&,"']+/gi;

export function hiddenIn(text: string, secrets: readonly string[]): string {
  let shown = text.replace(PROOFS, "$1***");
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of [secret, encodeURIComponent(secret), decoded(secret)])
      shown = shown.replaceAll(form, "***");
  }
  return shown;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
