// The configuration of a codec, as metadata have it, read with checks. In: its spec. Out: values, or errors that say which
// field of which codec is wrong, and what it must be.

import { describe } from "../../core/shape.ts";
import { MetadataError } from "../errors.ts";
import type { Json, JsonObject } from "../zarr/zarrJson.ts";

/** A codec as metadata name it, under Zarr v3's names. */
export interface CodecSpec {
  readonly name: string;
  readonly configuration: JsonObject;
}

export class Fields {
  readonly #spec: CodecSpec;
  readonly #where: string;

  constructor(spec: CodecSpec, where: string) {
    this.#spec = spec;
    this.#where = where;
  }

  /** All of them, as they are. */
  get all(): JsonObject {
    return this.#spec.configuration;
  }

  integer(name: string, least: number, most: number, otherwise: number): number {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
      return value as number;
    throw this.#wrong(name, value, `a whole number from ${least} to ${most}`);
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (typeof value === "boolean") return value;
    throw this.#wrong(name, value, "true or false");
  }

  choice<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const value = this.#spec.configuration[name] ?? otherwise;
    if (choices.includes(value as T)) return value as T;
    throw this.#wrong(name, value, `one of ${choices.join(", ")}`);
  }

  #wrong(name: string, value: Json, wanted: string): MetadataError {
    return new MetadataError({
      what: `${name} of the codec ${this.#spec.name} is ${describe(value)}`,
      where: this.#where,
      cure: `It must be ${wanted}`,
    });
  }
}
