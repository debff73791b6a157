// Ctrl-C, and being told to end: a run that has files cleans up before the process goes. Only while runs are under way.

interface Host {
  readonly pid: number;
  on(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  listenerCount(signal: string): number;
  kill(pid: number, signal: string): void;
}
const { process: host } = globalThis as unknown as {
  process?: Partial<Host> & { versions?: { node?: string } };
};

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The run was interrupted by a signal. */
export class InterruptError extends Error {
  override readonly name = "AbortError";
  readonly signal: string;

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

export interface Watch {
  /** Aborted by the user's signal or by the system's. */
  readonly signal: AbortSignal;
  /** The run is over and has cleaned up: a signal that nobody else listens to has its usual effect now. */
  end(): void;
}

export function watchInterrupts(given: AbortSignal | undefined): Watch {
  const controller = new AbortController();
  const follow = (): void => controller.abort(given?.reason);
  if (given?.aborted) follow();
  else given?.addEventListener("abort", follow, { once: true });
  const isNode = host?.versions?.node !== undefined;
  const listeners = isNode ? SIGNALS.map((name) => [name, listenerFor(name, controller)] as const) : [];
  for (const [name, listener] of listeners) host!.on!(name, listener);
  return {
    signal: controller.signal,
    end() {
      given?.removeEventListener("abort", follow);
      for (const [name, listener] of listeners) host!.off!(name, listener);
      const { reason } = controller.signal;
      if (reason instanceof InterruptError && host!.listenerCount!(reason.signal) === 0)
        host!.kill!(host!.pid!, reason.signal);
    },
  };
}

/** The first time the run ends itself; a second time the process does. */
function listenerFor(name: string, controller: AbortController): () => void {
  const listener = (): void => {
    host!.off!(name, listener);
    controller.abort(new InterruptError(name));
  };
  return listener;
}
