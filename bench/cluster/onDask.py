"""Dask distributed beside us: three workers, which read and write the same bucket. Reads requests (one JSON object per line) and
answers each with its seconds. Chunks are not compressed."""

import json
import logging
import sys
import time

import dask
import dask.array as da
import distributed
import numpy
import zarr
from distributed import Client, LocalCluster

from objects import Objects


def main():
    host, port, bucket, threads = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    logging.getLogger("distributed").setLevel(logging.ERROR)
    cluster = LocalCluster(n_workers=3, threads_per_worker=threads, processes=True, dashboard_address=None)
    client = Client(cluster)
    place = lambda name: Objects(host, port, bucket, "data/" + name)
    source = lambda name: da.from_zarr(zarr.open_array(store=place(name), mode="r"))

    def made(name, shape, chunks, dtype):
        return zarr.open_array(store=place(name), mode="w", shape=shape, chunks=chunks, dtype=dtype, compressor=None)

    def sources(_):
        random = numpy.random.default_rng(1)
        for name in ("x", "y"):
            made(name, (5000, 5000), (1000, 1000), "f8")[:] = random.random((5000, 5000))
        made("w", (8000, 8000), (1000, 8000), "f4")[:] = random.random((8000, 8000), dtype="f4")

    def a(target):
        x, y = source("x"), source("y")
        z = (x * 2 + y * 3) / (1 + x * x)
        # What to_zarr does with an array of zarr's that does not look as if it were in memory.
        z.store(made(target, z.shape, z.chunksize, z.dtype), lock=False)

    def b(_):
        x, y = source("x"), source("y")
        return float(da.sqrt(x * x + y * y).sum().compute())

    def c(target):
        made_as = made(target, (8000, 8000), (8000, 1000), "f4")
        source("w").rechunk((8000, 1000)).store(made_as, lock=False)

    cases = {"sources": sources, "a": a, "b": b, "c": c}
    print(json.dumps({"dask": dask.__version__, "distributed": distributed.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        begun = time.perf_counter()
        value = cases[request["name"]](request.get("target"))
        print(json.dumps({"seconds": time.perf_counter() - begun, "value": value}), flush=True)
    client.close()
    cluster.close()


if __name__ == "__main__":
    main()
