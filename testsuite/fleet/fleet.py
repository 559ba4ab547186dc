"""A hub, and nodes with an agent and programs that count, for tests that kill
them."""

import glob
import os
import re
import signal
import subprocess
import time

import conserve

EVENTRING = conserve.EVENTRING


def until(seconds, condition, what="nothing happens"):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise conserve.Lost(what)
        time.sleep(0.05)


def kill(*processes):
    for process in processes:
        if process is not None:
            process.kill()
    for process in processes:
        if process is not None:
            process.wait()


class Hub:
    def __init__(self, folder, store):
        self.folder, self.store = folder, store
        self.process, self.options = None, []

    def start(self, listen):
        """Returns whether the hub has started."""
        with open(f"{self.folder}/hub.err", "a") as errors:
            self.process = subprocess.Popen(
                [EVENTRING, "hub", "--listen", listen, "--store", self.store,
                 *self.options],
                stdout=subprocess.PIPE, stderr=errors, text=True)
        lines = [self.process.stdout.readline(), self.process.stdout.readline()]
        if not lines[1].startswith("read:"):
            self.process.wait()
            return False
        self.join, self.read = (line.split()[-1] for line in lines)
        self.address = re.match("https://([^#]*)", self.join).group(1)
        return True

    def new_token(self):
        run = subprocess.run([EVENTRING, "hub", "--store", self.store,
                              "--new-token"], check=True, capture_output=True,
                             text=True)
        return run.stdout.split()[-1]

    def memory(self, name):
        """VmRSS or VmHWM of the hub, in MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            found = re.search(rf"^{name}:\s*(\d+) kB", status.read(), re.M)
        return int(found.group(1)) / 1024


class Node:
    """A machine: [before] are the words before the command of its agent."""

    def __init__(self, folder, name, hub, counted, before=(), state=None):
        self.folder, self.name, self.hub = folder, name, hub
        self.counted, self.before = counted, list(before)
        self.rings = f"{folder}/rings"
        self.state = state or f"{folder}/state"
        os.makedirs(self.rings)
        self.agent, self.options = None, []
        self.programs = []

    def start_agent(self, *args):
        with open(f"{self.folder}/agent.err", "a") as errors:
            self.agent = subprocess.Popen(
                [*self.before, EVENTRING, "agent", "--state", self.state,
                 "--node", self.name, "--dir", self.rings,
                 *self.options, *args],
                stderr=errors)

    def has_joined(self):
        return os.path.exists(f"{self.state}/hub")

    def start_program(self, *args, ring=16, before=()):
        environment = {
            **os.environ, "OCAML_EVENTRING_START": "1",
            "OCAML_EVENTRING_PREFIX": self.rings, "OCAML_EVENTRING_KEEP": "1",
            "OCAML_EVENTRING_CATEGORIES": "user", "OCAMLRUNPARAM": f"e={ring}"}
        program = subprocess.Popen(
            [*before, self.counted, *map(str, args)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.programs.append(program)
        return program

    def end_programs(self):
        """Ends the programs.  Returns the lines that each has printed, by its
        pid; None for a program that was killed."""
        printed = {}
        for program in self.programs:
            killed = program.poll() == -signal.SIGKILL
            out, _ = program.communicate()
            printed[program.pid] = None if killed else out
        self.programs = []
        return printed

    def parts_left(self):
        return [name for _, _, names in os.walk(f"{self.state}/spool")
                for name in names if name.endswith(".evr")]

    def ring_files(self):
        return glob.glob(f"{self.rings}/*.eventring")

    def check(self, printed):
        """Compares all programs with the hub, once: returns the sums of events
        written, stored and lost."""
        left = self.parts_left()
        if left:
            raise conserve.Lost(f"{self.name}: {len(left)} parts in the spool")
        sums = [0, 0, 0]
        for path in self.ring_files():
            pid = int(os.path.basename(path).split(".")[0])
            found = conserve.check(path, self.hub.read, self.name,
                                   self.hub.store, printed[pid])
            sums = [a + b for a, b in zip(sums, found)]
        return sums

    def check_within(self, seconds, printed):
        """Does the same until it succeeds."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.check(printed)
            except conserve.Lost:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.2)

    def forget_files(self):
        for path in self.ring_files():
            os.unlink(path)
