"""A server with the key of a hub that answers nonsense.

badhub.py STORE PORT MODE COUNTS: MODE is `zero` (no byte was stored), `long` (an
answer of 4 GiB), `garbage` (no HTTP), `negative` (a size below 0), `silent` (no
answer) or `name` (a process with a stream of a very long name).  Appends a byte to the file COUNTS for each request."""

import json
import socketserver
import ssl
import sys
import time

store, port, mode, counts = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{store}/hub/certificate.pem", f"{store}/hub/key.pem")

PROCESSES = json.dumps({"realtime_ns": 1, "processes": [
    {"node": "n1", "pid": 1, "stream": "s" * 600, "state": "running",
     "bytes": 10, "parts": 1, "last_data_realtime_ns": 5}]}).encode()
ANSWERS = {
    "name": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
            % (len(PROCESSES), PROCESSES),
    "zero": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"size\":0}",
    "negative": b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"size\":-1}",
    "garbage": b"\x00\xff" * 1000,
    "long": b"HTTP/1.1 200 OK\r\nContent-Length: 4294967296\r\n\r\n",
    "silent": b""}


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        with context.wrap_socket(self.request, server_side=True) as tls:
            data = b""
            while b"\r\n\r\n" not in data:
                data += tls.recv(65536)
            head, body = data.split(b"\r\n\r\n", 1)
            length = next((int(line.split(b":")[1])
                           for line in head.split(b"\r\n")
                           if line.lower().startswith(b"content-length:")), 0)
            while len(body) < length:
                body += tls.recv(65536)
            with open(counts, "a") as file:
                file.write(".")
            tls.sendall(ANSWERS[mode])
            while mode == "long":
                tls.sendall(b"x" * 65536)
            if mode == "silent":
                time.sleep(1000)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


Server(("127.0.0.1", port), Handler).serve_forever()
