#!/usr/bin/env python3
"""Usage: batch_schema.py SCHEMA RUN.json...

Validates runs of eventring batch.  The manifest and the figures of the process
may have no members that the schema does not describe."""

import json
import sys

import jsonschema


def close(schema):
    """Forbids members that are not described, except in objects that other pages
    describe: those with `additionalProperties` or without members of their own
    types."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            close(value)
    elif isinstance(schema, list):
        for value in schema:
            close(value)


with open(sys.argv[1]) as file:
    schema = json.load(file)
for member in ("run", "manifest"):
    close(schema["properties"][member])
close(schema["$defs"])
validator = jsonschema.Draft202012Validator(schema)
wrong = 0
for path in sys.argv[2:]:
    with open(path) as file:
        run = json.load(file)
    for error in validator.iter_errors(run):
        print(path, "/".join(map(str, error.path)), error.message[:300])
        wrong += 1
if len(sys.argv) < 3:
    print("no runs")
sys.exit(wrong > 0 or len(sys.argv) < 3)
