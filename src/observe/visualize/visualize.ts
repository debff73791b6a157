// visualize: plans as pictures. In: an array, several, or a plan. Out: SVG, DOT or Mermaid with its operations and
// arrays, their chunks, bytes and memory; operations that need more than the spec allows are red. Computes nothing.

import type * as ChildProcess from "node:child_process";
import type * as FsPromises from "node:fs/promises";
import type * as Os from "node:os";
import type * as Path from "node:path";
import { plan as planOfArrays } from "../../array/compute.ts";
import { describe, isLength } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { closest } from "../../core/suggest.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { MemoryError } from "../../plan/budget.ts";
import { Plan } from "../../plan/index.ts";
import type { PlanData } from "../../plan/plan.ts";
import { type PlanOnlyOptions, Spec } from "../../runtime/spec.ts";
import { save } from "../save.ts";
import { dotText } from "./dot.ts";
import { VisualizeError } from "./error.ts";
import { type GraphvizModule, svgOf } from "./graphviz.ts";
import { mermaidText } from "./mermaid.ts";
import { planGraph } from "./planPicture.ts";

// Opening a file with the system's viewer, in Node. In: a file, and a program where one is named. Out: nothing; the
// viewer goes on by itself. Must hold: no shell reads the name of the file.

/** By a name that bundlers for browsers do not follow. */
async function builtin<T>(name: string): Promise<T> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as T;
  } catch (cause) {
    const cure = "In a browser, put the SVG into the page";
    throw new VisualizeError({ where: "visualize", what: "files cannot be opened here", cure }, { cause });
  }
}

/** A file in a folder of its own, for a picture that was given no name. */
async function temporaryFile(extension: string): Promise<string> {
  const { mkdtemp } = await builtin<typeof FsPromises>("node:fs/promises");
  const { tmpdir } = await builtin<typeof Os>("node:os");
  const { join } = await builtin<typeof Path>("node:path");
  return join(await mkdtemp(join(tmpdir(), "chunkwise-plan-")), `plan.${extension}`);
}

const VIEWERS: { readonly [platform: string]: string } = { darwin: "open", win32: "explorer.exe" };

async function openFile(file: string | URL, program: string | undefined): Promise<void> {
  const { spawn } = await builtin<typeof ChildProcess>("node:child_process");
  const { resolve } = await builtin<typeof Path>("node:path");
  const { fileURLToPath } = await builtin<typeof import("node:url")>("node:url");
  const viewer = program ?? VIEWERS[process.platform] ?? "xdg-open";
  // A whole path cannot be taken for an option.
  const path = file instanceof URL ? fileURLToPath(file) : resolve(file);
  await new Promise<void>((done, fail) => {
    const child = spawn(viewer, [path], { detached: true, shell: false, stdio: "ignore" });
    child.once("spawn", () => {
      child.unref();
      done();
    });
    child.once("error", (cause) => {
      const what = `${viewer} cannot be started to show ${path}: ${cause.message}`;
      const cure = 'Name a program that shows such files: open: "firefox"';
      fail(new VisualizeError({ where: "visualize", what, cure }, { cause }));
    });
  });
}

export const FORMATS = ["svg", "dot", "mermaid"] as const;
/** How `visualize` draws: "svg", "dot" or "mermaid". */
export type PictureFormat = (typeof FORMATS)[number];

/** Options of `visualize`. */
export interface VisualizeOptions extends PlanOnlyOptions {
  /** "svg" unless the file's name says something else. SVG needs the package @viz-js/viz. */
  readonly format?: PictureFormat | undefined;
  /** Where to save it, whole or not at all: plan.svg, plan.dot, plan.mmd. */
  readonly file?: string | Address | undefined;
  /** Shows it with the system's viewer, or with this program. */
  readonly open?: boolean | string | undefined;
  /** At most so many operations are drawn, those nearest to the results: 300. */
  readonly limit?: number | undefined;
  /** The module @viz-js/viz, where it cannot be imported by its name. */
  readonly graphviz?: GraphvizModule | undefined;
}

const OWN = ["format", "file", "open", "spec", "limit", "graphviz"] as const;
const DEFAULT_LIMIT = 300;

