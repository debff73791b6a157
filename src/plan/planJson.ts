// Plans as JSON: data only. Numbers that JSON cannot hold become tagged objects; a thing in memory that a step needs
// (a user's function) becomes its reference, where it has one. `load.ts` reads them back, and trusts nothing.

import { Resource } from "../core/block.ts";
import type { Form } from "../core/form/form.ts";
import { jsonOfForm } from "../core/form/formJson.ts";
import { Complex, numberText } from "../core/numbers.ts";
import type { Op } from "../expr/op.ts";
import type { PlanData } from "./plan.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A resource that another process can find again. */
export interface Referable {
  reference(): Json;
}

export const isReferable = (resource: Resource): resource is Resource & Referable => "reference" in resource;

export const planToJson = (plan: PlanData): Json => JSON.parse(JSON.stringify(plan, encodeValue)) as Json;

export function encodeValue(name: string, value: unknown): unknown {
  if (name === "op" && value instanceof Object) return (value as Op).name;
  // Attributes are no objects, so that this is the form of a ragged type.
  if (name === "form" && value instanceof Object) return jsonOfForm(value as Form);
  if (typeof value === "bigint") return { $bigint: String(value) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: numberText(value) };
  if (value instanceof Complex) return { $complex: [value.re, value.im].map(numberText) };
  if (value instanceof Resource)
    return isReferable(value) ? { $reference: value.reference() } : { $resource: value.fingerprint() };
  return value;
}

/** Finds a resource by its reference; throws a typed error where there is none. */
export type FindResource = (reference: Json) => Resource;
