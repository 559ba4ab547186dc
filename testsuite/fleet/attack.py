# attack.py NAME PORT ARG...: clients that curl cannot be.  Prints what it has found;
# the exit code is 1 when the hub did something wrong.

import json, os, random, socket, ssl, subprocess, sys, threading, time

name, port = sys.argv[1], int(sys.argv[2])
arguments = sys.argv[3:]


def plain():
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def connect(node=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if node is not None:
        context.load_cert_chain(node + ".crt", node + ".key")
    return context.wrap_socket(plain())


def head(method, path, length, more=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: hub\r\n"
            f"Content-Length: {length}\r\n{more}\r\n").encode()


# Returns the status of the answer, 0 for a connection that ended without one,
# and the body.
def answer(connection):
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            got = connection.recv(65536)
            if not got:
                return 0, b""
            data += got
        start, body = data.split(b"\r\n\r\n", 1)
        length = 0
        for line in start.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while len(body) < length:
            got = connection.recv(65536)
            if not got:
                break
            body += got
        return int(start.split()[1]), body
    except OSError:
        return 0, b""


def request(node, method, path, body):
    with connect(node) as c:
        try:
            c.sendall(head(method, path, len(body)) + body)
        except OSError:
            pass
        return answer(c)


# Calls function(i) for each i at once, in threads; returns the results.
def at_once(count, function):
    results = [None] * count

    def run(i):
        results[i] = function(i)
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


# Random bytes, and TLS records that are cut.
def garbage(seed, count):
    random.seed(int(seed))
    for i in range(int(count)):
        with plain() as c:
            try:
                if i % 2:
                    c.sendall(b"\x16\x03\x01" + os.urandom(2))
                c.sendall(os.urandom(random.choice((1, 5, 100, 20000))))
                if i % 3:
                    c.settimeout(0.05)
                    c.recv(100)
            except OSError:
                pass


# Requests that end in the middle of their head or body.
def half(node, count):
    body = b"x" * 1000
    text = head("PUT", "/fleet/parts/half-1/1?offset=0", 1000) + body
    for i in range(int(count)):
        with connect(node) as c:
            c.sendall(text[:len(text) * (i + 1) // (int(count) + 2)])


# Connections that say nothing, or that begin TLS and say nothing after it; a
# request of an agent has to be answered when they are full, in 40 seconds.
def idle(node, count):
    kept = []
    for i in range(int(count)):
        try:
            kept.append(plain() if i % 4 else connect())
        except OSError:
            pass
    begin = time.time()
    status = 0
    while status != 200 and time.time() < begin + 60:
        try:
            status, _ = request(node, "PUT", "/fleet/parts/idle-1/1?offset=0",
                                b"abc")
        except OSError:
            time.sleep(0.2)
    print("status", status, "after", round(time.time() - begin), "seconds")
    return status == 200 and time.time() < begin + 40


# A head that announces [length] bytes.
def length(node, number, expected):
    with connect(node) as c:
        c.sendall(head("PUT", "/fleet/parts/length-1/1?offset=0", number) + b"x")
        status, body = answer(c)
    print(status, body)
    return status == int(expected)


# Joins at once with one token, as several nodes with keys of their own.
def join(token, *nodes):
    def one(i):
        key = open(nodes[i] + ".pub").read()
        body = json.dumps({"token": token, "node": nodes[i], "public_key": key})
        return request(None, "POST", "/fleet/join", body.encode())
    results = at_once(len(nodes), one)
    print(results)
    return sorted(r[0] for r in results) == [200] + [403] * (len(nodes) - 1)


# Reports of one agent at once, of different lengths; each is kept or refused as
# a whole.
def reports(node, path):
    def some(i):
        bad = []
        streams = [{"stream": f"r-{k}", "pid": k, "state": "running"}
                   for k in range(i * 50)]
        for _ in range(15):
            status, _ = request(node, "POST", "/fleet/report", json.dumps(
                {"version": str(i), "streams": streams}).encode())
            if status != 200:
                bad.append(status)
            with open(path) as file:
                try:
                    kept = json.load(file)
                except ValueError:
                    bad.append("the report that is kept is damaged")
                    continue
                if len(kept["streams"]) != int(kept["version"]) * 50:
                    bad.append("a report is mixed of two")
        return bad
    results = [r for r in at_once(12, some) if r]
    print(results)
    return not results


# Reports that take much memory when they are parsed, at once.
def memory(node, pid, limit):
    body = b'{"streams": [' + b"{}," * 349000 + b"{}]}"
    results = at_once(24, lambda i: request(node, "POST", "/fleet/report", body))
    print(sorted(r[0] for r in results))
    with open(f"/proc/{pid}/status") as file:
        peak = [int(line.split()[1]) for line in file if "VmHWM" in line][0]
    print("most memory:", peak // 1024, "MiB")
    return peak < int(limit) * 1024 and all(r[0] == 400 for r in results)


# Forgets the node while its agent sends a part.
def forget(node, *command):
    with connect(node) as c:
        c.sendall(head("PUT", "/fleet/parts/forget-1/1?offset=0", 1000)
                  + b"x" * 500)
        time.sleep(0.3)
        subprocess.run(command, check=True)
        c.sendall(b"y" * 500)
        status, body = answer(c)
    print(status, body)
    return status == 403


# Pieces of a part in random order, some repeated, by several connections.
def reorder(node, path, stream, seed):
    random.seed(int(seed))
    data = open(path, "rb").read()
    step = len(data) // 17 + 1

    def some(i):
        starts = list(range(0, len(data), step)) * 3
        random.shuffle(starts)
        for start in starts:
            piece = data[start:start + random.randrange(1, 3 * step)]
            status, _ = request(node, "PUT", f"/fleet/parts/{stream}/1"
                                f"?offset={start}", piece)
            if status not in (200, 409):
                return status
        return None
    results = [r for r in at_once(6, some) if r is not None]
    at = 0
    while at < len(data):
        status, body = request(node, "PUT", f"/fleet/parts/{stream}/1"
                               f"?offset={at}", data[at:at + step])
        if status != 200:
            results.append((at, status, body))
            break
        at = json.loads(body)["size"]
    status, _ = request(node, "PUT", f"/fleet/parts/{stream}/1?offset="
                        f"{len(data)}&last=1", b"")
    print(results, status)
    return not results and status == 200


attack = {"garbage": garbage, "half": half, "idle": idle, "length": length,
          "join": join, "reports": reports, "memory": memory,
          "forget": forget, "reorder": reorder}[name]
sys.exit(0 if attack(*arguments) in (None, True) else 1)
