// Packing: a panel holds `width` neighbouring lines (rows of a, or columns of b), depth by depth, so that a
// micro-kernel reads it from one end to the other. Parts of complex numbers lie apart: all real ones of a depth,
// then all imaginary ones. In: an operand of any strides. Out: panels, filled up with zeros where lines are missing.

import type { FunctionWriter, Local } from "../assembler.ts";
import { moduleOf } from "../module.ts";
import { columnsOf, type Family, isPlain, packedBytes } from "./family.ts";
import { advance, place, pushMin, readWords, upTo } from "./productLoops.ts";

export interface Panel {
  readonly source: Local;
  readonly lineStride: Local;
  readonly depthStride: Local;
  /** Lines that are there; may be more than the panel takes. */
  readonly lines: Local;
  readonly depth: Local;
  readonly target: Local;
}

export function writePanel(w: FunctionWriter, family: Family, width: number, panel: Panel): void {
  const isWhole = w.local("i32");
  w.get(panel.lines).i32(width).op("i32.ge_u").set(isWhole);
  w.get(isWhole)
    .op("i32.eqz")
    .when(() => writeZeros(w, width * packedBytes(family), panel));
  const gather = (): void => writeLines(w, family, width, panel);
  if (!isPlain(family)) return gather();
  w.get(panel.lineStride).i32(family.elementBytes).op("i32.eq").get(isWhole).op("i32.and");
  w.either(() => writeVectors(w, width * family.laneBytes, panel), gather);
}

function writeZeros(w: FunctionWriter, depthBytes: number, { target, depth }: Panel): void {
  const [at, end] = [w.local("i32"), w.local("i32")];
  w.get(target).set(at);
  place(w, end, target, depth, depthBytes);
  upTo(w, at, end, 16, () => w.get(at).i32(0).op("i32x4.splat").memory("v128.store"));
}

/** Lines are neighbours in memory: vectors of them are copied. */
function writeVectors(w: FunctionWriter, depthBytes: number, panel: Panel): void {
  const [from, to, end] = [w.local("i32"), w.local("i32"), w.local("i32")];
  w.get(panel.source).set(from).get(panel.target).set(to);
  place(w, end, to, panel.depth, depthBytes);
  upTo(w, to, end, depthBytes, () => {
    for (let at = 0; at < depthBytes; at += 16)
      w.get(to).get(from).memory("v128.load", at).memory("v128.store", at);
    advance(w, from, panel.depthStride);
  });
}

/** Line by line: along the depth, which is the better way to read where that is contiguous. */
function writeLines(w: FunctionWriter, family: Family, width: number, panel: Panel): void {
  const [line, lines] = [w.local("i32"), w.local("i32")];
  const [from, to, end] = [w.local("i32"), w.local("i32"), w.local("i32")];
  const depthBytes = width * packedBytes(family);
  pushMin(w, panel.lines, width).set(lines);
  w.i32(0).set(line);
  upTo(w, line, lines, 1, () => {
    place(w, from, panel.source, line, panel.lineStride);
    place(w, to, panel.target, line, family.laneBytes);
    place(w, end, to, panel.depth, depthBytes);
    upTo(w, to, end, depthBytes, () => {
      for (let part = 0; part < family.parts; part++) {
        w.get(to)
          .get(from)
          .memory(family.load, part * family.partBytes);
        w.memory(`${family.scalar}.store`, part * width * family.laneBytes);
      }
      advance(w, from, panel.depthStride);
    });
  });
}

/** Units are panels of columns. Blocks of depth lie one behind another, each with all its panels. */
export const PACK_WORDS = [
  "source",
  "lineStride",
  "depthStride",
  "target",
  "lines",
  "depth",
  "depthBlock",
  "panels",
] as const;

export const packModule = (family: Family, isShared: boolean): Uint8Array<ArrayBuffer> =>
  moduleOf(isShared, (w, { parameters, from, to }) => {
    const words = readWords(w, parameters, PACK_WORDS);
    upTo(w, from, to, 1, () => writeColumns(w, family, words, from));
  });

/** The panel of that number, in every block of depth. */
function writeColumns(
  w: FunctionWriter,
  family: Family,
  words: { readonly [name in (typeof PACK_WORDS)[number]]: Local },
  panel: Local,
): void {
  const width = columnsOf(family);
  const [start, source, target] = [w.local("i32"), w.local("i32"), w.local("i32")];
  const [lines, depth] = [w.local("i32"), w.local("i32")];
  w.get(panel).i32(width).op("i32.mul").set(lines);
  place(w, source, words.source, lines, words.lineStride);
  w.get(words.lines).get(lines).op("i32.sub").set(lines);
  w.i32(0).set(start);
  upTo(w, start, words.depth, words.depthBlock, () => {
    w.get(words.depth).get(start).op("i32.sub").set(depth);
    pushMin(w, depth, words.depthBlock).set(depth);
    // Every block before this one is `panels` panels of `depthBlock`.
    w.get(words.panels).get(start).op("i32.mul").get(panel).get(depth).op("i32.mul").op("i32.add");
    w.i32(width * packedBytes(family))
      .op("i32.mul")
      .get(words.target)
      .op("i32.add")
      .set(target);
    writePanel(w, family, width, { ...words, source, target, lines, depth });
    place(w, source, source, words.depthBlock, words.depthStride);
  });
}
