// The numbers of the Parquet format and the names they stand for here. Order is the format's.

export const PHYSICAL = [
  "boolean",
  "int32",
  "int64",
  "int96",
  "float",
  "double",
  "byteArray",
  "fixed",
] as const;
export type Physical = (typeof PHYSICAL)[number];

export const ENCODINGS = [
  "plain",
  "groupVarInt",
  "plainDictionary",
  "rle",
  "bitPacked",
  "deltaBinaryPacked",
  "deltaLengthByteArray",
  "deltaByteArray",
  "rleDictionary",
  "byteStreamSplit",
] as const;
export type EncodingName = (typeof ENCODINGS)[number];

export const CODECS = ["none", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4raw"] as const;
export type CodecName = (typeof CODECS)[number];

export const REPETITIONS = ["required", "optional", "repeated"] as const;
export type Repetition = (typeof REPETITIONS)[number];

export const PAGES = ["data", "index", "dictionary", "dataV2"] as const;
export type PageKind = (typeof PAGES)[number];

/** The older way to say what a column means. */
export const CONVERTED = [
  "utf8",
  "map",
  "mapKeyValue",
  "list",
  "enum",
  "decimal",
  "date",
  "timeMillis",
  "timeMicros",
  "timestampMillis",
  "timestampMicros",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "int8",
  "int16",
  "int32",
  "int64",
  "json",
  "bson",
  "interval",
] as const;
export type Converted = (typeof CONVERTED)[number];
