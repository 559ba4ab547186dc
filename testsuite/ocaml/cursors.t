#!/bin/sh
# Runtime_events.create_cursor on files that are damaged, cut, or not there:
# it could crash the program that reads, or claim that all is well. The stock
# tests test_corrupted and test_create_cursor_failures promise that it does not.
# Or on a process that does not record all events of Runtime_events: numbers
# would be wrong in silence.
. "$(dirname "$0")/programs.sh"
build cursors runtime_events check.ml
build plain

mkdir files
(cd files && OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 OCAMLRUNPARAM=e=12 \
  OCAML_EVENTRING_CATEGORIES=all "$tmp/plain.opt" >/dev/null && mv -- *.eventring ../good) ||
  mv files/*.eventring good
size=$(stat -c %s good)
number=0
# kind refused|read|either NAME: standard input is the next file
kind() {
  number=$((number + 1))
  cat >files/$number.eventring
  echo "$number $1 $2" >>files/kinds
}
kind read 'a good file' <good
kind refused 'an empty file' </dev/null
echo 'Ceci n est pas un anneau' | kind refused 'a line of text'
head -c 100000 /dev/zero | kind refused 'a file of zeros'
head -c 100000 /dev/urandom | kind refused 'a file of random bytes'
for length in 1 15 16 64 400 1024 4095 4096 5000 100000 $((size / 2)) \
              $((size - 1)); do
  head -c "$length" good | kind refused "cut to $length bytes"
done
# poke refused|either NAME OFFSET OCTAL: the good file with other bytes there
poke() {
  cp good poked
  printf '%b' "$4" | dd of=poked bs=1 seek="$3" conv=notrunc 2>/dev/null
  kind "$1" "$2" <poked
}
poke refused 'another magic number' 0 'X'
poke refused 'another major version' 16 '\0377'
for field in 20 24 32 40 44 48 56 60 64 72 80 84; do
  poke either "header field at $field full of ones" $field '\0377\0377\0377\0377'
  poke either "header field at $field zero" $field '\0\0\0\0'
done
# Random damage anywhere, many times: the same each time
perl -e '
  open my $in, "<:raw", "good" or die; local $/; my $good = <$in>;
  my $n = shift; srand 1;
  for my $file ($n + 1 .. $n + 60) {
    my $bad = $good;
    my $from = $file % 3 == 0 ? 0 : $file % 3 == 1 ? 4096
             : length($bad) - 33 * 4096 * 8;
    $from = 0 if $from < 0;
    my $span = $file % 3 == 0 ? 4096 : length($bad) - $from;
    substr($bad, $from + int rand $span, 8) = pack "Q", int rand 2**53
      for 1 .. 1 + $file % 200;
    open my $out, ">:raw", "files/$file.eventring" or die;
    print $out $bad;
    open my $kinds, ">>", "files/kinds" or die;
    print $kinds "$file either random damage $file\n";
  }' $number

run_checks() { checks "$tmp/cursors.$mode" "$tmp/files"; }
both run_checks

START=OCAML_EVENTRING_START CATEGORIES=OCAML_EVENTRING_CATEGORIES
says() { exits 0 && echo "$1" | diff - "$tmp/out" && no_line; }
# names LIST: it refused, for want of these categories
names() {
  exits 0 && no_line && out_lines 1 && out_has \
    "^Runtime_events: process [0-9]* does not record $1; start it with $CATEGORIES=all\$"
}
own() { fresh; run env "$@"; }
recorded() {
  own $START=1 "$tmp/cursors.$mode" own
  ok "$mode: the default categories: a cursor is refused" \
    names gc_detail,alloc,sync_detail
  own $START=1 "$tmp/cursors.$mode" own start
  ok "$mode: Runtime_events.start does not add categories, nor a cursor" \
    names gc_detail,alloc,sync_detail
  own $START=paused "$tmp/cursors.$mode" own
  ok "$mode: paused, the default categories: refused" \
    names gc_detail,alloc,sync_detail
  own $START=1 $CATEGORIES=all,-user "$tmp/cursors.$mode" own
  ok "$mode: all but user: refused" names user
  own $START=1 $CATEGORIES=wait,thread "$tmp/cursors.$mode" own
  ok "$mode: no category of Runtime_events: refused" \
    names gc,gc_detail,domain,user,alloc,sync_detail
  for all in all all,-sync,-wait,-thread,-runtime; do
    own $START=1 $CATEGORIES=$all "$tmp/cursors.$mode" own
    ok "$mode: $all: opened" says opened
    own $START=paused $CATEGORIES=$all "$tmp/cursors.$mode" own
    ok "$mode: paused, $all: opened" says opened
  done
  own OCAML_RUNTIME_EVENTS_START=1 "$tmp/cursors.$mode" own
  ok "$mode: started by the variable of stock OCaml: opened" says opened
  own "$tmp/cursors.$mode" own start
  ok "$mode: started by Runtime_events.start: opened" says opened

  for all in 0 1; do
    fresh
    mkfifo to from
    categories=
    [ $all = 0 ] || categories=$CATEGORIES=all
    # shellcheck disable=SC2086
    env $START=1 $categories "$tmp/switch.$mode" wait <to >from &
    started="$started $!"
    exec 9>to 8<from
    read -r pid <&8
    run "$tmp/cursors.$mode" other "$PWD" "$pid"
    exec 9>&- 8<&-
    wait
    if [ $all = 1 ]; then
      ok "$mode: another process, all categories: opened" says opened
    else
      ok "$mode: another process, the default categories: refused" \
        names gc_detail,alloc,sync_detail
    fi
  done
}
build switch unix runtime_events check.ml
both recorded
finish
