// A clock that goes wrong: loaded before a program (node --import), it moves the time by CHUNKWISE_SKEW_MS milliseconds.

const skew = Number(process.env.CHUNKWISE_SKEW_MS ?? 0);
const Right = Date;
const right = Right.now.bind(Right);

globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length === 0) super(right() + skew);
    else super(...given);
  }
  static now() {
    return right() + skew;
  }
};
const origin = performance.timeOrigin + skew;
Object.defineProperty(performance, "timeOrigin", { get: () => origin });
