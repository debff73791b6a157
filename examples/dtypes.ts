// Data types: how they are chosen, how they meet, and what holds them in JavaScript.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// Whole numbers are int64 by default. Their elements are numbers up to 2^53 − 1 and bigints beyond.
const whole = cw.asarray([1, 2, 3]);
const real = cw.asarray([1, 2.5, 3]);
const small = cw.asarray(new Int16Array([100, 200, 300]));
console.log(whole.dtype, real.dtype, small.dtype);
console.log(whole.computeSync().toList(), real.computeSync().toList());
assert.deepEqual(whole.computeSync().data, new BigInt64Array([1n, 2n, 3n]));

// Asked for, any list is any dtype.
console.log(cw.asarray([1, 2, 3], { dtype: "float32" }).dtype, cw.zeros([2], { dtype: "uint8" }).dtype);

// Arrays meet in the type that holds both; a scalar takes the type of the array it meets.
console.log(cw.add(small, whole).dtype, cw.add(small, real).dtype, small.add(1).dtype, small.add(0.5).dtype);
assert.equal(small.add(1).dtype, "int16");
assert.equal(small.add(0.5).dtype, "float64");
console.log(cw.resultType("int8", "uint8"), cw.resultType("uint64", "int64"), cw.resultType("float32", 2));

// Division is of floating numbers; floorDivide and remainder stay whole. Integers wrap around.
console.log(whole.divide(2).dtype, whole.floorDivide(2).dtype);
console.log(await small.multiply(200).compute());
assert.deepEqual(small.multiply(200).computeSync().toList(), [20000, -25536, -5536]);

// Small integers add up in 64 bits.
console.log(small.sum().dtype, small.mean().dtype, small.max().dtype);
assert.equal(small.sum().computeSync().item(), 600);

// Casts are explicit: a float loses its fraction and stops at the ends of the range.
const cast = cw.asarray([-1.5, 2.7, 300, Number.NaN]).astype("uint8");
console.log(await cast.compute());
assert.deepEqual(cast.computeSync().toList(), [0, 2, 255, 0]);

// bool is 0 and 1 in a Uint8Array, and true and false element by element.
const flags = await whole.greater(1).compute();
console.log(flags.data, flags.toList());
assert.deepEqual(flags.toList(), [false, true, true]);

// Complex numbers are pairs side by side.
const z = await cw.asarray([cw.complex(1, 2), cw.complex(0, -1)]).compute();
console.log(z, z.data, String(z.item(0)));
assert.deepEqual(z.data, new Float64Array([1, 2, 0, -1]));

// The compiler knows dtypes that are written down, and what becomes of them.
const halves: cw.LazyArray<"float32"> = cw.zeros([2], { dtype: "float32" }).add(0.5);
const values: Float32Array = halves.computeSync().data;
const sizes: cw.NDArray<"int64"> = await small.sum().compute();
console.log(values, JSON.stringify(sizes), +sizes + 1);

// What the dtypes are and hold.
console.log(cw.iinfo("int8").max, cw.finfo("float32").eps, cw.isdtype("uint8", "integral"));
console.log(cw.canCast("int8", "int16"), cw.canCast("int16", "int8"));
assert.equal(cw.iinfo("int64").max, 2n ** 63n - 1n);
