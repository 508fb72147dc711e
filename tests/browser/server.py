"""A server on localhost for the test page, the front end's modules as they lie in the tree, and the same modules joined."""

import contextlib
import http.server
import pathlib
import threading

HERE = pathlib.Path(__file__).resolve().parent
WIDGETS = HERE.parents[1] / "widgets"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def joined():
    """What a notebook gets: the modules put end to end."""
    from gpuplot.inspector import front_end

    return front_end.join_modules(WIDGETS)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # the base class's name
        path = self.path.partition("?")[0]
        folder, name = (WIDGETS, path[9:]) if path.startswith("/widgets/") else (HERE, path[1:])
        file = folder / pathlib.PurePosixPath(name).name
        if path == "/joined.js":
            self._answer(200, "text/javascript", joined().encode())
        elif name == file.name and file.suffix in TYPES and file.is_file():
            self._answer(200, TYPES[file.suffix], file.read_bytes())
        elif name == "inspector.css":
            self._answer(200, "text/css", b"")
        else:
            self._answer(404, "text/plain", b"")

    def _answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")  # of this port, which each run has anew
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a page that was closed meanwhile
            self.wfile.write(body)

    def log_message(self, *arguments):
        """Nothing: a test's output is the test's."""


@contextlib.contextmanager
def serving():
    """The server's address while it runs."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
