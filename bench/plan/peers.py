"""One case with Dask or a NumPy loop over chunks, in a process of its own: prints seconds and peak memory as JSON. The
clock starts when all is imported, and nothing has been opened or started.
Arguments: the engine, the case, the folder of the inputs, the folder for outputs. `make` makes the inputs."""

import json, os, resource, shutil, sys, time
import numpy as np, zarr

engine, case, inputs, outputs = sys.argv[1:5]
if engine == "dask":
    import dask, dask.array as da
path = lambda name: os.path.join(inputs, name)
out = lambda name: os.path.join(outputs, name)


def make():
    rng = np.random.default_rng(1)
    def array(name, shape, chunks, dtype="f8"):
        z = zarr.open(path(name), mode="w", shape=shape, chunks=chunks, dtype=dtype, compressor=None)
        for i in range(0, shape[0], chunks[0]):
            z[i : i + chunks[0]] = rng.random((min(chunks[0], shape[0] - i),) + shape[1:]).astype(dtype)
    array("x.zarr", (5000, 5000), (1000, 1000))
    array("y.zarr", (5000, 5000), (1000, 1000))
    array("rows.zarr", (8000, 8000), (1000, 8000), "f4")
    array("p.zarr", (2000, 2000), (500, 500))
    array("q.zarr", (2000, 2000), (500, 500))
    rows = int(os.environ.get("LARGE_ROWS", "0"))
    if rows:
        array("u.zarr", (rows, 2500), (500, 2500))
        array("v.zarr", (rows, 2500), (500, 2500))
        array("dx.zarr", (2500,), (2500,))
        array("dy.zarr", (2500,), (2500,))


def new(name, shape, chunks, dtype="f8"):
    shutil.rmtree(out(name), ignore_errors=True)
    return zarr.open(out(name), mode="w", shape=shape, chunks=chunks, dtype=dtype, compressor=None)


def blocks(z):
    (n, m), (a, b) = z.shape, z.chunks
    for i in range(0, n, a):
        for j in range(0, m, b):
            yield slice(i, i + a), slice(j, j + b)


def numpy_case():
    if case == "a":
        x, y = zarr.open(path("x.zarr")), zarr.open(path("y.zarr"))
        z = new("a.zarr", x.shape, x.chunks)
        for at in blocks(x):
            p, q = x[at], y[at]
            z[at] = (p * 2 + q * 3) / (1 + p * p)
    elif case == "b":
        x, y = zarr.open(path("x.zarr")), zarr.open(path("y.zarr"))
        return float(sum(np.sqrt(x[at] ** 2 + y[at] ** 2).sum() for at in blocks(x)))
    elif case == "c":
        x = zarr.open(path("rows.zarr"))
        z = new("c.zarr", x.shape, (8000, 1000), "f4")
        for j in range(0, 8000, 2000):
            z[:, j : j + 2000] = x[:, j : j + 2000]
    elif case == "d":
        p, q = zarr.open(path("p.zarr")), zarr.open(path("q.zarr"))
        z = new("d.zarr", p.shape, p.chunks)
        for i in range(0, 2000, 500):
            row = p[i : i + 500]
            for j in range(0, 2000, 500):
                z[i : i + 500, j : j + 500] = row @ q[:, j : j + 500]
    elif case == "e":
        z = new("e.zarr", (10000,), (1,))
        for i in range(10000):
            z[i] = np.ones(1) + 1
    elif case == "stored":
        a = new("e0.zarr", (10000,), (1,))
        for i in range(10000):
            a[i] = 1
        z = new("e.zarr", (10000,), (1,))
        for i in range(10000):
            z[i] = a[i] + 1
    elif case == "vorticity":
        u, v = zarr.open(path("u.zarr")), zarr.open(path("v.zarr"))
        dx, dy = zarr.open(path("dx.zarr"))[:], zarr.open(path("dy.zarr"))[:]
        total = sum((u[at] * dx[at[1]] - v[at] * dy[at[1]]).sum() for at in blocks(u))
        return float(total / (u.shape[0] * u.shape[1]))
    elif case == "means":
        u, v = zarr.open(path("u.zarr")), zarr.open(path("v.zarr"))
        sums = [np.zeros(u.shape[1]) for _ in range(3)]
        for at in blocks(u):
            p, q = u[at], v[at]
            for total, part in zip(sums, (p, q, p * q)):
                total += part.sum(axis=0)
        return float(sums[2][0] / u.shape[0])


def dask_case():
    dask.config.set(scheduler="threads", num_workers=2)
    if case == "a":
        x, y = da.from_zarr(path("x.zarr")), da.from_zarr(path("y.zarr"))
        z = new("a.zarr", x.shape, (1000, 1000))
        da.store((x * 2 + y * 3) / (1 + x * x), z, lock=False)
    elif case == "b":
        x, y = da.from_zarr(path("x.zarr")), da.from_zarr(path("y.zarr"))
        return float(da.sqrt(x * x + y * y).sum().compute())
    elif case == "c":
        x = da.from_zarr(path("rows.zarr"))
        da.store(x.rechunk((8000, 1000)), new("c.zarr", x.shape, (8000, 1000), "f4"), lock=False)
    elif case == "d":
        p, q = da.from_zarr(path("p.zarr")), da.from_zarr(path("q.zarr"))
        da.store(p @ q, new("d.zarr", p.shape, (500, 500)), lock=False)
    elif case == "e":
        da.store(da.ones(10000, chunks=1) + 1, new("e.zarr", (10000,), (1,)), lock=False)
    elif case == "stored":
        da.store(da.ones(10000, chunks=1), new("e0.zarr", (10000,), (1,)), lock=False)
        da.store(da.from_zarr(out("e0.zarr")) + 1, new("e.zarr", (10000,), (1,)), lock=False)
    elif case == "vorticity":
        u, v = da.from_zarr(path("u.zarr")), da.from_zarr(path("v.zarr"))
        dx, dy = da.from_zarr(path("dx.zarr")), da.from_zarr(path("dy.zarr"))
        return float((u * dx - v * dy).mean().compute())
    elif case == "means":
        u, v = da.from_zarr(path("u.zarr")), da.from_zarr(path("v.zarr"))
        r = da.compute(u.mean(axis=0), v.mean(axis=0), (u * v).mean(axis=0))
        return float(r[2][0])


if engine == "make":
    make()
else:
    start = time.perf_counter()
    value = {"numpy": numpy_case, "dask": dask_case}[engine]()
    seconds = time.perf_counter() - start
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"seconds": seconds, "mb": mb, "value": value}))
