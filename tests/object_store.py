"""An object store on the loopback interface: as much of S3's protocol as reading Parquet needs."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class _Handler(BaseHTTPRequestHandler):
    root: Path
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self._send_object(body=False)

    def do_GET(self):
        asked = urlsplit(self.path)
        query = parse_qs(asked.query)
        if "list-type" in query:
            self._send_list(asked.path.strip("/").split("/")[0], query.get("prefix", [""])[0])
        else:
            self._send_object(body=True)

    def _send_list(self, bucket, prefix):
        folder = self.root / bucket
        keys = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        found = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>&quot;{key}&quot;</ETag><Size>{(folder / key).stat().st_size}</Size></Contents>"
            for key in keys
            if key.startswith(prefix)
        )
        head = f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(keys)}</KeyCount>"
        page = (
            f"<ListBucketResult>{head}<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
        )
        self._send(200, page.encode(), {"Content-Type": "application/xml"})

    def _send_object(self, *, body):
        path = self.root / unquote(urlsplit(self.path).path).lstrip("/")
        if not path.is_file():
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>", {}, body=body)
            return
        data = path.read_bytes()
        headers = {"ETag": f'"{path.name}"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"}
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not span:
            self._send(200, data, headers, body=body)
            return
        first, last = span.groups()
        begin = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1 if first and last else len(data), len(data))
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
        self._send(206, data[begin:end], headers, body=body)

    def _send(self, status, data, headers, *, body=True):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_):
        """Keep quiet."""


@contextmanager
def object_store(root: Path) -> Iterator[dict[str, str]]:
    """Serve the folders of a folder as buckets; give the environment by which clients find them."""
    handler = type("Handler", (_Handler,), {"root": root})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
            "AWS_REGION": "us-east-1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
