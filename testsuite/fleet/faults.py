"""Rounds of random faults: programs that count, an agent and a hub are started,
killed, stopped and continued at random; their network is parted and their disks
are filled, if FLEET_ISOLATED is set (networks.py).  Then every event of every
program is at the hub, once, or counts as lost, and the events at the hub are the
events of a local recording and of the ring files, wherever neither lost them.
With FLEET_NATS the agent sends by a NATS server, which is killed and stopped, too,
and loses its store.

faults.py FOLDER COUNTED SEED ROUNDS

A seed gives the same faults, though not at the same instants.  Prints a line
for each round; a round that fails prints its faults, and copies FOLDER to the
folder FLEET_KEEP, if that is set."""

import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import conserve
import networks
from fleet import EVENTRING, Hub, Node, kill, until
from nats_server import Nats

SECONDS = float(os.environ.get("FLEET_ROUND_SECONDS", "4"))
ISOLATED = "FLEET_ISOLATED" in os.environ
BY_NATS = os.environ.get("FLEET_NATS", "0") != "0"
DISK_MIB = 160


class Fleet:
    def __init__(self, folder, counted, seed):
        self.folder = folder
        self.random = random.Random(seed)
        self.log, self.done = [], collections.Counter()
        self.recorders, self.later = {}, []
        self.nats, self.restart_nats = None, False
        os.makedirs(folder)
        self.disks, before, listen = [], [], "127.0.0.1:0"
        store, state = f"{folder}/store", f"{folder}/state"
        host, nats_store = "127.0.0.1", f"{folder}/nats.store"
        if ISOLATED:
            self.network = networks.Network()
            before = self.network.add("n1")
            listen = f"{networks.HUB_ADDRESS}:0"
            folders = [store, state] + [nats_store] * BY_NATS
            self.disks = [networks.Disk(path, DISK_MIB) for path in folders]
            store, state = f"{store}/store", f"{state}/state"
            host, nats_store = networks.HUB_ADDRESS, f"{nats_store}/store"
        self.hub = Hub(folder, store)
        self.node = Node(folder, "n1", self.hub, counted, before, state)
        self.listen = listen
        if BY_NATS:
            self.nats = Nats(folder, host, nats_store)
            self.hub.options = self.node.options = self.nats.options

    def start(self):
        self.start_hub(self.listen)
        self.start_agent(self.hub.join)
        until(30, self.node.has_joined)
        if BY_NATS:
            self.nats.configure(self.hub.store)
            self.start_nats()

    def say(self, what):
        self.log.append(f"{time.monotonic():.3f} {what}")

    # The processes

    def start_with_room(self, name, start):
        """Starts a process, which may need room on a disk that is full."""
        self.say(f"start {name}")
        started = start()
        if not started and any(disk.is_full() for disk in self.disks):
            self.say(f"the disk is full: start {name} again")
            self.empty_disks()
            started = start()
        if not started:
            raise conserve.Lost(f"{name} does not start")

    def start_hub(self, listen):
        self.start_with_room("hub", lambda: self.hub.start(listen))

    def start_nats(self):
        self.start_with_room("NATS", self.nats.start)
        self.restart_nats = False

    def start_agent(self, *args):
        self.say("start agent")
        self.node.start_agent(*args)

    def start_program(self, *args):
        size = self.random.choice([10, 12, 16])
        program = self.node.start_program(*args, ring=size)
        self.say(f"start {program.pid}: {args}, rings of 2^{size}")
        return program

    def record(self, program):
        """Records the program on this machine, too."""
        path = f"{self.folder}/{program.pid}.evr"
        with open(f"{self.folder}/record.err", "a") as errors:
            recorder = subprocess.Popen(
                [EVENTRING, "record", "--dir", self.node.rings, "--force",
                 str(program.pid), "-o", path], stderr=errors)
        self.recorders[program.pid] = (recorder, path)

    # Faults

    def kill_agent(self):
        self.say("kill agent")
        kill(self.node.agent)
        self.later.append((self.random.uniform(0, 1), self.start_agent))

    def end_agent(self):
        self.say("end agent")
        self.node.agent.terminate()
        self.node.agent.send_signal(signal.SIGCONT)
        self.node.agent.wait(60)
        self.later.append((self.random.uniform(0, 0.5), self.start_agent))

    def kill_hub(self):
        self.say("kill hub")
        kill(self.hub.process)
        self.later.append((self.random.uniform(0, 1.5),
                           lambda: self.start_hub(self.hub.address)))

    def stop(self, name, process):
        self.say(f"stop {name}")
        process.send_signal(signal.SIGSTOP)
        self.later.append((self.random.uniform(0, 0.6),
                           lambda: process.send_signal(signal.SIGCONT)))

    def stop_agent(self):
        self.stop("agent", self.node.agent)

    def stop_hub(self):
        self.stop("hub", self.hub.process)

    def kill_nats(self):
        self.say("kill NATS")
        self.nats.kill()
        self.later.append((self.random.uniform(0, 1.5), self.start_nats))

    def stop_nats(self):
        self.stop("NATS", self.nats.process)

    def lose_store(self):
        """Deletes the store of NATS while the server runs, which then is killed
        and begins anew."""
        self.say("delete the store of NATS")
        self.nats.delete_store()
        time.sleep(self.random.uniform(0, 0.3))
        self.kill_nats()

    def kill_program(self):
        living = [p for p in self.node.programs if p.poll() is None]
        if len(living) > 1:
            program = self.random.choice(living)
            self.say(f"kill {program.pid}")
            kill(program)

    def short_program(self):
        self.start_program(1, 5, 0, 1)

    def program_of_seconds(self):
        self.start_program(2, 50, 0.001, 100)

    def part(self):
        self.say("part the network")
        self.network.connect("n1", False)
        self.later.append((self.random.uniform(0, 1.5), self.unite))

    def unite(self):
        self.say("unite the network")
        self.network.connect("n1")

    def fill_disk(self):
        disk = self.random.choice(self.disks)
        self.say(f"fill {disk.path}")
        disk.fill()
        self.later.append((self.random.uniform(0, 1.5), self.empty_disks))

    def empty_disks(self):
        self.say("empty the disks")
        # nats-server 2.9 takes nothing after that until its next start.
        self.restart_nats |= BY_NATS and self.disks[-1].is_full()
        for disk in self.disks:
            disk.empty()

    def fault(self):
        choices = [self.kill_agent, self.kill_agent, self.end_agent,
                   self.kill_hub, self.kill_hub, self.stop_agent, self.stop_hub,
                   self.kill_program, self.short_program,
                   self.program_of_seconds]
        if ISOLATED:
            choices += [self.part, self.part, self.fill_disk, self.fill_disk]
        if BY_NATS:
            choices += [self.kill_nats, self.kill_nats, self.stop_nats,
                        self.lose_store, self.lose_store]
        choice = self.random.choice(choices)
        self.done[choice.__name__] += 1
        choice()

    # A round

    def run_later(self):
        """Ends the faults in progress, one after the other."""
        for wait, action in self.later:
            time.sleep(wait)
            action()
        self.later = []
        if self.restart_nats:
            self.nats.kill()
            self.start_nats()

    def has_ended(self):
        processes = [self.hub.process, self.node.agent]
        if BY_NATS:
            processes.append(self.nats.process)
        return any(process.poll() is not None for process in processes)

    def round(self):
        for _ in range(self.random.randint(2, 4)):
            self.record(self.start_program(
                self.random.randint(1, 3), self.random.choice([5, 50, 200]),
                self.random.choice([0.002, 0.005])))
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.05, 0.5))
            self.fault()
            # Sometimes the next fault comes before this one is over.
            if len(self.later) > 1 or self.random.random() < 0.6 \
               or self.has_ended():
                self.run_later()
        self.run_later()
        if self.has_ended():
            raise conserve.Lost("the agent, the hub or NATS has ended by itself")
        programs = len(self.node.programs)
        printed = self.node.end_programs()
        sums = self.node.check_within(60, printed)
        same = self.compare()
        self.node.forget_files()
        return programs, *sums, same

    def compare(self):
        """Compares the events at the hub with local ones.  Returns the number of
        events that both have."""
        same = 0
        for path in self.node.ring_files():
            pid = int(os.path.basename(path).split(".")[0])
            local = [path]
            if pid in self.recorders:
                recorder, recording = self.recorders[pid]
                recorder.wait(60)
                if os.path.exists(recording):
                    local.append(recording)
            same += conserve.compare(path, self.hub.read, "n1", self.hub.store,
                                     local)
        for _, recording in self.recorders.values():
            if os.path.exists(recording):
                os.unlink(recording)
        self.recorders = {}
        return same


def main():
    folder, counted = sys.argv[1], os.path.abspath(sys.argv[2])
    seed, rounds = int(sys.argv[3]), int(sys.argv[4])
    fleet = Fleet(folder, counted, seed)
    number = 0
    try:
        fleet.start()
        for number in range(1, rounds + 1):
            fleet.log.clear()
            figures = fleet.round()
            print("# round %d of seed %d: %d programs, %d written, %d stored, "
                  "%d lost, %d as in local files" % (number, seed, *figures),
                  flush=True)
        print("#", ", ".join(f"{name} {count}" for name, count
                             in sorted(fleet.done.items())))
    except conserve.Lost as lost:
        print(*fleet.log, f"round {number} of seed {seed}: {lost}", sep="\n")
        if "FLEET_KEEP" in os.environ:
            shutil.copytree(folder, f"{os.environ['FLEET_KEEP']}/{seed}",
                            symlinks=True)
        sys.exit(1)
    finally:
        kill(fleet.node.agent, fleet.hub.process, *fleet.node.programs,
             *(recorder for recorder, _ in fleet.recorders.values()))
        if fleet.nats is not None:
            fleet.nats.kill()


main()
