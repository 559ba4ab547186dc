# profile_alloc.py FILE... <OUTPUT: what the samples of allocation in the files
# say, next to what the program said.  Prints lines "NAME VALUE" and complains of
# samples that make no sense, with exit status 1.

import json
import os
import subprocess
import sys

bad = []


def complain(text):
    if len(bad) < 5:
        print(text)
    bad.append(text)


class Samples:
    """The samples of one file: the blocks that are alive, and the sums."""

    def __init__(self):
        self.live = {}
        self.freed = set()
        self.allocated = {}             # by source
        self.samples = 0
        self.first = 0

    def take(self, event):
        f = event["fields"]
        name = event["name"]
        rows = [row.get("block") for row in f.get("rounds", [])]
        if name in ("alloc_sample", "live_sample"):
            self.sample(name, f)
        elif name == "blocks_freed":
            for block in rows:
                if block in self.freed:
                    complain("block %d is freed twice" % block)
                if block >= self.first and block not in self.live:
                    complain("block %d is freed and was never sampled" % block)
                self.freed.add(block)
                self.live.pop(block, None)
        elif name == "blocks_promoted":
            for block in rows:
                if block >= self.first and block not in self.live:
                    complain("block %d is promoted and not alive" % block)
        elif name == "alloc_start":
            self.first = f["block"]
            self.live = {b: s for b, s in self.live.items() if b >= f["block"]}

    def sample(self, name, f):
        block = f["block"]
        if name == "alloc_sample":
            self.samples += 1
            source = f["source"]
            self.allocated[source] = self.allocated.get(source, 0) + f["allocated"]
            if block in self.live or block in self.freed:
                complain("block %d is allocated twice" % block)
        elif block in self.freed:
            complain("block %d is dead and sampled again" % block)
        if f["allocated"] <= 0 or f["size"] <= 0:
            complain("a sample of nothing: %s" % f)
        if block:
            self.live[block] = f

    def of_size(self, size):
        return sum(1 for f in self.live.values() if f["size"] == size)


def read(path):
    samples = Samples()
    out = subprocess.run([os.environ["EVENTRING_BIN"], "events", "--json", path],
                         check=True, stdout=subprocess.PIPE).stdout
    for line in out.splitlines():
        event = json.loads(line)
        if event.get("category") == "profile_alloc":
            samples.take(event)
    return samples


for path in sys.argv[1:]:
    s = read(path)
    print("samples", s.samples)
    for source, words in sorted(s.allocated.items()):
        print(source, words)
    heap = sum(w for source, w in s.allocated.items() if source != "custom")
    print("allocated", heap)
    print("live", sum(f["allocated"] for f in s.live.values()
                      if f["source"] != "custom"))
    print("live_custom", sum(f["allocated"] for f in s.live.values()
                             if f["source"] == "custom"))
    print("live_of_38", s.of_size(38))
    print("live_of_1235", s.of_size(1235))
    print("live_of_3", s.of_size(3))
print("complaints", len(bad))
sys.exit(1 if bad else 0)
