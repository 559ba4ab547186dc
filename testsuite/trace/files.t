#!/bin/sh
# eventring trace: the file that it writes is complete or does not exist, and
# no existing file is lost by mistake.
. "$(dirname "$0")/lib.sh"
make_ring plain
make_ring lost

nothing_else() { ls -A >left && diff - left <<END
$(printf '%s\n' "$@" err left lost.eventring make_ring out plain.eventring why \
  | sort)
END
}

# Formats by the ending of the name.
is_json() { jq -e '.traceEvents | length > 12' "$1"; }
program jq || is_json() { python3 -m json.tool "$1"; }
run eventring trace plain.eventring -o a.json
ok "quiet" silent
ok "exits with 0" exits 0
ok ".json is Chrome's" is_json a.json
for ending in .pftrace .perfetto-trace; do
  eventring trace plain.eventring -o "a$ending"
  eventring trace plain.eventring -o perfetto --format=perfetto
  ok "$ending is Perfetto's" cmp "a$ending" perfetto
  rm "a$ending" perfetto
done
for out in a.ctf b/; do
  eventring trace plain.eventring -o $out
  ok "$out is a folder in CTF" [ "$(ls $out | tr '\n' ' ')" = \
    "metadata stream_1_0 stream_1_1 " ]
  rm -r $out
done
run eventring trace plain.eventring -o -
ok "- is standard output, in Chrome's format" is_json out
ok "the same as in a file" cmp out a.json
run eventring trace plain.eventring -o a.txt
ok "another ending is refused" refused 2 'which format has a.txt'
run eventring trace plain.eventring -o a --format=pdf
ok "so is a format that is none" refused 2 'no format pdf'
run eventring trace plain.eventring -o - --format=ctf
ok "so is a folder on standard output" refused 2 'a folder'
run eventring trace plain.eventring
ok "and no file" refused 2 'which file to write'
mkdir nobody
run eventring trace -d nobody -o b.json
ok "and no process" refused 2 "no traced process was found"
rmdir nobody
rm a.json

# Files that exist.
echo precious >a.json
run eventring trace plain.eventring -o a.json
ok "a file is not overwritten" refused 4 'cannot create a.json: File exists; --force'
ok "and is as it was" [ "$(cat a.json)" = precious ]
run eventring trace plain.eventring --force -o a.json
ok "but with --force" is_json a.json
eventring trace plain.eventring -o a.ctf
run eventring trace plain.eventring -o a.ctf
ok "nor is a folder" refused 4 'cannot create a.ctf: File exists; --force'
run eventring trace lost.eventring --force -o a.ctf/
ok "but with --force" [ "$(ls a.ctf | tr '\n' ' ')" = "metadata stream_1_0 " ]
echo precious >a.ctf/notes
run eventring trace plain.eventring --force -o a.ctf
ok "nor with --force, if it has other files" refused 4 'not a trace'
ok "which are as they were" [ "$(cat a.ctf/notes)" = precious ]
rm -r a.json a.ctf

# Traces that cannot be made.
run eventring trace gone.eventring -o a.json
ok "no such ring" refused 3 gone.eventring
run eventring trace plain.eventring -o none/a.json
ok "no such folder" refused 4 'none/a.json: cannot write it: No such file'
run eventring trace plain.eventring -o none/a.ctf
ok "no such folder for CTF" refused 4 'none/a.ctf: cannot make the folder'
for format in chrome perfetto; do
  run eventring trace plain.eventring -o /dev/full --format=$format
  ok "$format: on a full device" refused 4 'No space left on device'
done
to_full() { eventring "$@" >/dev/full; }
run to_full trace plain.eventring -o -
ok "standard output on a full device" refused 4 'No space left on device'
run eventring trace plain.eventring -o /dev/null --format=perfetto
ok "a device is written to without --force" silent
ok "nothing is left of all that" nothing_else
to_head() { eventring trace lost.eventring -o - 2>why | head -1; }
run to_head
ok "| head: no more than what was lost is said" [ "$(wc -l <why)" = 1 ]

# A disk that is full.
disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
mkdir disk
if mount -t tmpfs -o size=8k eventring-test disk 2>/dev/null; then
  for out in a.json a.pftrace a.ctf; do
    run eventring trace plain.eventring lost.eventring -o disk/$out
    ok "$out: a full disk" refused 4 'No space left on device'
    ok "$out: nothing is left" [ -z "$(ls -A disk)" ]
  done
  umount disk
else
  skip "a full disk" "cannot mount a small one"
fi
rmdir disk

# The trace of a process that goes on.
(here=$EVENTRING_TOP/testsuite/cli; compile work) || exit 1
start work 30 1
"$EVENTRING_BIN" trace "$ring" --follow -o cut.json 2>/dev/null & tracer=$!
started="$started $tracer"
within 10 [ -s "cut.json.$tracer.part" ]
ok "--follow: not there under its name before its end" [ ! -e cut.json ]
kill -INT $tracer
wait $tracer
status=$?
ok "--follow: there after Ctrl-C" is_json cut.json
ok "--follow: exits with 0" exits 0
run eventring trace --dir "$tmp/rings" "$pid" -o now.json
ok "without --follow, what there is now" is_json now.json
ok "which is no finding" exits 0
kill -STOP "$pid"
"$EVENTRING_BIN" trace "$ring" --follow -o end.json 2>/dev/null & tracer=$!
started="$started $tracer"
within 10 [ -s "end.json.$tracer.part" ]
kill -9 "$pid"
wait $tracer
ok "--follow ends with the process" is_json end.json
finish
