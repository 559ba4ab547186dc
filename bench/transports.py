"""Ways in which events leave a traced program: eventring record to a file, a
socket, a port or a FIFO, and an agent with its hub, by HTTPS or by a NATS server;
for the benchmarks of streams.

    program --> PID.eventring in a folder --> Attendant --> transport.begin(PID)

Each transport has a folder of its own for ring files.  The attendant sees a new
ring file at once (inotify), so that the measured programs need no other program
around them.  Receivers of streams are threads of this process: they store the
bytes, which are read after the measurement.
"""

import ctypes
import os
import re
import select
import socket
import struct
import subprocess
import sys
import threading
import time

from batches import EVENTRING
from common import TOP, environment, fail, run

sys.path.append(str(TOP / "testsuite" / "fleet"))
import nats_server                      # noqa: E402

PATIENCE = 60                           # seconds, for anything that must happen
IN_MODIFY, IN_CREATE = 0x2, 0x100
LOST = re.compile(r", (\d+) lost")
CONNECT = "connect to "


def wait_for(condition, what, seconds=PATIENCE):
    """Wait until CONDITION returns something true, and return it; after SECONDS,
    stop with a message that has WHAT."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            fail(f"{what}: not within {seconds} s")
        time.sleep(0.005)
    return found


def processor_ns(pid):
    """Return the processor time that process PID has used, its ended threads
    included."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def ended(process):
    """Wait for the end of a Popen.  Return the processor time that it used, in
    ns."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return round(1e9 * (used.ru_utime + used.ru_stime))


class Inotify:
    """Changes in folders."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self.fd < 0:
            fail(f"inotify: {os.strerror(ctypes.get_errno())}")
        self.folders = {}

    def add(self, folder, mask):
        number = self.libc.inotify_add_watch(self.fd, os.fsencode(folder), mask)
        if number < 0:
            fail(f"cannot watch {folder}: {os.strerror(ctypes.get_errno())}")
        self.folders[number] = folder

    def changes(self):
        """Yield the folder, the kind and the name of each change there is; wait
        for none."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            number, mask, _, size = struct.unpack_from("iIII", data, at)
            name = data[at + 16:at + 16 + size].rstrip(b"\0")
            yield self.folders.get(number), mask, os.fsdecode(name)
            at += 16 + size


class Traced:
    """A traced program: its process id, the file for its recording, and the
    cost.  failed: why the recording failed, or empty."""

    def __init__(self, pid):
        self.pid, self.recording, self.failed = pid, None, ""
        self.recorder_ns = self.receiver_ns = 0
        self.hub_ns = self.nats_ns = 0
        self.thread = None


class Transport:
    """A way out.  RINGS is its folder of ring files, FOLDER where it may keep
    files, FLUSH the flush interval as text."""

    def __init__(self, rings, folder, flush=None):
        self.rings, self.folder = rings, folder
        self.options = [f"--flush-interval={flush}"] if flush else []
        self.traced = []
        for one in rings, folder:
            one.mkdir(parents=True, exist_ok=True)

    def begin(self, pid):
        """Let the events of process PID leave."""
        traced = Traced(pid)
        self.traced.append(traced)
        traced.thread = threading.Thread(target=self.guarded, args=(traced,),
                                         daemon=True)
        traced.thread.start()

    def guarded(self, traced):
        try:
            self.attend(traced)
        except OSError as error:
            traced.failed = f"process {traced.pid}: {error}"

    def attend(self, traced):
        traced.recording = self.folder / f"{traced.pid}.evr"
        while not self.record(traced):
            time.sleep(0.001)

    def start(self, traced, output, stdout=subprocess.DEVNULL):
        return subprocess.Popen(
            [EVENTRING, "record", "--dir", self.rings, *self.options,
             str(traced.pid), "-o", output], stdin=subprocess.DEVNULL,
            stdout=stdout, stderr=subprocess.PIPE, text=True,
            env=environment())

    def complete(self, traced, recorder, said=""):
        """Take the end of the recorder.  Return False when the ring file was
        not complete yet, so that another recorder must be started."""
        said += recorder.stderr.read()
        recorder.stderr.close()
        traced.recorder_ns += ended(recorder)
        if recorder.returncode == 3 and not LOST.search(said) \
                and os.path.exists(f"/proc/{traced.pid}"):
            return False
        if recorder.returncode != 0:
            traced.failed = f"eventring record: {said.strip()}"
        return True

    def finish(self):
        """Wait for the ends of all recordings.  Return the programs, in the
        order in which they began, and forget them."""
        traced, self.traced = self.traced, []
        for one in traced:
            one.thread.join(PATIENCE)
            if one.thread.is_alive():
                fail(f"the recording of process {one.pid} does not end")
            if one.failed:
                fail(one.failed)
        return traced

    def summary(self, traced):
        """Return the summary of the recording, the JSON of eventring stat."""
        with open(traced.recording) as recording:
            return run(EVENTRING, "stat", "--json", "-", stdin=recording)

    def stop(self):
        pass


class File(Transport):
    def record(self, traced):
        return self.complete(traced, self.start(traced, traced.recording))


def connected(address):
    """Return a socket that is connected to ADDRESS, as eventring record prints
    it."""
    kind, _, rest = address.partition(":")
    if kind == "unix":
        link = socket.socket(socket.AF_UNIX)
        link.connect(rest)
        return link
    where, _, token = rest.partition("#")
    host, _, port = where.rpartition(":")
    link = socket.create_connection((host.strip("[]"), int(port)))
    link.sendall(token.encode())
    return link


def store(traced, read):
    """Store the bytes that READ returns as the recording."""
    with open(traced.recording, "wb") as output:
        while data := read(1 << 18):
            output.write(data)
    traced.receiver_ns += time.thread_time_ns()


class Socket(Transport):
    """A socket, with one receiver that reads, and STALLED ones that never
    do."""

    stalled = 0

    def record(self, traced):
        recorder = self.start(traced, self.address(traced))
        line = recorder.stderr.readline()
        links = []
        if CONNECT in line:
            address = line.split(CONNECT, 1)[1].strip()
            links = [connected(address) for _ in range(self.stalled + 1)]
            store(traced, links[0].recv)
        done = self.complete(traced, recorder, line)
        for link in links:
            link.close()
        return done


class Unix(Socket):
    def address(self, traced):
        return f"unix:{self.folder}/{traced.pid}"


class Stalled(Unix):
    stalled = 1


class Tcp(Socket):
    def address(self, traced):
        return "tcp:127.0.0.1:0"


class Fifo(Transport):
    def record(self, traced):
        fifo = self.folder / f"{traced.pid}.fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        writer = os.open(fifo, os.O_WRONLY)
        os.set_blocking(reader, True)
        recorder = self.start(traced, "-", stdout=writer)
        os.close(writer)
        store(traced, lambda size: os.read(reader, size))
        os.close(reader)
        fifo.unlink()
        return self.complete(traced, recorder)


class Hub(Transport):
    """An agent and a hub, which run all the time."""

    node = "bench"

    def __init__(self, rings, folder, flush=None, more=()):
        super().__init__(rings, folder, flush)
        self.store, self.state = folder / "store", folder / "state"
        self.log = open(folder / "log", "w+")
        self.hub = subprocess.Popen(
            [EVENTRING, "hub", "--listen", "127.0.0.1:0", "--store",
             self.store, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log, text=True, env=environment())
        said = {}
        for line in self.hub.stdout:
            what, _, words = line.partition(":")
            said[what] = words.split()[-1]
            if what == "read":
                break
        if "read" not in said:
            fail(f"the hub does not start: {self.messages()}")
        self.url = said["read"]
        self.agent = subprocess.Popen(
            [EVENTRING, "agent", "--state", self.state, "--dir", rings,
             "--node", self.node, *self.options, *more, said["join"]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.log, env=environment())
        wait_for(lambda: (self.state / "hub").exists(), "the agent joins")
        self.processes = {"recorder_ns": self.agent, "hub_ns": self.hub}

    def messages(self):
        self.log.seek(0)
        return self.log.read().strip()

    def waiting(self, pid="*"):
        """Return whether the spool has folders of process PID, and parts of
        it."""
        folders = list((self.state / "spool").glob(f"*-*-{pid}-*"))
        return folders, [part for folder in folders
                         for part in folder.glob("*.evr")]

    def attend(self, traced):
        before = {name: processor_ns(process.pid)
                  for name, process in self.processes.items()}
        seen, end = False, None
        while end is None or time.monotonic() < end:
            folders, parts = self.waiting(traced.pid)
            seen = seen or folders
            if not os.path.exists(f"/proc/{traced.pid}"):
                if seen and not parts:
                    break
                end = end or time.monotonic() + PATIENCE
            time.sleep(0.02)
        else:
            traced.failed = (f"the hub has no events of process {traced.pid}: "
                             + self.messages())
        for name, process in self.processes.items():
            setattr(traced, name, processor_ns(process.pid) - before[name])

    def finish(self):
        traced = super().finish()
        pids = [one.pid for one in traced]
        wait_for(lambda: self.all_ended(pids), "the end of all streams")
        return traced

    def streams_of(self, pids):
        """Return whether the hub has bytes of all these processes."""
        return all(list((self.store / "nodes" / self.node).glob(
            f"*-*-{pid}-*/*.evr")) for pid in pids)

    def all_ended(self, pids):
        """Return whether the hub knows that the processes have ended, and has
        all their parts."""
        lines = run(EVENTRING, "ps", "--hub", self.url).splitlines()
        ended = {int(words[1]) for words in map(str.split, lines)
                 if len(words) > 2 and words[1].isdigit()
                 and words[2] in ("ended", "killed")}
        return set(pids) <= ended and not self.waiting()[1]

    def summary(self, traced):
        return run(EVENTRING, "stat", "--json", "--hub", self.url,
                   f"{self.node}/{traced.pid}")

    def stop(self):
        for process in self.agent, self.hub:
            process.terminate()
            process.wait(PATIENCE)
        self.hub.stdout.close()
        self.log.close()


class Nats(Hub):
    """An agent and a hub, with a NATS server between them."""

    def __init__(self, rings, folder, flush=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.server = nats_server.Nats(str(folder))
        super().__init__(rings, folder, flush, self.server.options)
        self.server.configure(self.store, EVENTRING)
        if not self.server.start():
            fail(f"nats-server does not start, see {folder}/nats.log")
        self.processes["nats_ns"] = self.server.process
        wait_for((self.store / "nodes" / self.node / "node.json").exists,
                 "a report by NATS")

    def stop(self):
        super().stop()
        self.server.end()


class Attendant:
    """Gives each new traced program to the transport of its folder; to be used
    in a with statement.  At the end it stops the transports."""

    def __init__(self, transports):
        self.transports = {transport.rings: transport
                           for transport in transports}
        self.inotify = Inotify()
        for rings in self.transports:
            self.inotify.add(rings, IN_CREATE)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.over.is_set():
            select.select([self.inotify.fd], [], [], 0.2)
            for folder, _, name in self.inotify.changes():
                pid, _, suffix = name.partition(".")
                if suffix == "eventring" and pid.isdigit():
                    self.transports[folder].begin(int(pid))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for transport in self.transports.values():
            transport.stop()
