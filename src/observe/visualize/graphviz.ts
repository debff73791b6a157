// Graphviz, where it is installed: compiled to WebAssembly, an optional peer that is loaded when a picture is asked for.
// In: DOT. Out: SVG, as an element without prolog and comments, so that it can stand in a page.

import { VisualizeError } from "./error.ts";

/** What is used of the package @viz-js/viz. */
export interface GraphvizModule {
  /** Gives what draws. */
  instance(): Promise<{
    renderString(dot: string, options: { readonly format: string; readonly engine?: string }): string;
  }>;
}

export async function svgOf(dot: string, module: GraphvizModule | undefined): Promise<string> {
  const graphviz = await (module ?? (await loadGraphviz())).instance();
  const text = graphviz.renderString(dot, { format: "svg", engine: "dot" });
  const element = text.slice(text.indexOf("<svg")).replace(/<!--[\s\S]*?-->\s*/g, "");
  return `${element.trimEnd()}\n`;
}

/** By a name that bundlers do not follow: whoever does not ask for this needs no such package. */
export async function loadGraphviz(name = "@viz-js/viz"): Promise<GraphvizModule> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as GraphvizModule;
  } catch (cause) {
    throw new VisualizeError(
      {
        where: "visualize",
        what: `the package ${name} is not there`,
        cure: 'npm install @viz-js/viz, pass it as graphviz, or choose the format "dot" or "mermaid"',
      },
      { cause },
    );
  }
}
