"""Code shared by the benchmarks: paths, compiling, progress, results.

A benchmark called NAME leaves two files in _build/bench: NAME.tsv, a line of
column names and a line a figure, and NAME.json, the manifest: the machine, the
versions, the time, and whether the benchmark finished.  After an interrupt both
have the finished figures.  bench/report makes a page of them.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
BENCH = TOP / "bench"
BUILD = pathlib.Path(os.environ.get("EVENTRING_BUILD", TOP / "_build"))
STAGE = pathlib.Path(os.environ.get("EVENTRING_STAGE", BUILD / "stage"))
STOCK = pathlib.Path(os.environ.get("EVENTRING_STOCK",
                                    BUILD / "stock" / "install"))
OUT = BUILD / "bench"

# The stock interface and the stock operation in probes.tsv with which ours are
# compared.
STOCK_FROM = {"Eventring": "Runtime_events", "libeventring": "C",
              "libeventring, one ring": "C"}
STOCK_WHAT = {"user text, 16 bytes": "user custom, 16 bytes"}

# Prefixes of variables that only a benchmark itself may set for its programs.
STEERING = ("OCAML_EVENTRING_", "OCAML_RUNTIME_EVENTS_", "OCAMLRUNPARAM",
            "CAMLRUNPARAM")


def fail(why):
    """Print one line on standard error and exit with code 1."""
    sys.exit(f"eventring: {os.path.basename(sys.argv[0])}: {why}")


def environment(**settings):
    """Return the environment of a benchmarked program: ours without the
    variables above, and SETTINGS."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(STEERING)}
    return {**clean, **settings}


def need(*prefixes):
    """Stop unless these toolchains exist."""
    for prefix in prefixes:
        if not (prefix / "bin" / "ocamlopt").exists():
            fail(f"no compiler in {prefix}/bin; run make stage stock")


def need_command(name, package):
    if shutil.which(name) is None:
        fail(f"{name} is not there; install the Debian package {package} "
             "(make deps)")


def run(*command, **options):
    """Run a command to its end; stop with its output when it fails.  Return its
    standard output."""
    options.setdefault("env", environment())
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        fail(f"{words}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def compile_ocaml(prefix, folder, name, sources, libraries=(), flags=()):
    """Compile SOURCES, paths, with the ocamlopt of PREFIX in FOLDER, which it
    makes; return the path of the program NAME."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for source in sources:
        shutil.copy(source, folder)
        if not str(source).endswith(".h"):
            names.append(os.path.basename(source))
    using = []
    for library in libraries:
        using += ["-I", f"+{library}", f"{library}.cmxa"]
    run(prefix / "bin" / "ocamlopt", *flags, *using, "-o", name, *names,
        cwd=folder)
    return folder / name


def first_line(path):
    try:
        return pathlib.Path(path).read_text().split("\n")[0].strip()
    except OSError:
        return ""


def cpu_model():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def git(*words):
    done = subprocess.run(["git", "-C", TOP, *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""


def manifest(name, flags):
    with open(TOP / "upstream" / "package-lock.json") as lock:
        base = json.load(lock)["packages"]["node_modules/ocaml"]
    return {
        "benchmark": name,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_kib": int((first_line("/proc/meminfo").split() or [0, 0])[1]),
        "kernel": platform.release(),
        "clocksource": first_line("/sys/devices/system/clocksource/"
                                  "clocksource0/current_clocksource"),
        "compiler": run("cc", "--version").split("\n")[0],
        "ocaml": base["version"],
        "ocaml_integrity": base["integrity"],
        "commit": git("rev-parse", "HEAD"),
        "commit_changed": git("status", "--porcelain") != "",
        "flags": flags,
        "environment": {key: value for key, value in os.environ.items()
                        if key.startswith(("EVENTRING_", "BENCH"))
                        and not value.startswith("/")},
    }


class Results:
    """The two files of a benchmark, to be used in a with statement.

    row(...) adds a line, which is kept even if the benchmark fails later.
    step(what, done, total) shows on a terminal the present measurement, its
    progress, and the time left.
    """

    def __init__(self, name, columns, **flags):
        self.name, self.columns, self.flags = name, columns, flags

    def __enter__(self):
        OUT.mkdir(parents=True, exist_ok=True)
        self.manifest = manifest(self.name, self.flags)
        self.start = time.monotonic()
        self.rows = []
        return self

    def row(self, *values):
        assert len(values) == len(self.columns), (values, self.columns)
        self.rows.append(["" if v is None else
                          f"{v:.6g}" if isinstance(v, float) else str(v)
                          for v in values])

    def step(self, what, done, total):
        if not sys.stderr.isatty():
            return
        passed = time.monotonic() - self.start
        left = f", {passed / done * (total - done):.0f} s left" if done else ""
        print(f"\r\033[K  {self.name}: {what} ({done} of {total}{left})",
              end="", file=sys.stderr, flush=True)

    def __exit__(self, kind, error, trace):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        self.manifest["seconds"] = round(time.monotonic() - self.start, 1)
        self.manifest["complete"] = kind is None
        replace(OUT / f"{self.name}.tsv", "".join(
            "\t".join(line) + "\n" for line in [self.columns, *self.rows]))
        replace(OUT / f"{self.name}.json",
                json.dumps(self.manifest, indent=2) + "\n")
        if kind is KeyboardInterrupt:
            sys.exit(f"interrupted; what was finished is in "
                     f"{OUT / self.name}.tsv")


def replace(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.replace(new, path)


def table(path):
    """Return a TSV file as a list of dictionaries."""
    lines = path.read_text().split("\n")
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:] if line]


def median(values):
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[n // 2] if n % 2
            else (ordered[n // 2 - 1] + ordered[n // 2]) / 2)


def show(rows):
    """Rows of words, aligned: the first column left, the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(word.ljust(width) if i == 0 else word.rjust(width)
                        for i, (word, width) in enumerate(zip(row, widths))))


def markdown(table):
    """Return TABLE, rows of words of which the first has the titles, as lines of
    Markdown."""
    head, *lines = table
    return ["", "| " + " | ".join(head) + " |",
            "| --- |" + " ---: |" * (len(head) - 1),
            *("| " + " | ".join(line) + " |" for line in lines)]


def made_by():
    """Return a sentence on the command line, the commit, the day and the
    machine."""
    command = " ".join([f"bench/{os.path.basename(sys.argv[0])}",
                        *sys.argv[1:]])
    return (f"Made by `{command}` on {time.strftime('%Y-%m-%d')}, at commit "
            f"{git('rev-parse', 'HEAD')[:12]}"
            + (" with changes" if git("status", "--porcelain") else "")
            + f", on {os.cpu_count()} processors of {cpu_model()}, Linux "
            f"{platform.release()}. Do not edit.")


def put_section(path, name, lines):
    """Put LINES between the lines <!-- NAME --> and <!-- end of NAME --> of the
    page at PATH, which gets them at its end if it lacks them."""
    text = path.read_text() if path.exists() else ""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if found and not closed:
        fail(f"{path}: no line {end.strip()}")
    replace(path, before + begin + "\n".join(lines) + "\n" + end + after)
