// Why an operation was fused with what it reads, or why not: one line for each answer, in the order of the plan.

export interface Answer {
  readonly isFused: boolean;
  readonly reason: string;
}

export const yes = (reason: string): Answer => ({ isFused: true, reason });
export const no = (reason: string): Answer => ({ isFused: false, reason });

/** Collects answers while operations are looked at in any order. */
export class Reasons {
  readonly #answers = new Map<string, Answer[]>();

  add(operation: string, answer: Answer): void {
    const list = this.#answers.get(operation);
    if (list === undefined) this.#answers.set(operation, [answer]);
    else list.push(answer);
  }

  /** Those of one operation, what was fused first, each once. Silence: nothing that it reads is computed. */
  lines(operation: string, isFusable: boolean): string[] {
    const answers = this.#answers.get(operation) ?? [
      no(isFusable ? "no predecessor ops can be fused" : "it is not fusable"),
    ];
    const ordered = [...answers.filter(({ isFused }) => isFused), ...answers.filter((a) => !a.isFused)];
    return [
      ...new Set(
        ordered.map(
          ({ isFused, reason }) => `${isFused ? "can" : "can't"} fuse ${operation} since ${reason}`,
        ),
      ),
    ];
  }
}
