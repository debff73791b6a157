// An op and a rule of your own: sinc(x) = sin(x)/x, which is 1 at 0. An op is a record with a body; a rule is one
// line; who registers it has it in every computation from then on.

import assert from "node:assert/strict";
import * as cw from "chunkwise";
import { explain, on, p, pipeline, registerOp, rule, s, unary, x } from "chunkwise/rewrite";

const sinc = registerOp(
  unary("sinc", {
    accepts: "real",
    result: "floating",
    real: (t) => s.select(s.isZero(t), s.one(t.type), s.div(s.sin(t), t)),
  }),
);

const toSinc = rule("toSinc", "sin(x) / x = sinc(x)", p.divide(p.sin(x), x), on(sinc)(x), {
  tags: ["stabilize"],
  changes: ["domain"],
});
pipeline.group("stabilize").register(toSinc);

const t = cw.asarray([-1, 0, 0.5]);
const ratio = cw.sin(t).divide(t);
console.log(String(explain(ratio)));

const result = await ratio.compute();
console.log(result);
assert.equal(result.data[1], 1);

// Off for one computation, and off for good.
assert.ok(Number.isNaN((await ratio.compute({ exclude: ["toSinc"] })).data[1]));
pipeline.group("stabilize").remove("toSinc");
assert.throws(() => ratio.computeSync({ exclude: ["toSinc"] }), /no rule or tag "toSinc"/);
