"""Starts PROGRAMS programs, attaches to each and detaches at random moments, and
compares output and exit code with a run that nobody attached to.

    attach.py EVENTRING PROGRAMS SEED PROGRAM...

Prints a line for each fault, and a line with totals at the end.  A program must
be traced after eventring attach says so, unless it has ended meanwhile; each
refusal must have a reason: the program has ended, or runs another program."""

import json
import random
import subprocess
import sys
import time

WAYS = ['busy', 'idle', 'polling', 'blocked', 'domains', 'spawns', 'threads',
        'signals', 'forks', 'fails', 'executes']
REASONS = ['has ended, or executes another program', 'no such process',
           'it has no runtime of']


def eventring(*args):
    return subprocess.run([sys.argv[1], *args], capture_output=True, text=True)


def start(program, way):
    return subprocess.Popen([program, way], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def result(process):
    out, err = process.communicate(timeout=60)
    return out, err, process.returncode


class Run:
    """One program that is attached to."""
    totals = {'attached': 0, 'pending': 0, 'refused': 0, 'detached': 0}

    def __init__(self, program, way, expected):
        self.expected = expected
        self.name = f'{program.rsplit("/", 1)[-1]} {way}'
        self.process = start(program, way)
        self.pid = str(self.process.pid)
        self.plan = sorted(random.uniform(0, 0.4) for _ in range(4))
        self.began = time.monotonic()
        self.attaching = True

    def complain(self, text):
        print(f'{self.name} ({self.pid}): {text}')

    def due(self):
        return self.plan and time.monotonic() - self.began >= self.plan[0]

    def step(self):
        """Attaches or detaches, in turn, and checks the answer."""
        self.plan.pop(0)
        alive = self.process.poll() is None
        if self.attaching:
            self.attach(alive)
        else:
            self.detach(alive)
        self.attaching = not self.attaching

    def attach(self, alive):
        r = eventring('attach', '--json', '--wait=50ms', '--dir=.', self.pid)
        if r.returncode != 0:
            self.refused(r, alive)
            return
        processes = json.loads(r.stdout)['processes']
        if processes:
            self.totals['attached'] += 1
            if processes[0]['paused'] and not self.has_ended():
                self.complain('is paused')
        elif 'has had no event' in r.stderr:
            self.totals['pending'] += 1
        elif self.process.poll() is None and not self.has_ended():
            self.complain(f'neither traced nor refused: {r.stderr}')

    def has_ended(self):
        """Waits for the process to end, which it may be about to do."""
        until = time.monotonic() + 3
        while self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        return self.process.poll() is not None

    def detach(self, alive):
        r = eventring('detach', '--wait=50ms', self.pid)
        if r.returncode == 0:
            self.totals['detached'] += 1
        elif 'is not traced' not in r.stderr:
            self.refused(r, alive)

    def refused(self, r, alive):
        self.totals['refused'] += 1
        lines = r.stderr.splitlines()
        if len(lines) != 1 or not any(reason in r.stderr for reason in REASONS):
            self.complain(f'refused without a reason: {r.stderr}')
        elif alive and not self.has_ended() and 'executes' not in self.name:
            self.complain(f'refused while it runs: {r.stderr}')

    def finish(self):
        got = result(self.process)
        if got != self.expected:
            self.complain(f'{got} and not {self.expected}')


def main():
    count, seed, programs = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    random.seed(seed)
    kinds = [(p, w) for p in programs for w in WAYS]
    expected = {kind: result(start(*kind)) for kind in kinds}
    waiting = [kinds[i % len(kinds)] for i in range(count)]
    random.shuffle(waiting)
    running = []
    while waiting or running:
        while waiting and len(running) < 4:
            kind = waiting.pop()
            running.append(Run(*kind, expected[kind]))
        for run in running[:]:
            if run.due():
                run.step()
            elif not run.plan:
                run.finish()
                running.remove(run)
        time.sleep(0.002)
    print('totals', json.dumps(Run.totals))


main()
