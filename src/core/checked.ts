// Checked mode: mistakes about who owns memory are made loud. In: CHUNKWISE_CHECKED in the environment, as "1" or as a list
// of settings ("growth=1,maximum=512"). Out: what is checked, known once for the thread. Threads inherit the environment.

export interface Checks {
  /** Freed bytes are overwritten and kept aside, places are looked at before they are used, runs give accounts. */
  readonly isOn: boolean;
  /** The kernels' memory grows by so many pages at a time; null for as many as are worth it. */
  readonly growthPages: number | null;
  /** It grows to so many pages; null for as many as the platform gives. */
  readonly maximumPages: number | null;
}

const { process: host } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };

function readChecks(text: string | undefined): Checks {
  const settings = new Map((text ?? "").split(",").map((part) => part.split("=", 2) as [string, string]));
  const pages = (name: string): number | null => {
    const count = Number(settings.get(name));
    return Number.isInteger(count) && count > 0 ? count : null;
  };
  const isOn = text !== undefined && text !== "" && text !== "0";
  return { isOn, growthPages: pages("growth"), maximumPages: pages("maximum") };
}

/** Reading the environment may be forbidden: then nothing is checked. */
function environment(): string | undefined {
  try {
    return host?.env?.["CHUNKWISE_CHECKED"];
  } catch {
    return undefined;
  }
}

export const checks: Checks = readChecks(environment());
