"""read_pprof.py FILE [TYPE/UNIT... PERIOD]: prints the samples of a profile that
protoc has decoded to text: functions from the outermost on, a number for each
type, labels.  Fails when the profile has other types or another period than
these, by default those of samples of processor time, or refers to something that
it does not have."""
import json
import re
import sys


def message(lines):
    """Reads fields up to the closing brace: a list of (name, value)."""
    fields = []
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields.append((line[:-2], message(lines)))
        else:
            name, value = line.split(": ", 1)
            fields.append((name, json.loads(re.sub(r"\\'", "'", value))))
    return fields


def every(fields, name):
    return [value for key, value in fields if key == name]


def one(fields, name, default=0):
    return (every(fields, name) or [default])[0]


profile = message(iter(open(sys.argv[1])))
strings = every(profile, "string")
functions = {one(f, "id"): f for f in every(profile, "function")}
locations = {one(l, "id"): l for l in every(profile, "location")}
mappings = {one(m, "id") for m in every(profile, "mapping")} | {0}
assert strings[0] == "", "the first string is not empty"
types = [(strings[one(t, "type")], strings[one(t, "unit")])
         for t in every(profile, "sample_type")]
expected = sys.argv[2:] or ["samples/count", "cpu/nanoseconds", "10000000"]
assert ["/".join(t) for t in types] == expected[:-1], types
assert one(profile, "period") == int(expected[-1]), one(profile, "period")
for sample in every(profile, "sample"):
    names = []
    for number in every(sample, "location"):
        location = locations[number]
        assert one(location, "mapping") in mappings
        names += [strings[one(functions[one(line, "function")], "name")]
                  for line in every(location, "line")]
    # pprof takes numbers for sizes in bytes, and does not show 0.
    labels = [f"{strings[one(l, 'key')]}={strings[one(l, 'str', None)]}"
              for l in every(sample, "label")]
    print(";".join(reversed(names)), *every(sample, "value"), *sorted(labels))
