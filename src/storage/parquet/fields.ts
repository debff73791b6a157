// The schema of a file to be written. In: fields (the nodes of a schema that was read are fields too). Out: the flat list
// of schema elements, lists and maps spelled as the format says today. Types that are only read (int96, decimals in
// bytes that fit an int64) become those that are written in their place.

import { ValueError } from "../../core/errors.ts";
import type { LeafType, SchemaElement } from "./schema.ts";

interface FieldBase {
  readonly name: string;
  readonly nullable: boolean;
}

export type Field =
  | (FieldBase & { readonly kind: "leaf"; readonly type: LeafType })
  | (FieldBase & { readonly kind: "list"; readonly isMap?: boolean; readonly item: Field })
  | (FieldBase & { readonly kind: "struct"; readonly fields: readonly Field[] });

export function elementsOf(fields: readonly Field[]): SchemaElement[] {
  if (fields.length === 0)
    throw new ValueError({ what: "a table without columns cannot be written as Parquet" });
  return [group("schema", "required", fields.length), ...fieldElements(fields)];
}

function fieldElements(fields: readonly Field[]): SchemaElement[] {
  const names = new Set(fields.map((field) => field.name));
  if (names.size < fields.length) throw new ValueError({ what: "two fields of a struct have the same name" });
  return fields.flatMap((field) => fieldElement(field, field.name));
}

function group(
  name: string,
  repetition: SchemaElement["repetition"],
  children: number,
  kind: SchemaElement["group"] = null,
): SchemaElement {
  return { name, repetition, children, group: kind, type: null };
}

function fieldElement(field: Field, name: string): SchemaElement[] {
  const repetition = field.nullable ? "optional" : "required";
  switch (field.kind) {
    case "leaf":
      return [{ name, repetition, children: null, group: null, type: writtenType(field.type) }];
    case "struct":
      if (field.fields.length === 0)
        throw new ValueError({ what: `the struct ${name} has no fields, which Parquet cannot say` });
      return [group(name, repetition, field.fields.length), ...fieldElements(field.fields)];
    case "list":
      if (field.isMap === true) return [group(name, repetition, 1, "map"), ...pairElements(field.item, name)];
      return [
        group(name, repetition, 1, "list"),
        group("list", "repeated", 1),
        ...fieldElement(field.item, "element"),
      ];
  }
}

/** A map's keys are never null. */
function pairElements(item: Field, name: string): SchemaElement[] {
  if (item.kind !== "struct" || item.fields.length !== 2)
    throw new ValueError({ what: `the items of the map ${name} are not pairs of a key and a value` });
  const [key, value] = item.fields as [Field, Field];
  return [
    group("key_value", "repeated", 2),
    ...fieldElement({ ...key, nullable: false }, "key"),
    ...fieldElement(value, "value"),
  ];
}

export function writtenType(type: LeafType): LeafType {
  const { physical, logical } = type;
  if (physical === "int96")
    return { physical: "int64", length: 0, logical: { kind: "timestamp", unit: "ns", utc: false } };
  const inBytes = physical === "byteArray" || physical === "fixed";
  if (inBytes && logical?.kind === "decimal" && logical.precision <= 18)
    return { physical: "int64", length: 0, logical };
  return type;
}
