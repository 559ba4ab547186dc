"""Agents on machines of their own, network namespaces, with one hub: a part of
the machines is cut off, then all agents are killed and started together, then
all with the hub.  Nothing is unaccounted, and the memory of the hub is bounded.

agents.py FOLDER COUNTED AGENTS HUB_MIB"""

import json
import os
import subprocess
import sys
import time

import conserve
import networks
from fleet import EVENTRING, Hub, Node, kill, until

PROGRAMS = 1
# Each agent sees the processes of its machine only: none, but the ring files of
# the programs.
OWN_PROCESSES = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def say(line):
    print("#", line, flush=True)


class Machines:
    def __init__(self, folder, counted, count):
        os.makedirs(folder)
        self.network = networks.Network()
        self.hub = Hub(folder, f"{folder}/store")
        self.nodes = [
            Node(f"{folder}/n{i}", f"n{i}", self.hub, counted,
                 [*self.network.add(f"n{i}"), *OWN_PROCESSES]) for i in range(1, count + 1)]

    def join(self):
        if not self.hub.start(f"{networks.HUB_ADDRESS}:0"):
            raise conserve.Lost("the hub does not start")
        for node in self.nodes:
            node.start_agent(self.hub.new_token())
        until(120, lambda: all(node.has_joined() for node in self.nodes),
              "not all agents join")

    def start_programs(self):
        for node in self.nodes:
            for _ in range(PROGRAMS):
                node.start_program(1, 20, 0.1)

    def running(self):
        """The numbers of events of the programs that run, by node."""
        run = subprocess.run(
            [EVENTRING, "ps", "--hub", self.hub.read, "--json"],
            capture_output=True, text=True)
        events = {}
        if run.returncode == 0:
            for process in json.loads(run.stdout)["processes"]:
                if process["state"] == "running" and process["events"] > 0:
                    events.setdefault(process["node"], []).append(
                        process["events"])
        return {node: sum(numbers) for node, numbers in events.items()
                if len(numbers) == PROGRAMS}

    def go_on(self, what):
        """Waits until all programs have more events than now.  Returns the
        seconds."""
        begin, before = time.monotonic(), self.running()

        def more():
            now = self.running()
            return len(now) == len(self.nodes) and all(
                now[node] > before.get(node, 0) for node in now)
        until(120, more, what)
        return time.monotonic() - begin

    def cut_off(self, seconds):
        """Cuts each second machine off."""
        for node in self.nodes[::2]:
            self.network.connect(node.name, False)
        time.sleep(seconds)
        silent = self.running()
        for node in self.nodes[::2]:
            self.network.connect(node.name)
        return len(self.nodes) - len(silent)

    def restart(self, hub):
        agents = [node.agent for node in self.nodes]
        kill(*agents, *([self.hub.process] if hub else []))
        time.sleep(1)
        for node in self.nodes:
            node.start_agent()
        if hub and not self.hub.start(self.hub.address):
            raise conserve.Lost("the hub does not start again")

    def check(self):
        sums = [0, 0, 0]
        printed = [node.end_programs() for node in self.nodes]
        for node, lines in zip(self.nodes, printed):
            found = node.check_within(60, lines)
            sums = [a + b for a, b in zip(sums, found)]
        return sums

    def memory(self, when):
        say("hub: %.0f MiB, at most %.0f MiB, %s" % (
            self.hub.memory("VmRSS"), self.hub.memory("VmHWM"), when))
        return self.hub.memory("VmHWM")


def run(machines, limit):
    machines.join()
    say("all have joined")
    machines.start_programs()
    say("%d agents, %d programs" % (
        len(machines.nodes), PROGRAMS * len(machines.nodes)))
    say("all seen after %.0f s" % machines.go_on("not all are seen"))
    silent = machines.cut_off(15)
    say("cut off: %d nodes silent" % silent)
    if silent < len(machines.nodes[::2]):
        raise conserve.Lost("machines that are cut off are not silent")
    say("together again: all continue after %.0f s" %
          machines.go_on("not all continue after a partition"))
    machines.restart(hub=False)
    say("all agents restarted: all continue after %.0f s" %
          machines.go_on("not all continue after a restart of the agents"))
    high = machines.memory("after the restart of the agents")
    machines.restart(hub=True)
    say("hub and agents restarted: all continue after %.0f s" %
          machines.go_on("not all continue after a restart of all"))
    sums = machines.check()
    high = max(high, machines.memory("after the restart of all"))
    say("%d written, %d stored, %d lost" % tuple(sums))
    if high > limit:
        raise conserve.Lost(f"the hub took {high:.0f} MiB, above {limit}")


def main():
    folder, counted = sys.argv[1], os.path.abspath(sys.argv[2])
    machines = Machines(folder, counted, int(sys.argv[3]))
    try:
        run(machines, int(sys.argv[4]))
    except conserve.Lost as lost:
        sys.exit(f"# {lost}")
    finally:
        kill(machines.hub.process, *(node.agent for node in machines.nodes),
             *(p for node in machines.nodes for p in node.programs))


main()
