"""Makes and changes runs of batches, with the checksums that they need.

compare_runs.py make TEMPLATE FOLDER ROUNDS NOISE [FIGURE=FACTOR...]
  Makes a batch of the commands `old` and `new` in FOLDER, from the first run and
  the recording of the batch TEMPLATE.  Each round has a common random factor,
  and each time a factor of its own with the standard deviation NOISE.  The
  figures of `new` are multiplied by FACTOR.
compare_runs.py series TEMPLATE FOLDER VERSIONS RUNS NOISE [REPOSITORY]
  Makes a batch of VERSIONS commands in FOLDER with RUNS runs of each.  Their
  times have the standard deviation NOISE.  With REPOSITORY, each is a commit of
  it, from the first on; without, each began an hour after the one before, and
  knows no commit.
compare_runs.py set FILTER RUN...
  Replaces each run by the output of jq for FILTER."""
import json
import os
import random
import shutil
import subprocess
import sys

from xxh64 import xxh64

TIMES = ("wall_ns", "user_ns", "system_ns", "gc_ns")


def write(path, run):
    body = ",\n".join(f'"{key}":' + json.dumps(run[key], separators=(",", ":"))
                      for key in ("run", "manifest", "summary"))
    body = "{" + body
    with open(path, "w") as out:
        out.write(body + ',\n"xxh64":"' + xxh64(body.encode()) + '"}\n')


def make(template, folder, rounds, noise, factors):
    rng = random.Random(1)
    os.mkdir(folder)
    shutil.copy(f"{template}/000001.evr", folder)
    batch = json.load(open(f"{template}/batch.json"))
    batch["commands"] = [dict(batch["commands"][0], label=label)
                         for label in ("old", "new")]
    json.dump(batch, open(f"{folder}/batch.json", "w"))
    text = open(f"{template}/000001.json").read()
    for number in range(1, 2 * rounds + 1):
        run = json.loads(text)
        command = (number - 1) % 2 + 1
        run["run"].update(number=number, round=(number + 1) // 2,
                          command=command, label=("old", "new")[command - 1],
                          wall_ns=2 * 10 ** 9, user_ns=10 ** 9,
                          system_ns=10 ** 8)
        run["summary"]["total"]["gc_ns"] = 10 ** 8
        if command == 1:
            common = rng.gauss(1, 0.05)
        for part in (run["run"], run["summary"]["total"]):
            for name in part:
                factor = 1
                if name in TIMES:
                    factor = common * rng.gauss(1, noise)
                if command == 2:
                    factor *= factors.get(name, 1)
                if factor != 1:
                    part[name] = int(part[name] * factor)
        write(f"{folder}/{number:06}.json", run)


def series(template, folder, versions, runs, noise, repository):
    rng = random.Random(2)
    os.mkdir(folder)
    shutil.copy(f"{template}/000001.evr", folder)
    batch = json.load(open(f"{template}/batch.json"))
    command = batch["commands"][0]
    hashes = repository and subprocess.check_output(
        ["git", "-C", repository, "rev-list", "--reverse", "HEAD"],
        text=True).split()
    batch["commands"] = [
        dict(command, label=hashes[i][:12], commit=hashes[i]) if hashes
        else dict(command, label="prog") for i in range(versions)]
    if hashes:
        batch["commits"] = {"range": "HEAD", "build": "make it",
                            "repository": os.path.abspath(repository),
                            "prefix": "", "failed": []}
    json.dump(batch, open(f"{folder}/batch.json", "w"))
    text = open(f"{template}/000001.json").read()
    for number in range(1, versions * runs + 1):
        run = json.loads(text)
        place = (number - 1) % versions
        run["run"].update(
            number=number, round=(number - 1) // versions + 1,
            command=place + 1, label=batch["commands"][place]["label"],
            started=f"2026-01-{place // 24 + 1:02}T{place % 24:02}:00:00."
                    f"{number:09}Z")
        run["manifest"]["git"] = hashes and {
            "commit": hashes[place], "branch": None, "describe": None,
            "changes_xxh64": None}
        for name, value in (("wall_ns", 2 * 10 ** 9), ("user_ns", 10 ** 9),
                            ("system_ns", 10 ** 8)):
            run["run"][name] = int(value * rng.gauss(1, noise))
        run["summary"]["total"]["gc_ns"] = int(10 ** 8 * rng.gauss(1, noise))
        write(f"{folder}/{number:06}.json", run)


if sys.argv[1] == "series":
    series(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]),
           float(sys.argv[6]), sys.argv[7] if len(sys.argv) > 7 else None)
elif sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]),
         {name: float(factor) for name, factor in
          (each.split("=") for each in sys.argv[6:])})
else:
    results = subprocess.check_output(["jq", "-c", *sys.argv[2:]], text=True)
    for name, run in zip(sys.argv[3:], results.splitlines(), strict=True):
        write(name, json.loads(run))
