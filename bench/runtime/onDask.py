"""Dask beside us: reads requests (one JSON object per line) and answers each with its seconds, or an error. The array
named by "source" plus one goes to "target", chunk by chunk, on Dask's threads."""

import json
import shutil
import sys
import time

import dask
import dask.array as da
import zarr

print(json.dumps({"dask": dask.__version__, "zarr": zarr.__version__}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    shutil.rmtree(request["target"], ignore_errors=True)
    begun = time.perf_counter()
    x = da.from_zarr(request["source"])
    (x + 1).to_zarr(request["target"], compressor=None)
    print(json.dumps({"seconds": time.perf_counter() - begun}), flush=True)
