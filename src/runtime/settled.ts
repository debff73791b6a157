// Waiting for several things at once, none of which may still be under way afterwards. In: promises that work on somebody's
// blocks. Out: their values when all have ended, or the first reason why one failed, also then.

export type Soon<T> = T | Promise<T>;

export async function allOf<T>(soon: readonly Soon<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(soon);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value as T;
  });
}
