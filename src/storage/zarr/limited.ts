// Work on many items, a few at a time.

/** Starts the next item when one is done; at most `limit` at once. The first failure ends it. */
export async function mapLimited<T>(
  items: Iterable<T>,
  limit: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  if (limit === 1) {
    for (const item of items) await action(item);
    return;
  }
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done) return;
      try {
        await action(next.value);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const workers: Promise<void>[] = [];
  for (let i = 0; i < limit; i++) workers.push(worker());
  // All are waited for, so that nothing goes on behind the caller's back.
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
