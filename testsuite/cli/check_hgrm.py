"""check_hgrm.py EVENTS HGRM: compares a distribution in HdrHistogram's format
with the durations of the minor collections in the output of eventring events
--raw.  A value stands for all up to it, so the count on its line must be the
number of durations that are not longer, exactly."""

import collections
import math
import sys

durations, open_since = [], {}
for line in open(sys.argv[1]):
    ns, _, ring, domain, thread, form, _, name, _ = line.split("\t")
    if form == "instant" and name in ("ring_pause", "ring_resume"):
        open_since.clear()
    if name != "minor":
        continue
    if form == "begin":
        open_since[ring, domain, thread] = int(ns)
    elif (ring, domain, thread) in open_since:
        durations.append(int(ns) - open_since.pop((ring, domain, thread)))

head, blank, *lines = open(sys.argv[2]).read().split("\n")
assert head.split() == ["Value", "Percentile", "TotalCount",
                        "1/(1-Percentile)"], head
assert blank == "" and lines.pop() == ""
sums = [line for line in lines if line.startswith("#")]
rows = [[float(word) for word in line.split()] for line in lines
        if not line.startswith("#")]

level = 0.0                     # where the next line must be, of 100
for value, share, count, *rest in rows[:-1]:
    assert abs(share - level / 100) < 1e-9, (share, level)
    assert abs(rest[0] - 1 / (1 - level / 100)) < 0.01, (rest, level)
    ns = round(value * 1e6)
    below = sum(d <= ns for d in durations)
    assert count == below, (value, count, below)
    assert count >= share * len(durations) - 1e-6
    level += 100 / (5 * 2 ** (math.floor(math.log2(100 / (100 - level))) + 1))
assert rows[-1] == [max(durations) / 1e6, 1, len(durations)], rows[-1]
counts = collections.Counter(row[2] for row in rows)
assert len(counts) > 20 and rows == sorted(rows, key=lambda row: row[:2])

words = [word for line in sums for word in line.split()]
mean = float(words[words.index("#[Mean") + 2].rstrip(","))
largest = float(words[words.index("#[Max") + 2].rstrip(","))
assert abs(mean - sum(durations) / len(durations) / 1e6) < 1e-6, mean
assert largest == max(durations) / 1e6, largest
