"""Networks and small disks for tests of agents and hubs: agents in network
namespaces of their own, which a bridge connects with the hub, and file systems
that can be filled.

The program that uses them runs in a network and a mount namespace of its own,
`unshare --net --mount`, with which all of them go when it ends."""

import os
import subprocess

HUB_ADDRESS = "10.213.0.1"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Network:
    def __init__(self):
        self.names = []
        os.makedirs("/run/netns", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "netns", "/run/netns"],
                       check=True)
        ip("link", "set", "lo", "up")
        ip("link", "add", "machines", "type", "bridge")
        ip("address", "add", f"{HUB_ADDRESS}/16", "dev", "machines")
        ip("link", "set", "machines", "up")

    def add(self, name):
        """Adds a machine, and returns the words before a command on it."""
        self.names.append(name)
        number = len(self.names)
        ip("netns", "add", name)
        ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "net",
           "netns", name)
        ip("link", "set", f"to-{name}", "master", "machines", "up")
        ip("-n", name, "address", "add",
           f"10.213.{1 + number // 250}.{1 + number % 250}/16", "dev", "net")
        ip("-n", name, "link", "set", "net", "up")
        ip("-n", name, "link", "set", "lo", "up")
        return ["ip", "netns", "exec", name]

    def connect(self, name, up=True):
        ip("link", "set", f"to-{name}", "up" if up else "down")


class Disk:
    """A small file system at [path], which fill() fills."""

    def __init__(self, path, mebibytes):
        self.path = path
        os.makedirs(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m",
                        "disk", path], check=True)
        self.filler = f"{path}/filler"

    def fill(self):
        with open(self.filler, "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass

    def is_full(self):
        return os.path.exists(self.filler)

    def empty(self):
        if self.is_full():
            os.unlink(self.filler)
