"""Objects of a bucket as a store of zarr's, for Dask: Debian has no s3fs. Plain HTTP by connections that stay open, one for each
thread, so that as many requests are under way as Dask has threads; the bucket is public, so nothing is signed."""

import http.client
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree

import zarr

LOCAL = threading.local()


class Objects(zarr.storage.Store):
    _writeable = True
    _erasable = True
    _listable = True

    def __init__(self, host, port, bucket, prefix):
        self.host, self.port, self.bucket, self.prefix = host, port, bucket, prefix

    def ask(self, method, key, body=None, query=""):
        path = f"/{self.bucket}/{urllib.parse.quote(self.prefix + '/' + key)}" if key is not None else f"/{self.bucket}{query}"
        for attempt in range(3):
            connection = getattr(LOCAL, "connection", None)
            if connection is None:
                connection = LOCAL.connection = http.client.HTTPConnection(self.host, self.port)
            try:
                connection.request(method, path, body=body)
                answer = connection.getresponse()
                data = answer.read()
                return answer.status, data
            except (http.client.HTTPException, ConnectionError):
                connection.close()
                LOCAL.connection = None
                if attempt == 2:
                    raise

    def __getitem__(self, key):
        status, data = self.ask("GET", key)
        if status == 404:
            raise KeyError(key)
        if status != 200:
            raise OSError(f"GET {key}: {status} {data[:200]}")
        return data

    def __setitem__(self, key, value):
        status, data = self.ask("PUT", key, bytes(value))
        if status != 200:
            raise OSError(f"PUT {key}: {status} {data[:200]}")

    def __delitem__(self, key):
        self.ask("DELETE", key)

    def __contains__(self, key):
        return self.ask("HEAD", key)[0] == 200

    def __iter__(self):
        query = f"?list-type=2&max-keys=1000&prefix={urllib.parse.quote(self.prefix + '/')}"
        tree = ElementTree.fromstring(self.ask("GET", None, query=query)[1])
        for entry in tree.iter("{http://s3.amazonaws.com/doc/2006-03-01/}Key"):
            yield entry.text[len(self.prefix) + 1 :]

    def __len__(self):
        return sum(1 for _ in self)
