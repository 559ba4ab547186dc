#!/bin/sh
# Programs that samples have harmed: each ran to its end without them.
# EVENTRING_HARM_TIMES makes them longer.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
compile_to harm.opt ocamlopt unix threads profile_harm_stubs.c profile_harm.ml ||
  give_up harm.opt

# A library with a note outside of what is loaded
echo 'int nothing;' >note.c
gcc -shared -fPIC -Wl,--build-id -o note.so note.c || give_up note.so
perl -e '
  open my $f, "+<", shift or die; binmode $f; local $/; my $elf = <$f>;
  my ($at, $size, $n) = (unpack("Q", substr $elf, 32, 8),
                         unpack("S2", substr $elf, 54, 4));
  for (my $i = 0; $i < $n; $i++) {
    my $p = $at + $i * $size;
    next if unpack("L", substr $elf, $p, 4) != 4;       # PT_NOTE
    substr($elf, $p + 16, 8) = pack "Q", 0x10000000;
  }
  seek $f, 0, 0; print $f $elf' note.so || give_up note.so

sampled() {
  fresh
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=$1 timeout $((60 * ${EVENTRING_HARM_TIMES:-1})) "$tmp/harm.opt" "$2" "$3"
  cp "$tmp/out" out
}
ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = end ]; }

while read -r hz mode what; do
  sampled "$hz" "$mode" "$tmp/note.so"
  ok "$what: the program ends in order" ended
  case $mode in
  sleeps) ok "no sleep is interrupted" grep -qx 'interrupted 0' out ;;
  cancel) ok "not in the handler" grep -qx 'free true' out ;;
  children) ok "no child hangs" grep -qx 'hung 0' out ;;
  alternate)
    ok "nothing below an alternate stack is overwritten" \
      [ "$(grep -cx 'overwritten 0' out)" = 3 ] ;;
  esac
done <<END
1000 deep domains that end with a deep stack
100 reset all signals reset to their defaults
100 sleeps threads that work and then sleep
100 alarm forks in a signal handler
100 children forks by a thread of C
1000 small threads with small stacks
1000 alternate threads with small alternate stacks
1000 cancel a thread is cancelled
100 rates the rate changed again and again
100 note a library whose notes are not loaded
END
finish
