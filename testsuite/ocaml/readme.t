#!/usr/bin/env python3
"""The commands of README.md are run in the order of the page: a command, an
option or a program that is no longer right would mislead its first reader."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(os.environ["EVENTRING_TOP"])
STAGE = pathlib.Path(os.environ.get("EVENTRING_STAGE",
                                    TOP / "_build" / "stage"))
# Commands of the build, of opam, those of a stock OCaml, which variants.t tests,
# and the hub, which fleet/hub.t tests: it would take a port of the machine.
ELSEWHERE = re.compile(r"make |export |opam |cat findlib|.*variant|ocamlfind|"
                       r".*hello|eventring hub")


def blocks(text):
    """(section, command, lines below it) of each command of the page."""
    section, command, below = "", None, []
    for line in text.split("\n"):
        if line.startswith("    $ "):
            if command:
                yield section, command, below
            command, below = line[6:], []
        elif line.startswith("    ") and command:
            if command.endswith("\\"):
                command = command[:-1] + line[4:].lstrip()
            else:
                below.append(line[4:])
        elif line == "" and command and command.startswith("cat "):
            below.append("")
        elif command:
            yield section, command, below
            command = None
        if line.startswith("## "):
            section = line
    if command:
        yield section, command, below


class Session:
    """A shell in a folder of its own; process ids of the page become real."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            **os.environ, "PATH": f"{STAGE / 'bin'}:{os.environ['PATH']}"}
        self.begun = []
        self.started = None     # the last command that ended in &
        self.pids = {}

    def begin(self, command):
        self.started = command
        shell = subprocess.Popen(
            ["bash", "-c", "exec env " + command.rstrip(" &")],
            cwd=self.folder, env=self.environment)
        self.begun.append(shell)
        time.sleep(1)
        return shell.pid

    def running(self):
        return [p.pid for p in self.begun if p.poll() is None]

    def real(self, command):
        # "The server from above", which ended with its section
        if (re.match(r"eventring (ps|stat)\b", command) and self.started
                and not self.running()):
            self.begin(self.started)
        for number in re.findall(r"\b\d{5}\b", command):
            if number not in self.pids:
                running = self.running()
                self.pids[number] = (running[-1] if running
                                     else self.begin(self.started))
            command = re.sub(rf"\b{number}\b", str(self.pids[number]), command)
        return command

    def run(self, command):
        """Runs it; returns None, or a text that tells how it failed."""
        if command.endswith("&"):
            self.begin(command)
            return None
        command = self.real(command)
        # These go on until they are interrupted.
        if "--interval" in command or command.startswith("eventring serve"):
            command = ("timeout --foreground --preserve-status -s INT 2 "
                       + command)
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
            env=self.environment, timeout=120, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if command.startswith("kill "):
            self.begun[-1].wait()
        if run.returncode in (0, 128 + signal.SIGPIPE):
            return None
        return f"{command}\nexit status {run.returncode}\n{run.stdout}"

    def end(self):
        for process in self.begun:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.begun = []
        for file in self.folder.glob("*.eventring"):
            file.unlink()


def main():
    # Alone, so that "the only traced process" is ours.
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]
    if len(sys.argv) == 1 and subprocess.run(
            [*alone, "true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.execvp("unshare", [*alone, sys.argv[0], "alone"])
    folder = pathlib.Path(tempfile.mkdtemp())
    session = Session(folder)
    count = 0
    try:
        for name in "demo", "contention":
            shutil.copy(TOP / "examples" / f"{name}.ml", folder)
            subprocess.run(
                [STAGE / "bin" / "ocamlopt", "-I", "+unix", "-I", "+threads",
                 "unix.cmxa", "threads.cmxa", f"{name}.ml", "-o", name],
                cwd=folder, check=True)
        section = None
        for where, command, below in blocks((TOP / "README.md").read_text()):
            if where != section:
                session.end()
                section = where
            if ELSEWHERE.match(command):
                continue
            if command.startswith("cat "):
                (folder / command[4:]).write_text("\n".join(below) + "\n")
                continue
            count += 1
            failed = session.run(command)
            print(f"{'not ok' if failed else 'ok'} {count} - "
                  f"{command.replace('#', 'no. ')}")
            if failed:
                print("# " + failed.replace("\n", "\n# "))
    finally:
        session.end()
        shutil.rmtree(folder)
    print(f"1..{count}")


main()
