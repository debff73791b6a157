// Tables of constants that `lookup` reads. A table's number is its place in this list.

export const TABLES: readonly Float64Array[] = [];
