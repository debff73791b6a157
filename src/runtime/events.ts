// What happens while a plan runs, as one typed stream. Progress, history and tracing are consumers of it.

export type RunEvent =
  | { readonly type: "computeStart"; readonly operations: number; readonly tasks: number }
  | { readonly type: "operationStart"; readonly operation: string; readonly tasks: number }
  | {
      readonly type: "taskEnd";
      readonly operation: string;
      readonly task: number;
      readonly bytesRead: number;
      readonly bytesWritten: number;
    }
  | { readonly type: "operationEnd"; readonly operation: string }
  | { readonly type: "computeEnd" };
