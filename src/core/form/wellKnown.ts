// Geometries: well-known binary as well-known text. In: bytes, of either byte order, ISO (Z, M, ZM) or EWKB. Out: "POINT (1 2)",
// or null for bytes that are no geometry. Must hold: counts are believed as far as there are bytes; nesting is bounded.

const NAMES: readonly (string | undefined)[] = [
  ...[undefined, "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"],
  "GEOMETRYCOLLECTION",
];
const POINT = 1;
const LINE = 2;
const POLYGON = 3;
const COLLECTION = 7;

/** Flags of EWKB. */
const HAS_Z = 0x80000000;
const HAS_M = 0x40000000;
const HAS_SRID = 0x20000000;
const DEEPEST = 32;

class NoGeometry extends Error {}

export function textOfGeometry(bytes: Uint8Array): string | null {
  const reader = new Reader(bytes);
  try {
    const text = reader.geometry(0).text;
    return reader.isDone ? text : null;
  } catch (error) {
    if (error instanceof NoGeometry) return null;
    throw error;
  }
}

interface Read {
  /** Which of the names. */
  readonly type: number;
  readonly text: string;
  /** What is behind the name. */
  readonly body: string;
}

class Reader {
  readonly #view: DataView;
  #at = 0;
  #isLittle = true;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  get isDone(): boolean {
    return this.#at === this.#view.byteLength;
  }

  geometry(depth: number): Read {
    if (depth > DEEPEST) throw new NoGeometry();
    this.#isLittle = this.#view.getUint8(this.#take(1)) === 1;
    const code = this.#count();
    if ((code & HAS_SRID) !== 0) this.#count();
    const iso = (code & 0xffff) % 1000;
    const ways = Math.floor((code & 0xffff) / 1000);
    const hasZ = (code & HAS_Z) !== 0 || ways === 1 || ways === 3;
    const hasM = (code & HAS_M) !== 0 || ways === 2 || ways === 3;
    const name = NAMES[iso];
    if (name === undefined || ways > 3) throw new NoGeometry();
    const body = this.#body(iso, 2 + Number(hasZ) + Number(hasM), depth);
    const dimensions = `${hasZ ? "Z" : ""}${hasM ? "M" : ""}`;
    return { type: iso, body, text: `${name} ${dimensions === "" ? "" : `${dimensions} `}${body}` };
  }

  #body(type: number, size: number, depth: number): string {
    if (type === POINT) {
      const point = this.#point(size);
      return point.startsWith("NaN") ? "EMPTY" : `(${point})`;
    }
    if (type === LINE) return this.#line(size);
    if (type === POLYGON) return this.#several(4, () => this.#line(size));
    return this.#several(9, () => {
      const { body, text, type: own } = this.geometry(depth + 1);
      if (type !== COLLECTION && own !== type - 3) throw new NoGeometry();
      return type === COLLECTION ? text : body;
    });
  }

  #line(size: number): string {
    return this.#several(8 * size, () => this.#point(size));
  }

  /** Each takes so many bytes at least. */
  #several(least: number, next: () => string): string {
    const count = this.#count();
    if (count * least > this.#view.byteLength - this.#at) throw new NoGeometry();
    return count === 0 ? "EMPTY" : `(${Array.from({ length: count }, next).join(", ")})`;
  }

  #point(size: number): string {
    const numbers = Array.from({ length: size }, () => this.#view.getFloat64(this.#take(8), this.#isLittle));
    return numbers.join(" ");
  }

  #count(): number {
    return this.#view.getUint32(this.#take(4), this.#isLittle);
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#view.byteLength) throw new NoGeometry();
    return at;
  }
}
