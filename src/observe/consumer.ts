// What sees a run: a function of its events. Several can be made one. Must hold: each sees every event, in order,
// also when one of them throws; what was thrown is thrown after all have seen the event.

import type { RunEvent } from "../runtime/events.ts";

/** A function that sees every event of a run: `x.compute({onEvent: consumer})`. */
export type Consumer = (event: RunEvent) => void;

/** One consumer that hands every event to all: `x.compute({onEvent: combine(progressBar(), past.onEvent)})`. */
export function combine(...consumers: readonly Consumer[]): Consumer {
  return (event) => {
    const errors: unknown[] = [];
    for (const consume of consumers) {
      try {
        consume(event);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} consumers of events failed`);
  };
}
