#!/usr/bin/env python3
"""A small server of the API of `crates/cli/tests/har/notes.yaml` on a free port of the loopback interface, which it prints. Ends with its standard input.

It answers every request of the API; `/v1/notes/13` has an answer that the document does not allow, on purpose. Everything else
is a page that loads nothing.
"""
import http.server, json, re, sys, threading

NOTE = {"id": 1, "text": "Water the plants.", "tag": "home"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path.split("?")[0]
        status, value = 404, None
        if path == "/v1/notes" and self.command == "GET":
            status, value = 200, [NOTE]
        elif path == "/v1/notes" and self.command == "POST":
            status, value = 201, {**NOTE, "id": 2}
            if not isinstance(json.loads(body).get("text"), str):
                status, value = 400, None
        elif path == "/v1/notes/13":
            status, value = 200, {"id": 13}
        elif re.fullmatch(r"/v1/notes/[0-9]+", path):
            status, value = 200, NOTE
        elif path == "/v1/search" and self.command == "POST":
            status, value = 200, [NOTE]
        elif path == "/":
            return self.send(200, "text/html", b"<!doctype html><link rel=icon href=data:,><title>Notes</title>")
        self.send(status, "application/json", b"" if value is None else json.dumps(value).encode())

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def send(self, status, media_type, body):
        self.send_response(status)
        if body:
            self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def version_string(self):
        return "notes"

    def date_time_string(self, timestamp=None):
        return "Thu, 01 Jan 1970 00:00:00 GMT"

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
