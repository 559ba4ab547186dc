#!/usr/bin/env -S python3 -B
"""A file includes a layer that it may not know, the include graph has a cycle, a
file below tools/ prints or ends the program.

The layers stand in LAYERS, from the bottom to the top: a file includes files of
its own layer and of those before it.  analysis/ and all above it see the public
header of libeventring only, and the files in INLINE, which have no function
that is linked.  A module is a .c file and the .h file of its name;
modules of analysis/ and above must not include each other in a circle either.

The last tests plant each mistake in a copy of the files, and the check must
find it."""

import functools
import os
import pathlib
import re
import sys

TOP = pathlib.Path(os.environ.get("EVENTRING_TOP",
                                  pathlib.Path(__file__).parents[2]))
LAYERS = ("runtime", "consumer/reader", "consumer/runtime_events",
          "consumer/library", "analysis", "fleet", "render", "sources", "serve", "tools")
# The last layer below analysis/.
LIBRARY = LAYERS.index("consumer/library")
PUBLIC = "consumer/reader/eventring_reader.h"
INLINE = ("consumer/reader/eventring_hash.h", "runtime/caml/eventring_events.tbl",
          "runtime/caml/eventring_hooks.h")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def read(top):
    """The files of the layers, by their path, with their text."""
    return {str(path.relative_to(top)): path.read_text()
            for layer in LAYERS for path in sorted((top / layer).rglob("*"))
            if path.suffix in (".c", ".h", ".tbl")}


@functools.cache
def includes(text):
    return INCLUDE.findall(text)


def resolve(name, named, includer):
    """The file of ours that NAME means in INCLUDER, or None: a header of the
    system or of OCaml.  The compiler looks in the includer's folder first.
    NAMED has the paths by their last part."""
    paths = named.get(os.path.basename(name), ())
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name))
    if beside in paths:
        return beside
    found = [path for path in paths
             if path == name or path.endswith("/" + name)]
    if len(found) > 1:
        raise SystemExit(f"Bail out! {includer}: {name} may be any of "
                         + ", ".join(found))
    return found[0] if found else None


def graph_of(files):
    named = {}
    for path in files:
        named.setdefault(os.path.basename(path), []).append(path)
    return {path: sorted({target for name in includes(text)
                          if (target := resolve(name, named, path))})
            for path, text in files.items()}


def layer_of(path):
    return next(i for i, layer in enumerate(LAYERS)
                if path.startswith(layer + "/"))


def wrong_layers(graph):
    for path, targets in graph.items():
        for target in targets:
            if layer_of(target) > layer_of(path):
                yield f"{path} includes {target} of a layer above it"
            elif (layer_of(path) > LIBRARY
                  and layer_of(target) <= LIBRARY
                  and target not in (PUBLIC, *INLINE)):
                yield f"{path} includes {target}, which is not public"


def cycles(graph):
    """Each circle that a walk through the graph comes upon."""
    done, way = set(), []

    def walk(node):
        if node in way:
            yield " -> ".join(way[way.index(node):] + [node])
        elif node not in done:
            way.append(node)
            for target in graph[node]:
                yield from walk(target)
            way.pop()
            done.add(node)

    for node in graph:
        yield from walk(node)


def modules_of(graph):
    """The graph of the layers from analysis/ on with each .c file, its .h file and
    its _internal.h file as one node."""
    modules = {}

    def module(path):
        return os.path.splitext(path)[0].removesuffix("_internal")

    for path, targets in graph.items():
        if layer_of(path) <= LIBRARY:
            continue
        name = module(path)
        modules.setdefault(name, set()).update(
            base for base in (module(t) for t in targets if layer_of(t) > LIBRARY)
            if base != name)
    return {name: sorted(targets) for name, targets in modules.items()}


PRINTS = re.compile(r"\b((?:v?f?printf|f?puts|f?putc|putchar|fwrite|perror|"
                    r"_?exit|isatty)(?=\s*\()|stdout|stderr)")
# To a file that the caller gives, anything; a child may end itself.
MESSAGES = re.compile(r"\b((?:v?printf|puts|putchar|perror|exit|isatty)(?=\s*\()|"
                      r"stdout|stderr)")
# JSON and text of events on standard output, too.
ENDS = re.compile(r"\b((?:perror|exit|isatty)(?=\s*\()|stderr)")
SILENT = {"analysis": PRINTS, "fleet": PRINTS, "render": ENDS, "sources": MESSAGES,
          "serve": MESSAGES}


def prints(files):
    for path, text in files.items():
        pattern = SILENT.get(path.split("/")[0])
        if pattern is not None:
            code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', "", text, flags=re.S)
            for call in pattern.findall(code):
                yield f"{path} has {call}"


def look(files):
    """What is wrong with the files, by the name of the check."""
    graph = graph_of(files)
    return {
        "layers include only those below": list(wrong_layers(graph)),
        "the include graph of files has no cycle": list(cycles(graph)),
        "the include graph of modules has no cycle":
            list(cycles(modules_of(graph))),
        "no layer below tools prints messages or ends the program":
            list(prints(files)),
    }


# Name, file, text that goes to its end, number of the check that must fail.
PLANTED = (
    ("tools in analysis", "analysis/spans.c", '#include "common.h"\n', 0),
    ("a subcommand's header by a path", "analysis/spans.h",
     '# include "../tools/common.h"\n', 0),
    ("analysis in consumer", "consumer/reader/eventring_find.c",
     '#include "spans.h"\n', 0),
    ("the library in what the runtime has, too", "consumer/reader/eventring_find.c",
     '#include "eventring_chunks.h"\n', 0),
    ("consumer in runtime", "runtime/eventring_fault.c",
     '#include "eventring_reader.h"\n', 0),
    ("a private header in tools", "tools/common.h",
     '#include "eventring_chunks.h"\n', 0),
    ("two headers that include each other", "analysis/histogram.h",
     '#include "summary.h"\n', 1),
    ("two modules that include each other", "analysis/histogram.c",
     '#include "summary.h"\n', 2),
    ("a message in analysis", "analysis/target.c",
     'static void f(void) { fprintf(stderr, "x"); }\n', 3),
    ("a message in serve", "serve/stream.c",
     'static void f(void) { printf("x"); }\n', 3),
    ("an exit in render", "render/text.c",
     "static void f(void) { exit(3); }\n", 3),
    ("the command in serve", "serve/stream.c", '#include "options.h"\n', 0),
    ("an exit in analysis", "analysis/target.c",
     "static void f(void) { exit(3); }\n", 3),
)


def main():
    count = failed = 0

    def test(good, name, remarks=()):
        nonlocal count, failed
        count += 1
        failed += not good
        print(f"{'' if good else 'not '}ok {count} - {name}")
        for remark in remarks:
            print(f"# {remark}")

    files = read(TOP)
    found = look(files)
    for name, wrong in found.items():
        test(not wrong, name, wrong)
    for name, path, text, check in PLANTED:
        after = look({**files, path: files[path] + text})
        test(len(list(after.values())[check])
             > len(list(found.values())[check]), f"planted and found: {name}")
    print(f"1..{count}")
    sys.exit(failed > 0)


main()
