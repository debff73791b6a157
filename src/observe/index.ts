// chunkwise/observe: consumers of a run's events, pictures of what they collected, and representations of arrays.

export { type Consumer, combine } from "./consumer.ts";
export {
  type ComputationRecord,
  History,
  type HistoryData,
  type HistoryOptions,
  history,
} from "./history.ts";
export { arrayHtml, arrayText } from "./html.ts";
export { type MemoryPlotOptions, memorySvg } from "./memoryPlot.ts";
export { memoryWarnings } from "./memoryWarnings.ts";
export { type ProgressBarOptions, progressBar } from "./progressBar.ts";
export { type LineOptions, progressLines } from "./progressLines.ts";
export {
  initialProgress,
  type OperationProgress,
  type ProgressState,
  progressed,
  type Totals,
} from "./progressState.ts";
export { SaveError, save } from "./save.ts";
export {
  type OpenTelemetryApi,
  OpenTelemetryError,
  type Span,
  type SpanContext,
  type SpanTracer,
} from "./spans.ts";
export type { OperationSummary } from "./summary.ts";
export type { TaskRecord } from "./taskLog.ts";
export { type OpenTelemetryOptions, openTelemetry } from "./telemetry.ts";
export type { ProgressStream } from "./terminal.ts";
export { type TimelineOptions, timelineSvg } from "./timeline.ts";
export { VisualizeError } from "./visualize/error.ts";
export type { GraphvizModule } from "./visualize/graphviz.ts";
export { type PictureFormat, type VisualizeOptions, visualize } from "./visualize/visualize.ts";
