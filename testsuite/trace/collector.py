"""A collector of OpenTelemetry on a free port, whose number it writes to the file
"port".  Keeps the bodies of requests to /v1/metrics in the file "got.v1.metrics", and
refuses requests when the file "refuse" is there: every one with the status 503, or,
when the file has the text "STATUS WORD", those with the word in their body."""

import http.server, os

def refusal(body):
    try:
        with open("refuse") as file:
            words = file.read().split()
    except FileNotFoundError:
        return 200
    if not words:
        return 503
    return int(words[0]) if words[1].encode() in body else 200

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 503
        if self.headers["Content-Type"] == "application/x-protobuf":
            status = refusal(body)
        if status == 200:
            with open("got" + self.path.replace("/", "."), "ab") as file:
                file.write(body)
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    print(server.server_port, file=file)
os.rename("port.new", "port")
server.serve_forever()
