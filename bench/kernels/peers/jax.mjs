// @jax-js/jax: every form compiled with jit, on its wasm backend (the fastest of the two it has in Node), one thread.
// Arrays are counted references: what a form takes is handed over with `ref`, what comes out is disposed of.

import { readFileSync } from "node:fs";

// The library asks `instanceof Float16Array`, which Node has from version 24 on only.
globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
const jax = await import("@jax-js/jax");
const { jit, numpy: np } = jax;
const { version } = JSON.parse(
  readFileSync(new URL("../node_modules/@jax-js/jax/package.json", import.meta.url), "utf8"),
);

let x = null;
let y = null;
let floats = np.float64;

const compiled = {
  E1: jit((x, y) => x.ref.mul(2).add(y.mul(3)).div(x.ref.mul(x).add(1))),
  E2: jit((x, y) => np.sqrt(x.ref.mul(x).add(y.ref.mul(y))).sum()),
  E3: jit((x, y) =>
    np
      .exp(x.ref.mul(x.ref).mul(-0.5))
      .mul(np.sin(y))
      .add(np.log1p(np.abs(x))),
  ),
  E4: jit((x) => np.square(x.mul(Math.PI).div(180)).sum()),
  E5: jit((x, y) => np.where(x.ref.greater(3), x.mul(2), y.sub(1))),
  E6: jit((x) => {
    const mask = x.ref.greater(0.5);
    return np.where(mask.ref, x, 0).sum().div(mask.astype(np.int32).sum().astype(floats));
  }),
  E7: jit((x, y) => np.matmul(x, y)),
  "E8.sum0": jit((x) => x.sum(0)),
  "E8.sum1": jit((x) => x.sum(1)),
  "E8.transpose": jit((x) => np.transpose(x)),
  "E9.cumsum": jit((x) => np.cumsum(x)),
  "E9.sort": jit((x) => np.sort(x)),
};

const ONE_OPERAND = new Set(["E4", "E6", "E8.sum0", "E8.sum1", "E8.transpose", "E9.cumsum", "E9.sort"]);

function formOf(id) {
  if (ONE_OPERAND.has(id)) return () => jax.blockUntilReady(compiled[id](x.ref));
  return () => jax.blockUntilReady(compiled[id](x.ref, y.ref));
}

const plain = Object.fromEntries(Object.keys(compiled).map((id) => [id, formOf(id)]));

async function read(result) {
  const data = await result.ref.data();
  return { length: data.length, at: (i) => data[i] };
}

export async function open() {
  await jax.init("wasm");
  jax.defaultDevice("wasm");
  return {
    version,
    forms: { plain },
    read,
    drop: (result) => result.dispose(),
    load(dtype, shape, xs, ys) {
      floats = np[dtype];
      x = np.array(xs, { dtype: floats }).reshape(shape);
      y = np.array(ys, { dtype: floats }).reshape(shape);
    },
    unload() {
      x?.dispose();
      y?.dispose();
      x = null;
      y = null;
    },
  };
}
