// Values against the reference, bit for bit. In: results and the folders where their references lie. Out: null, or what
// differs. Any NaN is any other: which one an operation gives is left open by the standard.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const bytesOf = ({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Keeps values where compareWith finds them. */
export function writeReference(folder, arrays) {
  mkdirSync(folder, { recursive: true });
  const types = arrays.map(({ dtype, shape }) => ({ dtype, shape }));
  for (const [k, array] of arrays.entries()) writeFileSync(join(folder, `${k}.bin`), bytesOf(array));
  writeFileSync(join(folder, "types.json"), JSON.stringify(types));
}

/** The numbers of a result, as those of another array are held. */
export const referenceIn = (folder, k, data) => elementsAs({ data }, readFileSync(join(folder, `${k}.bin`)));

/** Elements of a typed array's kind, from bytes. */
function elementsAs({ data }, bytes) {
  return new data.constructor(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const wantedIn = (folder) =>
  JSON.parse(readFileSync(join(folder, "types.json"), "utf8")).map((type, k) => ({
    ...type,
    path: join(folder, `${k}.bin`),
  }));

/** The references of the first results lie in the first folder, and so on. */
export function compareWith(folders, arrays) {
  const wanted = folders.flatMap(wantedIn);
  if (wanted.length !== arrays.length) return `${arrays.length} results in place of ${wanted.length}`;
  const found = arrays.flatMap((array, k) => differenceOf(array, wanted[k], k) ?? []);
  return found.length === 0 ? null : found.join("; ");
}

function differenceOf(array, { dtype, shape, path }, k) {
  const typeOf = (a) => `${a.dtype} [${a.shape}]`;
  if (typeOf(array) !== typeOf({ dtype, shape }))
    return `result ${k} is ${typeOf(array)} in place of ${typeOf({ dtype, shape })}`;
  const wanted = readFileSync(path);
  if (Buffer.compare(bytesOf(array), wanted) === 0) return null;
  const values = elementsAs(array, wanted);
  const { data } = array;
  if (data.length !== values.length)
    return `result ${k} has ${data.length} numbers in place of ${values.length}`;
  let count = 0;
  let first = -1;
  for (let i = 0; i < data.length; i++) {
    if (Object.is(data[i], values[i])) continue;
    count++;
    if (first < 0) first = i;
  }
  if (count === 0) return null;
  return `result ${k}: ${count} of ${data.length} numbers differ, at ${first} ${data[first]} in place of ${values[first]}`;
}
