"""proxy.py LISTEN TARGET CUTS BYTES: a proxy between Unix sockets that breaks
each of the first CUTS connections after BYTES bytes of the target, and one byte
more each time."""
import itertools
import os
import select
import socket
import sys
import threading

listen, target, cuts, limit = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])


def forward(client, server, most):
    """Copies both ways until one side ends or [most] bytes were copied to the
    client."""
    other = {client: server, server: client}
    copied = 0
    while True:
        for one in select.select(list(other), [], [])[0]:
            size = 65536 if one is client else min(65536, most - copied)
            try:
                data = one.recv(size)
                if not data:
                    return
                other[one].sendall(data)
            except OSError:
                return
            copied += len(data) if one is server else 0
            if copied == most:
                return


def serve(client, number):
    """Serves connection number [number], from 0 on."""
    with client, socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(target)
        except OSError:
            return
        forward(client, server, limit + number if number < cuts else 1 << 60)


listener = socket.socket(socket.AF_UNIX)
listener.bind(listen + ".new")
listener.listen()
os.rename(listen + ".new", listen)
for each in itertools.count():
    threading.Thread(target=serve, args=(listener.accept()[0], each),
                     daemon=True).start()
