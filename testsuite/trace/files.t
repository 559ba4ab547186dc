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
ok "trace prints nothing" silent
ok "the exit code is 0" exits 0
ok "the ending .json stands for Chrome's format" is_json a.json
for ending in .pftrace .perfetto-trace; do
  eventring trace plain.eventring -o "a$ending"
  eventring trace plain.eventring -o perfetto --format=perfetto
  ok "the ending $ending stands for Perfetto's format" cmp "a$ending" perfetto
  rm "a$ending" perfetto
done
for out in a.ctf b/; do
  eventring trace plain.eventring -o $out
  ok "the name $out stands for a folder in CTF" [ "$(ls $out | tr '\n' ' ')" = \
    "metadata stream_1_0 stream_1_1 " ]
  rm -r $out
done
run eventring trace plain.eventring -o -
ok "-o - prints Chrome's format on standard output" is_json out
ok "-o - prints the same as a file has" cmp out a.json
run eventring trace plain.eventring -o a.txt
ok "an unknown ending is refused" refused 2 'unknown format of a.txt'
run eventring trace plain.eventring -o a --format=pdf
ok "an unknown format is refused" refused 2 'no format pdf'
run eventring trace plain.eventring -o - --format=ctf
ok "CTF, which is a folder, is refused on standard output" refused 2 'a folder'
run eventring trace plain.eventring
ok "trace without a file is refused" refused 2 'missing output file'
mkdir nobody
run eventring trace -d nobody -o b.json
ok "trace without a traced process is refused" \
  refused 2 "no traced process was found"
rmdir nobody
rm a.json

# Files that exist.
echo precious >a.json
run eventring trace plain.eventring -o a.json
ok "a file is not overwritten" \
  refused 4 'cannot create a.json: File exists; --force'
ok "a file that is not overwritten is unchanged" [ "$(cat a.json)" = precious ]
run eventring trace plain.eventring --force -o a.json
ok "a file is overwritten with --force" is_json a.json
eventring trace plain.eventring -o a.ctf
run eventring trace plain.eventring -o a.ctf
ok "a folder is not overwritten" \
  refused 4 'cannot create a.ctf: File exists; --force'
run eventring trace lost.eventring --force -o a.ctf/
ok "a trace folder is overwritten with --force" \
  [ "$(ls a.ctf | tr '\n' ' ')" = "metadata stream_1_0 " ]
echo precious >a.ctf/notes
run eventring trace plain.eventring --force -o a.ctf
ok "a folder with other files is not overwritten with --force" \
  refused 4 'not a trace'
ok "other files in a folder are unchanged" [ "$(cat a.ctf/notes)" = precious ]
rm -r a.json a.ctf

# Traces that cannot be made.
run eventring trace gone.eventring -o a.json
ok "a ring file that does not exist is refused" refused 3 gone.eventring
run eventring trace plain.eventring -o none/a.json
ok "a file in a missing folder is refused" \
  refused 4 'none/a.json: cannot write it: No such file'
run eventring trace plain.eventring -o none/a.ctf
ok "a CTF folder in a missing folder is refused" \
  refused 4 'none/a.ctf: cannot make the folder'
for format in chrome perfetto; do
  run eventring trace plain.eventring -o /dev/full --format=$format
  ok "$format: a full device is reported" refused 4 'No space left on device'
done
to_full() { eventring "$@" >/dev/full; }
run to_full trace plain.eventring -o -
ok "a full device at standard output is reported" \
  refused 4 'No space left on device'
run eventring trace plain.eventring -o /dev/null --format=perfetto
ok "a device is written to without --force" silent
ok "no partial file is left" nothing_else
to_head() { eventring trace lost.eventring -o - 2>why | head -1; }
run to_head
ok "| head: standard error has only the line about lost events" \
  [ "$(wc -l <why)" = 1 ]

# A disk that is full.
disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT
mkdir disk
if mount -t tmpfs -o size=8k eventring-test disk 2>/dev/null; then
  for out in a.json a.pftrace a.ctf; do
    run eventring trace plain.eventring lost.eventring -o disk/$out
    ok "$out: a full disk is reported" refused 4 'No space left on device'
    ok "$out: a full disk leaves no partial file" [ -z "$(ls -A disk)" ]
  done
  umount disk
else
  skip "a full disk" "cannot mount a small one"
fi
make_ring long
if mount -t tmpfs -o size=64k eventring-test disk 2>/dev/null; then
  for out in a.json a.pftrace a.ctf; do
    run eventring trace long.eventring -o disk/$out
    ok "$out: a disk that is full before the end of the trace is reported" \
      refused 4 'No space left on device'
    ok "$out: a disk that is full before the end has no partial file" \
      [ -z "$(ls -A disk)" ]
  done
  umount disk
else
  skip "a disk that is full before the end" "cannot mount a small one"
fi
rmdir disk

# The trace of a running process.
(here=$EVENTRING_TOP/testsuite/cli; compile work) || exit 1
start work 30 1
"$EVENTRING_BIN" trace "$ring" --follow -o cut.json 2>/dev/null & tracer=$!
started="$started $tracer"
within 60 [ -s "cut.json.$tracer.part" ]
ok "--follow: the file has its name only when it is complete" [ ! -e cut.json ]
kill -INT $tracer
wait $tracer
status=$?
ok "--follow: the file is complete after Ctrl-C" is_json cut.json
ok "--follow: Ctrl-C: the exit code is 0" exits 0
run eventring trace --dir "$tmp/rings" "$pid" -o now.json
ok "without --follow, trace of a running process ends" is_json now.json
ok "without --follow, the exit code is 0" exits 0

# An output that appears while the trace is written.
for out in late.json late.ctf; do
  "$EVENTRING_BIN" trace "$ring" --follow -o $out 2>err & tracer=$!
  started="$started $tracer"
  within 60 [ -e "$out.$tracer.part" ]
  [ $out = late.json ] || mkdir $out
  [ $out = late.json ] && mine=$out || mine=$out/metadata
  echo precious >$mine
  kill -INT $tracer
  wait $tracer
  status=$?
  : >out
  ok "$out: a file that appears before the end is not overwritten" \
    refused 4 "cannot create $out: File exists; --force"
  ok "$out: a file that appears before the end is unchanged" \
    [ "$(cat $mine)" = precious ]
  ok "$out: no partial file is left" [ ! -e "$out.$tracer.part" ]
done
kill -STOP "$pid"
"$EVENTRING_BIN" trace "$ring" --follow -o end.json 2>/dev/null & tracer=$!
started="$started $tracer"
within 60 [ -s "end.json.$tracer.part" ]
kill -9 "$pid"
wait $tracer
ok "--follow ends with the process" is_json end.json
finish
