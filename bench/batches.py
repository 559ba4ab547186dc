"""Whole programs, measured by eventring batch and judged by eventring compare;
for the benchmarks of whole programs.
"""

import json
import os
import pathlib

from common import BUILD, environment, run
from suite import installed

EVENTRING = pathlib.Path(os.environ.get("EVENTRING_BIN",
                                        BUILD / "bin" / "eventring"))


def words(program, configuration, size, rings=None):
    """Return the words of eventring batch for PROGRAM in CONFIGURATION: its
    variables and its command line.  RINGS: the folder for its ring files; None
    when eventring batch traces it itself."""
    settings = dict(configuration.settings)
    if program.tool:
        settings["OCAMLLIB"] = installed(configuration.prefix) / "lib" / "ocaml"
    if rings:
        settings.update(OCAML_EVENTRING_PREFIX=rings,
                        OCAML_RUNTIME_EVENTS_DIR=rings)
    return [*(f"{name}={value}" for name, value in settings.items()),
            *program.command(configuration.prefix, size)]


class Batch:
    """The runs of several commands, in FOLDER.  COMMANDS: the words of each, by
    its label; the first is the base.  The programs run in the folder CWD, with
    OPTIONS of eventring batch."""

    def __init__(self, folder, commands, cwd, *options):
        self.folder, self.commands, self.cwd = folder, commands, cwd
        self.options = options

    def make(self, runs):
        """Make RUNS runs of each command, of which earlier ones count."""
        if self.folder.exists():
            command = [f"--continue={self.folder}"]
        else:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            command = ["-o", self.folder, *self.options,
                       *(f"--label={label}" for label in self.commands)]
            for words_of_command in self.commands.values():
                command += ["--", *words_of_command]
        run(EVENTRING, "batch", "-q", f"--runs={runs}", *command,
            cwd=self.cwd, env=environment())
        return self

    def runs(self):
        """Return the objects of all runs, in their order."""
        return [json.loads(path.read_text())
                for path in sorted(self.folder.glob("[0-9]*.json"))]

    def compare(self, *labels):
        """Return the comparisons of the other LABELS, or commands, with the
        first, by their label: the figures by their name."""
        operands = [f"{self.folder}:{label}" for label in labels] \
            or [self.folder]
        said = json.loads(run(EVENTRING, "compare", "--json", *operands))
        return {comparison["this"].removeprefix(f"{self.folder}:"):
                {figure["name"]: figure for figure in comparison["figures"]}
                for comparison in said["comparisons"]}


def verdict(figure):
    """Return the verdict on a figure as words."""
    said, bound = figure["verdict"], figure["bound"]
    if said == "same":
        return f"no difference larger than {100 * bound:.2g} %" if bound \
            else "no difference"
    return "cannot say" if said == "unknown" else said


def ratio(f):
    """Return the ratio of a figure, with its interval, as words."""
    if f["ratio"] is None:
        return "-"
    if f["low"] is None or f["high"] is None:
        return f"{f['ratio']:.3f}"
    return f"{f['ratio']:.3f} ({f['low']:.3f}–{f['high']:.3f})"


def percent(share):
    return "-" if share is None else f"{100 * share:.2f} %"


def flat(facts, way=""):
    """Yield the names and texts of the facts in an object of JSON."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from flat(value, f"{way}{name}.")
        elif value is not None:
            yield way + name, value if isinstance(value, str) \
                else json.dumps(value)


def facts(runs):
    """Return lines of Markdown with the manifests of RUNS, objects: the facts
    about the machine, and its conditions over all runs."""
    said = {}
    for run_object in runs:
        manifest = run_object["manifest"]
        for name, value in (
                *flat(manifest["machine"], "machine."),
                *flat({"governor": "none known", **{
                    key: value
                    for key, value in manifest["conditions"].items()
                    if value is not None}}, "conditions."),
                *flat(manifest["compiler"] or {}, "compiler.")):
            said.setdefault(name, set()).add(value)
    loads = sorted(run_object["manifest"]["conditions"]["load"][0]
                   for run_object in runs)
    for name in "load", "frequency_mhz", "temperature_celsius":
        for each in [each for each in said
                     if each.startswith(f"conditions.{name}")]:
            del said[each]
    return [
        "| fact | |", "| --- | --- |",
        f"| runs | {len(runs)}, from {min(r['run']['started'] for r in runs)} "
        f"to {max(r['run']['ended'] for r in runs)} |",
        f"| load when a run began | {loads[0]:.2f} to {loads[-1]:.2f}, median "
        f"{loads[len(loads) // 2]:.2f} |",
        *(f"| {name} | {', '.join(sorted(values))} |"
          for name, values in said.items())]
