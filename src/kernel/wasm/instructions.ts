// The instructions we use: bytes, what they take from the stack, what they leave. The assembler checks every
// use against this table, so that a generator's mistake shows where it is made and not in the engine.

export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

export interface InstructionInfo {
  readonly bytes: readonly number[];
  readonly takes: readonly ValueType[];
  readonly gives: ValueType | null;
}

type Entry = readonly [name: string, info: InstructionInfo];

/** Instructions that differ in their codes alone. */
function group(
  prefix: readonly number[],
  takes: readonly ValueType[],
  gives: ValueType | null,
  names: { readonly [name: string]: number },
): Entry[] {
  return Object.entries(names).map(([name, code]) => {
    const coded = code < 128 ? [code] : [(code & 0x7f) | 0x80, code >> 7];
    return [name, { bytes: prefix.length === 0 ? [code] : [...prefix, ...coded], takes, gives }];
  });
}

const SIMD = [0xfd];
const SATURATING = [0xfc];

// biome-ignore format: a table
export const INSTRUCTIONS: ReadonlyMap<string, InstructionInfo> = new Map<string, InstructionInfo>([
  ...group([], ["i32", "i32"], "i32", {
    "i32.eq": 0x46, "i32.ne": 0x47, "i32.lt_s": 0x48, "i32.lt_u": 0x49, "i32.gt_s": 0x4a, "i32.gt_u": 0x4b,
    "i32.le_s": 0x4c, "i32.le_u": 0x4d, "i32.ge_s": 0x4e, "i32.ge_u": 0x4f,
    "i32.add": 0x6a, "i32.sub": 0x6b, "i32.mul": 0x6c, "i32.div_s": 0x6d, "i32.div_u": 0x6e, "i32.rem_s": 0x6f, "i32.rem_u": 0x70,
    "i32.and": 0x71, "i32.or": 0x72, "i32.xor": 0x73, "i32.shl": 0x74, "i32.shr_s": 0x75, "i32.shr_u": 0x76,
  }),
  ...group([], ["i64", "i64"], "i32", {
    "i64.eq": 0x51, "i64.ne": 0x52, "i64.lt_s": 0x53, "i64.lt_u": 0x54, "i64.gt_s": 0x55, "i64.gt_u": 0x56,
    "i64.le_s": 0x57, "i64.le_u": 0x58, "i64.ge_s": 0x59, "i64.ge_u": 0x5a,
  }),
  ...group([], ["i64", "i64"], "i64", {
    "i64.add": 0x7c, "i64.sub": 0x7d, "i64.mul": 0x7e, "i64.div_s": 0x7f, "i64.div_u": 0x80, "i64.rem_s": 0x81, "i64.rem_u": 0x82,
    "i64.and": 0x83, "i64.or": 0x84, "i64.xor": 0x85, "i64.shl": 0x86, "i64.shr_s": 0x87, "i64.shr_u": 0x88,
  }),
  ...group([], ["f32", "f32"], "i32", {
    "f32.eq": 0x5b,
    "f32.ne": 0x5c,
    "f32.lt": 0x5d,
    "f32.gt": 0x5e,
    "f32.le": 0x5f,
    "f32.ge": 0x60,
  }),
  ...group([], ["f64", "f64"], "i32", {
    "f64.eq": 0x61,
    "f64.ne": 0x62,
    "f64.lt": 0x63,
    "f64.gt": 0x64,
    "f64.le": 0x65,
    "f64.ge": 0x66,
  }),
  ...group([], ["f32", "f32"], "f32", {
    "f32.add": 0x92,
    "f32.sub": 0x93,
    "f32.mul": 0x94,
    "f32.div": 0x95,
    "f32.min": 0x96,
    "f32.max": 0x97,
    "f32.copysign": 0x98,
  }),
  ...group([], ["f64", "f64"], "f64", {
    "f64.add": 0xa0,
    "f64.sub": 0xa1,
    "f64.mul": 0xa2,
    "f64.div": 0xa3,
    "f64.min": 0xa4,
    "f64.max": 0xa5,
    "f64.copysign": 0xa6,
  }),
  ...group([], ["f32"], "f32", {
    "f32.abs": 0x8b,
    "f32.neg": 0x8c,
    "f32.ceil": 0x8d,
    "f32.floor": 0x8e,
    "f32.trunc": 0x8f,
    "f32.nearest": 0x90,
    "f32.sqrt": 0x91,
  }),
  ...group([], ["f64"], "f64", {
    "f64.abs": 0x99,
    "f64.neg": 0x9a,
    "f64.ceil": 0x9b,
    "f64.floor": 0x9c,
    "f64.trunc": 0x9d,
    "f64.nearest": 0x9e,
    "f64.sqrt": 0x9f,
  }),
  ...group([], ["i64"], "i64", { "i64.clz": 0x79, "i64.popcnt": 0x7b }),
  ...group([], ["i32"], "i32", {
    "i32.clz": 0x67,
    "i32.eqz": 0x45,
    "i32.extend8_s": 0xc0,
    "i32.extend16_s": 0xc1,
  }),
  ...group([], ["i64"], "i32", { "i64.eqz": 0x50, "i32.wrap_i64": 0xa7 }),
  ...group([], ["i32"], "i64", { "i64.extend_i32_s": 0xac, "i64.extend_i32_u": 0xad }),
  ...group([], ["i32"], "f32", {
    "f32.convert_i32_s": 0xb2,
    "f32.convert_i32_u": 0xb3,
    "f32.reinterpret_i32": 0xbe,
  }),
  ...group([], ["i64"], "f32", { "f32.convert_i64_s": 0xb4, "f32.convert_i64_u": 0xb5 }),
  ...group([], ["f64"], "f32", { "f32.demote_f64": 0xb6 }),
  ...group([], ["i32"], "f64", { "f64.convert_i32_s": 0xb7, "f64.convert_i32_u": 0xb8 }),
  ...group([], ["i64"], "f64", {
    "f64.convert_i64_s": 0xb9,
    "f64.convert_i64_u": 0xba,
    "f64.reinterpret_i64": 0xbf,
  }),
  ...group([], ["f32"], "f64", { "f64.promote_f32": 0xbb }),
  ...group([], ["f32"], "i32", { "i32.reinterpret_f32": 0xbc }),
  ...group([], ["f64"], "i64", { "i64.reinterpret_f64": 0xbd }),
  ...group(SATURATING, ["f32"], "i32", { "i32.trunc_sat_f32_s": 0, "i32.trunc_sat_f32_u": 1 }),
  ...group(SATURATING, ["f64"], "i32", { "i32.trunc_sat_f64_s": 2, "i32.trunc_sat_f64_u": 3 }),
  ...group(SATURATING, ["f32"], "i64", { "i64.trunc_sat_f32_s": 4, "i64.trunc_sat_f32_u": 5 }),
  ...group(SATURATING, ["f64"], "i64", { "i64.trunc_sat_f64_s": 6, "i64.trunc_sat_f64_u": 7 }),

  ...group(SIMD, ["i32"], "v128", { "i32x4.splat": 0x11 }),
  ...group(SIMD, ["i64"], "v128", { "i64x2.splat": 0x12 }),
  ...group(SIMD, ["f32"], "v128", { "f32x4.splat": 0x13 }),
  ...group(SIMD, ["f64"], "v128", { "f64x2.splat": 0x14 }),
  ...group(SIMD, ["v128", "v128"], "v128", {
    "i32x4.eq": 0x37, "i32x4.ne": 0x38, "i32x4.lt_s": 0x39, "i32x4.lt_u": 0x3a, "i32x4.gt_s": 0x3b, "i32x4.gt_u": 0x3c,
    "i32x4.le_s": 0x3d, "i32x4.le_u": 0x3e, "i32x4.ge_s": 0x3f, "i32x4.ge_u": 0x40,
    "f32x4.eq": 0x41, "f32x4.ne": 0x42, "f32x4.lt": 0x43, "f32x4.gt": 0x44, "f32x4.le": 0x45, "f32x4.ge": 0x46,
    "f64x2.eq": 0x47, "f64x2.ne": 0x48, "f64x2.lt": 0x49, "f64x2.gt": 0x4a, "f64x2.le": 0x4b, "f64x2.ge": 0x4c,
    "v128.and": 0x4e, "v128.andnot": 0x4f, "v128.or": 0x50, "v128.xor": 0x51,
    "i32x4.add": 0xae, "i32x4.sub": 0xb1, "i32x4.mul": 0xb5, "i32x4.min_s": 0xb6, "i32x4.min_u": 0xb7, "i32x4.max_s": 0xb8, "i32x4.max_u": 0xb9,
    "i64x2.add": 0xce, "i64x2.sub": 0xd1, "i64x2.mul": 0xd5,
    "i64x2.extmul_low_i32x4_u": 0xde, "i64x2.extmul_high_i32x4_u": 0xdf,
    "i64x2.eq": 0xd6, "i64x2.ne": 0xd7, "i64x2.lt_s": 0xd8, "i64x2.gt_s": 0xd9, "i64x2.le_s": 0xda, "i64x2.ge_s": 0xdb,
    "f32x4.add": 0xe4, "f32x4.sub": 0xe5, "f32x4.mul": 0xe6, "f32x4.div": 0xe7, "f32x4.min": 0xe8, "f32x4.max": 0xe9, "f32x4.pmin": 0xea, "f32x4.pmax": 0xeb,
    "f64x2.add": 0xf0, "f64x2.sub": 0xf1, "f64x2.mul": 0xf2, "f64x2.div": 0xf3, "f64x2.min": 0xf4, "f64x2.max": 0xf5, "f64x2.pmin": 0xf6, "f64x2.pmax": 0xf7,
  }),
  ...group(SIMD, ["v128"], "v128", {
    "v128.not": 0x4d, "f32x4.demote_f64x2_zero": 0x5e, "f64x2.promote_low_f32x4": 0x5f,
    "f32x4.ceil": 0x67, "f32x4.floor": 0x68, "f32x4.trunc": 0x69, "f32x4.nearest": 0x6a,
    "f64x2.ceil": 0x74, "f64x2.floor": 0x75, "f64x2.trunc": 0x7a, "f64x2.nearest": 0x94,
    "i16x8.extend_low_i8x16_s": 0x87, "i16x8.extend_low_i8x16_u": 0x89, "i32x4.extend_low_i16x8_s": 0xa7, "i32x4.extend_low_i16x8_u": 0xa9,
    "i32x4.abs": 0xa0, "i32x4.neg": 0xa1, "i64x2.abs": 0xc0, "i64x2.neg": 0xc1, "i64x2.extend_low_i32x4_s": 0xc7, "i64x2.extend_low_i32x4_u": 0xc9,
    "f32x4.abs": 0xe0, "f32x4.neg": 0xe1, "f32x4.sqrt": 0xe3, "f64x2.abs": 0xec, "f64x2.neg": 0xed, "f64x2.sqrt": 0xef,
    "i32x4.trunc_sat_f32x4_s": 0xf8, "i32x4.trunc_sat_f32x4_u": 0xf9, "f32x4.convert_i32x4_s": 0xfa, "f32x4.convert_i32x4_u": 0xfb,
    "i32x4.trunc_sat_f64x2_s_zero": 0xfc, "i32x4.trunc_sat_f64x2_u_zero": 0xfd, "f64x2.convert_low_i32x4_s": 0xfe, "f64x2.convert_low_i32x4_u": 0xff,
  }),
  ...group(SIMD, ["v128", "v128", "v128"], "v128", { "v128.bitselect": 0x52 }),
  /** Relaxed SIMD, which not every engine has: a·b + c, rounded once or twice as the machine likes. */
  ...group(SIMD, ["v128", "v128", "v128"], "v128", {
    "f32x4.relaxed_madd": 0x105,
    "f64x2.relaxed_madd": 0x107,
  }),
  ...group(SIMD, ["v128"], "i32", { "v128.any_true": 0x53, "i64x2.all_true": 0xc3 }),
  ...group(SIMD, ["v128", "i32"], "v128", {
    "i32x4.shl": 0xab,
    "i32x4.shr_s": 0xac,
    "i32x4.shr_u": 0xad,
    "i64x2.shl": 0xcb,
    "i64x2.shr_s": 0xcc,
    "i64x2.shr_u": 0xcd,
  }),

  /** With an immediate byte: the lane. */
  ...group(SIMD, ["v128"], "i32", { "i32x4.extract_lane": 0x1b }),
  ...group(SIMD, ["v128"], "i64", { "i64x2.extract_lane": 0x1d }),
  ...group(SIMD, ["v128"], "f32", { "f32x4.extract_lane": 0x1f }),
  ...group(SIMD, ["v128"], "f64", { "f64x2.extract_lane": 0x21 }),
  ...group(SIMD, ["v128", "i32"], "v128", { "i32x4.replace_lane": 0x1c }),
  ...group(SIMD, ["v128", "i64"], "v128", { "i64x2.replace_lane": 0x1e }),
  ...group(SIMD, ["v128", "f32"], "v128", { "f32x4.replace_lane": 0x20 }),
  ...group(SIMD, ["v128", "f64"], "v128", { "f64x2.replace_lane": 0x22 }),

  /** With a memory immediate: alignment and offset. */
  ...group([], ["i32"], "i32", {
    "i32.load": 0x28,
    "i32.load8_s": 0x2c,
    "i32.load8_u": 0x2d,
    "i32.load16_s": 0x2e,
    "i32.load16_u": 0x2f,
  }),
  ...group([], ["i32"], "i64", { "i64.load": 0x29, "i64.load8_s": 0x30, "i64.load8_u": 0x31, "i64.load16_s": 0x32, "i64.load16_u": 0x33, "i64.load32_s": 0x34, "i64.load32_u": 0x35 }),
  ...group([], ["i32"], "f32", { "f32.load": 0x2a }),
  ...group([], ["i32"], "f64", { "f64.load": 0x2b }),
  ...group([], ["i32", "i32"], null, { "i32.store": 0x36, "i32.store8": 0x3a, "i32.store16": 0x3b }),
  ...group([], ["i32", "i64"], null, { "i64.store": 0x37 }),
  ...group([], ["i32", "f32"], null, { "f32.store": 0x38 }),
  ...group([], ["i32", "f64"], null, { "f64.store": 0x39 }),
  ...group(SIMD, ["i32"], "v128", {
    "v128.load": 0x00,
    "v128.load8_splat": 0x07,
    "v128.load16_splat": 0x08,
    "v128.load32_splat": 0x09,
    "v128.load64_splat": 0x0a,
    "v128.load32_zero": 0x5c,
    "v128.load64_zero": 0x5d,
  }),
  ...group(SIMD, ["i32", "v128"], null, { "v128.store": 0x0b }),
  /** With a memory immediate and a lane. */
  ...group(SIMD, ["i32", "v128"], "v128", {
    "v128.load8_lane": 0x54,
    "v128.load16_lane": 0x55,
    "v128.load32_lane": 0x56,
    "v128.load64_lane": 0x57,
  }),
  ...group(SIMD, ["i32", "v128"], null, {
    "v128.store8_lane": 0x58,
    "v128.store16_lane": 0x59,
    "v128.store32_lane": 0x5a,
    "v128.store64_lane": 0x5b,
  }),
]);
