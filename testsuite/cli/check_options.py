"""check_options.py manual|lines TABLE FILE: prints a line for each option in
FILE that its command does not have, by TABLE, which `eventring help --options`
has printed, and exits with 1 when there is one.

manual: the lists of options in the sections of the manual, and its synopsis;
also a line for each option that these do not name.
lines: the command lines `eventring COMMAND ...` of a document."""
import re
import sys


def read_table(path):
    """Returns the set of options of each command, without values."""
    options = {}
    for line in open(path):
        forms, commands, _ = re.split("  +", line.rstrip("\n"), maxsplit=2)
        for command in commands.split():
            for form in forms.split(", "):
                name = re.match("--?[a-z-]+", form).group()
                options.setdefault(command, set()).add(name)
    return options


def manual(text, options):
    """Yields (commands, option) for each option that the manual names."""
    commands = []
    for line in text.split("\n"):
        if line.startswith(".Sh") or line == ".Nm":
            commands = []
        elif line.startswith(".Ss "):
            commands = line[4:].split(", ")
        elif line.startswith(".Cm ") and not commands:
            commands = line[4:].split(" | ")
        if not any(c in options for c in commands):
            continue
        if line.startswith((".It Fl", ".Op Fl", ".Fl o")):
            for option in re.findall(r"Fl (-[a-z][a-z-]*|[a-z]+)", line):
                if option.startswith("-"):
                    yield commands, "-" + option
                else:
                    for letter in option:
                        yield commands, "-" + letter


def lines(text, options):
    """Yields (commands, option) for the command lines of a document."""
    text = text.replace("\\\n", " ")
    for match in re.finditer(r"\beventring ([a-z]+)( [^\n`|;&]*)?", text):
        command, rest = match.group(1), match.group(2) or ""
        # Prose: "eventring reads", unless it looks like a command line.
        if command not in options:
            if re.match(r" (--|[0-9./])", rest) and command != "help":
                yield [command], "(the command)"
            continue
        words = re.sub(r"'[^']*'", "X", rest).split()
        for word in words:
            if word == "--":
                break
            if re.match(r"--[a-z]", word):
                yield [command], re.match("--[a-z-]+", word).group()
            elif re.match(r"-[a-zA-Z]$", word):
                yield [command], word


def main():
    how, table, path = sys.argv[1:]
    options = read_table(table)
    text = open(path, encoding="utf-8").read()
    found = False
    named = {}
    forms = " ".join(line.split("  ")[0] for line in open(table))
    for commands, option in {"manual": manual, "lines": lines}[how](text,
                                                                   options):
        for command in commands:
            named.setdefault(command, {"-h", "--help"}).add(option)
            if option not in options.get(command, ()):
                print(f"{path}: {command} has no {option}")
                found = True
    for command in options if how == "manual" else ():
        # Where a letter is named, the name need not be.
        for option in options[command] - named.get(command, set()):
            if not any(f"{letter}, {option}" in forms
                       for letter in named.get(command, ())):
                print(f"{path}: {option} of {command} is missing")
                found = True
    sys.exit(found)


main()
