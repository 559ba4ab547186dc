#!/bin/sh
# eventring top of an ended process with known events, in a terminal that tmux
# makes: screen, keys, sizes.  top_programs.t has processes that run.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/terminal.sh"

. "$here/ten_seconds.sh"
make_ring plain
./make_ring script ring.eventring <script || exit 1

run eventring top ring.eventring
ok "no terminal: top is refused and names stat --interval" \
  refused 2 'stat --interval'

# The screen
view ring.eventring
ok "the header has the process" \
  shows '^4242424 /usr/bin/program  ended after 10 s'
ok "losses and the recorded categories are shown" \
  shows ' events/s  lost 0  recording: gc domain '
ok "rates of all domains are shown" \
  shows '^GC .* %  allocated [1-9].* MiB/s.*minor [1-9][0-9]*/s  slices 0/s'
ok "heap and memory are shown" \
  shows '^heap 32.0 MiB, live 8.00 MiB  RSS 512 KiB$'
ok "pauses: number, percentiles and the longest are shown" shows \
  '^pauses, 10 s: 2001  p50 1.00 ms  p99 1.00 ms  max 4.00 ms  longest .* 4.00 ms$'
ok "domain 0 has a row with its pauses" shows '^0  .* 4.00 ms 4.00 ms '
ok "domain 1 has a row with its pauses" shows '^1  .*  500 us  500 us '
ok "spans of the program are shown" \
  shows '^my.span  .* 3.00 ms  3.00 ms'
ok "long pauses are listed, the longest first" \
  shows '^stop_the_world *4.00 ms .* 0  major_cycle, gc_full_major$'
ok "so are their causes" \
  shows '^stop_the_world  *1.00 ms .* minor_collection, minor_heap_full, 2 domains'
ok "the screen has colours" within 60 colours
ok "the last line has the keys" shows '^q quit  p pause '

# Keys
keys p
ok "key p: the process has ended" shows '^the process has ended'
keys +
ok "key + shortens the poll interval" shows ' +/- 500 ms '
keys - -
ok "key - lengthens it" shows ' +/- 2.00 s '
keys Space
ok "Space freezes the screen" shows 'FROZEN'
keys Space
ok "Space unfreezes it" hides FROZEN
keys h
ok "key h explains the keys" shows '^p  *pause the recording'
keys x
ok "any key ends the help" shows '^4242424 .* ended after'
keys f
ok "key f: there are no samples" shows '^no samples'
keys f
ok "a second one returns to the domains" shows '^my.span '

# Sizes
size 20 5
ok "20x5: the terminal is too small" shows '^terminal too small'
size 1 1
size 60 12
ok "60x12: rows of domains remain" shows '^1  '
ok "60x12: the last line has the keys" shows 'q quit'
size 200 60
ok "200x60: long pauses are shown" shows '^long pause'
size 100 30
ok "100x30: the header is shown" shows '^4242424 '

# The end
keys q
ok "key q exits with 0" shows '^ended with 0'
ok "summary: the process, its state and its events" \
  shows '^process 4242424 .*(ended): 7011 events over 10.0 s, 0 lost'
ok "summary: collections" shows '^in the collector [1-9].*%.*; 1000 minor col'
ok "summary: pauses" shows '^2001 pauses: median 1.00 ms.*longest 4.00 ms'
ok "the screen is restored" eval "! screen | grep -q 'q quit'"
for signal in TERM INT; do
  view ring.eventring
  ok "SIG$signal: top shows the process" shows '^4242424 '
  kill -$signal "$(cat top.pid)"
  ok "SIG$signal: exits with 0" shows '^ended with 0'
  ok "SIG$signal: prints its summary" shows '^process 4242424 '
done

# The time after the end does not count.  The process ended just after the begin
# of one of the quarters of a second in which top counts, or after less than one.
for end in 9510000000 110000000; do
  awk -v end=$end '$2 < end { print } END { print 0, end, "instant ring_stop 0" }' \
    script >until
  ./make_ring script until.eventring <until
  view until.eventring
  ok "ended after $end ns: rates are of the time in which the process lived" \
    shows '^GC .*allocated 286 MiB/s .*minor 100/s '
  ok "ended after $end ns: so are those of a domain" shows \
    '^1  .* 95.4 MiB/s *100 '
  ok "ended after $end ns: so are those of spans" shows '^my.span *100  *30 % '
  terminal "\"$EVENTRING_BIN\" top --all until.eventring"
  ok "ended after $end ns: top --all shows the same rates" shows \
    '4242424 .* 286 MiB/s'
done

# Terminals that can do less
terminal "env NO_COLOR=1 \"$EVENTRING_BIN\" top ring.eventring"
ok "NO_COLOR: the screen has no colours" eval "shows '^my.span ' && ! colours"
terminal "env TERM=vt100 \"$EVENTRING_BIN\" top ring.eventring"
ok "vt100: the screen has no colours" eval "shows '^my.span ' && ! colours"
terminal "env LC_ALL=C \"$EVENTRING_BIN\" top ring.eventring"
ok "no UTF-8: bars are ASCII" shows '^0 .* % ##*  '
terminal "env TERM=nosuch \"$EVENTRING_BIN\" top ring.eventring"
ok "unknown terminal: the message names it" shows '^eventring: top: .*nosuch'
ok "unknown terminal: the exit code is 2" shows '^ended with 2'

# Files
printf '0 0 instant ring_start 1\n0 0 domain_name \033[31mred\n0 9000000 instant ring_stop 0\n' |
  ./make_ring script hostile.eventring
view hostile.eventring
ok "hostile names are shown escaped" shows '\\x1b'
keys q
view nosuch
ok "a file that does not exist: the exit code is 3" shows '^ended with 3'
# A file that is cut while it is shown, alone and among several
for all in '' --all; do
  ./make_ring script cut.eventring <script || exit 1
  view $all cut.eventring
  shows 'program' || echo "# it shows nothing"
  : >cut.eventring
  if [ -z "$all" ]; then
    ok "a file that is cut: the message names it" \
      shows '^eventring: .*cut.eventring: cut shorter while it was read'
    ok "a file that is cut: the exit code is 3" shows '^ended with 3'
  else
    ok "--all: a file that is cut is shown as such" shows 'program  *cut '
    keys q
    ok "--all: the summary says so" shows 'its file was cut shorter'
  fi
done
# A start of tracing that no clock has
./make_ring plain far.eventring monotonic=9223372036854775808
view far.eventring
ok "the longest time is shown when the time since the start overflows" \
  shows 'ended after 106751 d'
keys q
finish
