// fourier: the discrete Fourier transform along the last axis. In: complex128, whole along that axis. Out: the same shape, not scaled;
// with attrs.inverse by e^(+2πi·jk/n).

import { transformOf } from "../fourier/transform.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr } from "./attributes.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export const fourier: Routine = ({ inputs, outputs, attrs }) => {
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const n = x.shape.at(-1)!;
  const data = (toContiguous(x) as Float64Array).slice();
  const transform = transformOf(n);
  const isInverse = booleanAttr(attrs, "inverse");
  for (let at = 0; n > 0 && at < data.length; at += 2 * n) {
    const line = data.subarray(at, at + 2 * n);
    if (isInverse) swap(line);
    transform(line);
    if (isInverse) swap(line);
  }
  fromContiguous(data, output);
};

/** With real and imaginary parts exchanged before and after, a transform is the inverse. */
function swap(line: Float64Array): void {
  for (let i = 0; i < line.length; i += 2) {
    const re = line[i]!;
    line[i] = line[i + 1]!;
    line[i + 1] = re;
  }
}
