#!/bin/sh
# eventring trace of ring files with known samples: the samples of each format,
# read by programs of others, add up to the tables of eventring profile.
. "$(dirname "$0")/lib.sh"
compile_program
program() { command -v "$1" >/dev/null; }
program jq && program python3 ||
  { echo "1..0 # SKIP needs jq and python3"; exit 0; }

# Two threads, one of which has no domain; inlined functions, a stack that is
# not whole, an address without a mapping, recursion.
stack_leaf="$(at leaf)$(after middle leaf)$(after main middle)"
stack_other="$(at other)$(after main other)"
{
  mapping program
  echo "event 12 1 0 minor"
  echo "at 1000000 100 0"
  echo "sample 10000000 0 1 $stack_leaf"
  echo "at 2000000 100 0"
  echo "begin 12"
  echo "at 3000000 100 0"
  echo "sample 20000000 0 0 $stack_other"
  echo "at 4000000 100 0"
  echo "end 12"
  echo "at 5000000 101 4294967295"
  echo "sample 40000000 1 0 $stack_leaf"
  echo "at 6000000 101 4294967295"
  echo "sample 80000000 0 0 1234"
  echo "at 7000000 100 0"
  echo "sample 160000000 0 0 $stack_leaf$(after main middle)"
  echo "at 8000000 100 0"
  echo "sample 320000000 0 0 $stack_leaf"
} | ./make_profile samples.eventring || exit 1

trace=$EVENTRING_TOP/testsuite/trace

# samples FORMAT FILE: the sums of the samples in a trace of FILE
samples() {
  eventring trace --force --format="$1" -o "out.$1" "$2" 2>err || return
  case $1 in
  perfetto) protoc --decode=Trace --proto_path="$trace" perfetto.proto \
    <"out.$1" ;;
  *) cat "out.$1" ;;
  esac | python3 -B "$trace/read_samples.py" "$1"
}

# The same sums, from eventring profile.
sums() {
  eventring profile --json "$1" | jq -cS '{
    samples,
    self: [.functions[] | select(.self_ns > 0) |
      {key: .function, value: .self_ns}] | from_entries,
    threads: [.stacks | group_by(.thread)[] |
      {key: (.[0].thread | tostring), value: (map(.cpu_ns) | add)}] |
      from_entries,
    total: [.functions[] | {key: .function, value: .total_ns}] | from_entries
  }'
}

agrees() {
  samples "$1" "$2" | jq -cS . >sums.trace && sums "$2" >sums.profile &&
    [ "$(jq .samples sums.trace)" -ge "$3" ] && diff sums.profile sums.trace
}

for format in chrome perfetto; do
  if [ $format = perfetto ] && ! program protoc; then
    skip "perfetto" "no protoc"
    continue
  fi
  ok "$format: functions and threads have the processor time of profile" \
    agrees $format samples.eventring 6
done

# One more nanosecond of one sample would be seen.
sed 's/"weight":20000000}/"weight":20000001}/' out.chrome >changed
changed() {
  python3 -B "$trace/read_samples.py" chrome <changed | jq -cS . | cmp -s - "$1"
}
ok "a weight that is a nanosecond too large is noticed" eval \
  '! cmp -s changed out.chrome && sums samples.eventring >sums.profile &&
   ! changed sums.profile'

# The instants have the values, but no addresses.
has_values() {
  [ "$(jq -c '[.traceEvents[] | select(.name == "cpu_sample") | .args |
    [.cpu_time, .stack, .request]]' out.chrome)" = "$1" ]
}
ok "chrome: instants have the values of the samples" has_values \
  '[[10000000,"complete",1],[20000000,"complete",0],[40000000,"deep",0],'\
'[80000000,"complete",0],[160000000,"complete",0],[320000000,"complete",0]]'
has_lines() {
  jq -r '.stackFrames[] | select(.category != "") |
    "\(.name) \(.category):\(.line)"' out.chrome | sort -u >lines.trace
  eventring profile --json samples.eventring | jq -r '.lines[] |
    select(.file) | "\(.function) \(.file):\(.line)"' | sort -u |
    diff - lines.trace && [ -s lines.trace ]
}
ok "chrome: stacks have the lines of profile" has_lines
ok "a thread without a domain has a track with the name of the thread" eval \
  '[ "$(jq -c "[.traceEvents[] | select(.name == \"thread_name\") |
    .args.name]" out.chrome)" = "[\"domain 0\",\"thread 101\"]" ]'

# speedscope, which ../trace/viewer.t installs, shows them, but the last sample
# of a thread, which is [unknown] in one.
viewer=${EVENTRING_BUILD:-$EVENTRING_TOP/_build}/test/trace-viewer
. "$EVENTRING_TOP/testsuite/web/chromium.sh"
shown() {
  HOME=$tmp TMPDIR=$tmp NODE_PATH=$viewer/node_modules \
    timeout 120 node "$trace/viewer.js" out.chrome >shown
  grep '^frame .*%' shown | awk '{ print $NF }' | LC_ALL=C sort -u >functions
  printf '%s\n' '[truncated]' inlined leaf main middle other |
    LC_ALL=C sort | diff - functions
}
if [ -e "$viewer/installed" ] && program "$CHROMIUM" && program node; then
  ok "chrome: speedscope shows the functions of the samples" shown
else
  skip "chrome: speedscope shows the functions of the samples" "no viewer"
fi

# Without samples nothing is added.
{
  echo "event 12 1 0 minor"
  echo "at 1000000 100 0"
  echo "begin 12"
} | ./make_profile none.eventring || exit 1
eventring trace --format=chrome -o none.json none.eventring 2>err
ok "chrome: no sections of samples without samples" eval \
  '[ "$(jq -c "keys" none.json)" = \
     "[\"displayTimeUnit\",\"otherData\",\"traceEvents\"]" ]'

# A real program.
if [ -x "$EVENTRING_STAGE/bin/ocamlopt" ]; then
  cp "$here/../cli/hot.ml" . &&
    "$EVENTRING_STAGE/bin/ocamlopt" -g -I +unix -o hot unix.cmxa hot.ml &&
    OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAML_EVENTRING_PROFILE=500 \
      timeout -s KILL 3 ./hot 1 2>err
  mv [0-9]*.eventring hot.eventring || exit 1
  for format in chrome perfetto; do
    if [ $format = perfetto ] && ! program protoc; then
      skip "perfetto: a program" "no protoc"
      continue
    fi
    ok "$format: a program has the processor time of profile" \
      agrees $format hot.eventring 1
  done
else
  skip "a program" "needs an OCaml compiler"
fi
finish