/**
 * The picture of a plan as text; it is saved or shown as well where that is asked for: `await visualize(x, {format:
 * "mermaid"})`, `await visualize(x, {file: "plan.svg"})`.
 */
export async function visualize(
  target: LazyArray | readonly LazyArray[] | Plan,
  options: VisualizeOptions = {},
): Promise<string> {
  if (typeof options !== "object" || options === null)
    throw new ValueError({
      where: "visualize",
      what: `the options are ${describe(options)}`,
      cure: 'Options are one object: {format: "dot"}',
    });
  const { format, limit, open } = checked(options);
  const { file, spec, graphviz } = options;
  const graph = planGraph(dataOf(target, options), { budget: spec?.budget ?? null, limit });
  const text = format === "mermaid" ? mermaidText(graph) : dotText(graph);
  const picture = format === "svg" ? await svgOf(text, graphviz) : text;
  const place = file ?? (open === false ? null : await temporaryFile(EXTENSIONS[format]));
  if (place !== null) await save(place, picture);
  if (open !== false) await openFile(place!, open === true ? undefined : open);
  return picture;
}

function dataOf(target: unknown, options: VisualizeOptions): PlanData {
  if (target instanceof Plan) {
    const before = options.optimize === false ? target.before : null;
    return before ?? target.data;
  }
  const list: readonly unknown[] = Array.isArray(target) ? Array.from(target as unknown[]) : [target];
  const wrong = list.findIndex((array) => !(array instanceof LazyArray));
  if (wrong >= 0 || list.length === 0)
    throw new ValueError({
      where: "visualize",
      what: `${describe(wrong < 0 ? target : list[wrong])} is neither a lazy array nor a plan`,
      cure: "Write visualize(x), visualize([x, y]) or visualize(x.plan())",
    });
  return plannedAnyway(list as readonly LazyArray[], options);
}

/** The plan that would run; where none fits the budget, the one that does not. */
function plannedAnyway(arrays: readonly LazyArray[], options: VisualizeOptions): PlanData {
  const planning = Object.fromEntries(
    Object.entries(options).filter(([name]) => !OWN.includes(name as (typeof OWN)[number])),
  );
  const { spec } = options;
  if (spec === undefined) return planOfArrays(arrays, planning).data;
  try {
    return planOfArrays(arrays, { ...planning, spec }).data;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return planOfArrays(arrays, planning).data;
  }
}

const EXTENSIONS: { readonly [F in PictureFormat]: string } = { svg: "svg", dot: "dot", mermaid: "mmd" };
const BY_EXTENSION: { readonly [extension: string]: PictureFormat } = {
  ...{ svg: "svg", dot: "dot", gv: "dot", mmd: "mermaid", mermaid: "mermaid" },
};

interface Checked {
  readonly format: PictureFormat;
  readonly limit: number;
  readonly open: boolean | string;
}

function checked(options: VisualizeOptions): Checked {
  const { spec, limit = DEFAULT_LIMIT, open = false, file } = options;
  const wrong = (what: string, cure: string): ValueError =>
    new ValueError({ where: "visualize", what, cure });
  if (spec !== undefined && !(spec instanceof Spec))
    throw wrong(`spec is ${describe(spec)}`, 'It must be a Spec, as new Spec({allowedMem: "2GB"})');
  if (!isLength(limit) || limit === 0)
    throw wrong(`limit is ${describe(limit)}`, "Give a whole number of 1 or more");
  if (typeof open !== "boolean" && (typeof open !== "string" || open === ""))
    throw wrong(`open is ${describe(open)}`, "It must be true, false, or the name of a program");
  if (file !== undefined && !(file instanceof URL) && (typeof file !== "string" || file === ""))
    throw wrong(`file is ${describe(file)}`, "Give the path of a file");
  return { format: formatOf(options, wrong), limit, open };
}

function formatOf(
  { format, file }: VisualizeOptions,
  wrong: (what: string, cure: string) => ValueError,
): PictureFormat {
  if (format !== undefined && !FORMATS.includes(format))
    throw wrong(`there is no format ${describe(format)}`, closest(String(format), FORMATS));
  const extension = /\.(\w+)$/.exec(String(file ?? ""))?.[1]?.toLowerCase() ?? "";
  return format ?? BY_EXTENSION[extension] ?? "svg";
}
