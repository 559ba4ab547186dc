#!/bin/sh
# The messages of the command line, and the arguments that it refuses.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"

fits_a_screen() { exits 0 && [ "$(wc -l <"$tmp/out")" -le ${1:-24} ] &&
  [ "$(wc -L <"$tmp/out")" -le 79 ] && ! [ -s "$tmp/err" ]; }
commands=$(eventring --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | grep -vx help)
ok "--help lists the commands" eval '[ "$(echo "$commands" | wc -l)" -ge 34 ]'
for command in $commands; do
  run eventring $command --help
  case $command in profile) lines=51 ;; *) lines=24 ;; esac
  ok "$command --help fits $lines lines" fits_a_screen $lines
  cp "$tmp/out" "$tmp/help"
  run eventring help $command
  ok "help $command prints the same as $command --help" \
    cmp "$tmp/out" "$tmp/help"
done
run eventring --help
ok "--help fits a large screen" fits_a_screen 40
run eventring --version
ok "--version prints three numbers" out_has '^eventring [0-9]*\.[0-9]*\.[0-9]*$'
without_networks() {
  ldd "$EVENTRING_BIN" >"$tmp/libraries" && grep -q jansson "$tmp/libraries" &&
    ! grep -e curl -e gnutls -e http -e nats "$tmp/libraries"
}
ok "no library for networks is loaded before it is needed" without_networks

run eventring
ok "no command is refused" refused 2 'missing command'
run eventring evnts
ok "an unknown command is refused" refused 2 'no command evnts'
run eventring --bogus
ok "an unknown option before the command is refused" \
  refused 2 'unknown option --bogus'
run eventring help help
cp "$tmp/out" "$tmp/help"
ok "help help prints the overview" exits 0
run eventring help
ok "help help prints what help prints" cmp "$tmp/help" "$tmp/out"
run eventring help evnts
ok "help for an unknown command is refused" refused 2 'no command evnts'
for command in pause resume; do
  run eventring $command
  ok "$command without a target is refused" \
    refused 2 "$command: missing process or file"
done
run eventring events one two
ok "a second target is refused" refused 2 'unexpected argument .two'
run eventring events --bogus one
ok "an unknown long option is refused" refused 2 'unknown option --bogus'
run eventring dump --for one -o two
ok "a shortened option is refused; the message has the full name" refused 2 \
  'unknown option --for; there is --force'
run eventring stat --interva=1s one
ok "a shortened option with =VALUE is refused" refused 2 \
  'unknown option --interva; there is --interval'
run eventring events --dir --raw --nam '--x=y' one
ok "a shortened option with its value behind it is refused" refused 2 \
  'unknown option --nam; there is --name'
run eventring events one -fx
ok "an unknown short option is refused" refused 2 'unknown option -x'
run eventring events --raw=1 one
ok "a value for an option without values is refused" \
  refused 2 '--raw=1 takes no value'
run eventring events one --dir
ok "an option without its value is refused" refused 2 '--dir needs a value'
run eventring events --dir /tmp ./one
ok "--dir with the path of a file is refused" refused 2 '--dir goes with a PID'
run eventring events 0
ok "process id 0 is refused" refused 2 '0 is not a process id'
run eventring events 123456789012345678901234567890
ok "a process id of 30 digits is refused" refused 2 'is not a process id'
for time in 0 -1 1x nan inf ''; do
  run eventring stat --interval "$time" one
  ok "--interval '$time' is refused" refused 2 'is not an interval'
done
run eventring events --raw --json one
ok "--raw with --json is refused" refused 2 'exclude each other'
run eventring events "$(printf '\033[2Jone')" two "$(printf 'a\nb')"
ok "messages print arguments without control characters" refused 2 'two'
run eventring "$(printf 'a\033[2J\nb')"
ok "messages print an unknown command without control characters" \
  refused 2 'a\\x1b\[2J\\x0ab'

run man --warnings -l "$EVENTRING_TOP/doc/man/eventring.1"
if command -v man >/dev/null; then
  ok "the manual page has no warnings" [ ! -s "$tmp/err" ]
else
  skip "the manual page has no warnings" "man is not installed"
fi
finish
