"""A client of NATS of few words, for what no agent does.

nats_client.py PORT USER PASSWORD MODE ARG...

  publish SUBJECT [NAME=VALUE...]   publishes some bytes with these headers
  subscribe SUBJECT                 subscribes
  forge SUBJECT STATUS              answers each message to SUBJECT, until it is
                                    ended, as a hub would that has its bytes and
                                    does not know the seal; prints a line for each
  replay SUBJECT COUNT              publishes each message to SUBJECT again, COUNT
                                    times in all, as it is

  keep SUBJECT FILE COUNT           writes COUNT messages to SUBJECT to FILE
  resend - FILE COUNT               publishes the messages in FILE again, COUNT
                                    times in all, as they are
  ask SUBJECT [NAME=VALUE...]       sends a request with these headers; prints the
                                    answer, or "nothing" after two seconds
  answer SUBJECT                    answers each request to SUBJECT, until it is
                                    ended, as an agent would that does not know the
                                    seal; prints a line for each

publish and subscribe print the server's word: OK, or the error."""

import base64
import json
import re
import socket
import sys
import time


class Client:
    def __init__(self, port, user, password):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.file = self.socket.makefile("rb")
        self.line()
        self.send("CONNECT " + json.dumps({
            "verbose": False, "pedantic": False, "headers": True,
            "no_responders": True, "protocol": 1, "lang": "test",
            "version": "0", "user": user, "pass": password}) + "\r\n")

    def send(self, data):
        try:
            self.socket.sendall(data if isinstance(data, bytes)
                                else data.encode())
        except OSError:
            pass  # the server's last word can still be read

    def line(self):
        line = self.file.readline().decode().strip()
        if line == "PING":
            self.send("PONG\r\n")
            return self.line()
        return line

    def word(self):
        """The server's word about all before."""
        self.send("PING\r\n")
        line = self.line()
        return "OK" if line == "PONG" else line or "closed"

    def publish(self, subject, headers, body):
        head = "NATS/1.0\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        self.send(f"HPUB {subject} {len(head)} {len(head) + len(body)}\r\n{head}"
                  .encode() + body + b"\r\n")

    def messages(self, subject):
        """The subject, headers and body of each message."""
        self.send(f"SUB {subject} 1\r\n")
        while True:
            words = self.line().split()
            if not words:
                return
            if words[0] not in ("MSG", "HMSG"):
                continue
            data = self.file.read(int(words[-1]) + 2)[:-2]
            headers = {}
            if words[0] == "HMSG":
                head = data[:int(words[-2])].decode()
                data = data[int(words[-2]):]
                headers = dict(line.split(": ", 1)
                               for line in head.split("\r\n")[1:] if line)
            yield words[1], headers, data


def forge(client, subject, status):
    for to, headers, _ in client.messages(subject):
        name = headers.get("Eventring-Id", "")
        found = re.search(r"offset=(\d+)&length=(\d+)", name)
        hub, node = to.split(".")[1], to.split(".")[3]
        answer = ({"size": int(found[1]) + int(found[2])} if found else
                  {"monotonic_ns": 1, "realtime_ns": 1, "boot_id": ""})
        for seal in ({}, {"Eventring-Seal": ""}, {"Eventring-Seal": "0" * 64},
                     {"Eventring-Seal": headers.get("Eventring-Seal", "")}):
            client.publish(f"eventring.{hub}.answers.{node}.done",
                           {"Eventring-Id": name, "Eventring-Status": status,
                            **seal}, json.dumps(answer).encode())
        print(name, flush=True)


def ask(client, subject, headers):
    client.send("SUB _INBOX.ask 2\r\n")
    client.publish(subject + " _INBOX.ask", headers, b"{}")
    client.socket.settimeout(2)
    try:
        print(client.line(), client.line())
    except TimeoutError:
        print("nothing")


def answer(client, subject):
    client.send(f"SUB {subject} 1\r\n")
    print(client.word(), flush=True)
    while words := client.line().split():
        if words[0] != "HMSG":
            continue
        head = client.file.read(int(words[-1]) + 2)[:int(words[-2])].decode()
        headers = dict(line.split(": ", 1)
                       for line in head.split("\r\n")[1:] if line)
        for body in ({"nonce": "invented"},
                     {"status": 1, "output": "invented", "errors": ""}):
            client.publish(words[3], headers, json.dumps(body).encode())
        print(words[1], flush=True)


def replay(client, other, subject, count):
    kept = []
    for to, headers, data in client.messages(subject):
        kept.append((to, headers, data))
        if len(kept) >= 3:
            break
    for i in range(count):
        to, headers, data = kept[i % len(kept)]
        headers["Nats-Msg-Id"] = f"replay-{i}"
        other.publish(to, headers, data)
    print(other.word())


def keep(client, subject, path, count):
    kept = []
    client.socket.settimeout(30)
    for to, headers, data in client.messages(subject):
        kept.append((to, headers, base64.b64encode(data).decode()))
        if len(kept) == count:
            break
    with open(path, "w") as file:
        json.dump(kept, file)


def resend(client, path, count):
    """Sends slowly: the stream keeps the newest message of a subject."""
    with open(path) as file:
        kept = json.load(file)
    for i in range(count):
        to, headers, data = kept[i % len(kept)]
        headers["Nats-Msg-Id"] = f"resend-{time.monotonic_ns()}"
        client.publish(to, headers, base64.b64decode(data))
        time.sleep(0.05)
    print(client.word())


def main():
    port, user, password, mode, subject, *rest = sys.argv[1:]
    client = Client(port, user, password)
    if mode == "publish":
        client.publish(subject, dict(one.split("=", 1) for one in rest),
                       bytes(range(256)))
        print(client.word())
    elif mode == "subscribe":
        client.send(f"SUB {subject} 1\r\n")
        print(client.word())
    elif mode == "ask":
        ask(client, subject, dict(one.split("=", 1) for one in rest))
    elif mode == "answer":
        answer(client, subject)
    elif mode == "forge":
        forge(client, subject, rest[0])
    elif mode == "keep":
        keep(client, subject, rest[0], int(rest[1]))
    elif mode == "resend":
        resend(client, rest[0], int(rest[1]))
    else:
        replay(client, Client(port, user, password), subject, int(rest[0]))


main()
