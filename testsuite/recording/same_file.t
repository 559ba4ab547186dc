#!/bin/sh
# No command writes onto a file that it reads, or joins a recording with itself,
# under any name of that file.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers
begin
tell count 1000
size=$(stat -c %s "$ring")
link=$tmp/rings/link.eventring
ln "$ring" "$tmp/rings/hard.eventring" && ln -s "$ring" "$link" || exit 1
inode=$(stat -c %i "$ring")
whole() {
  [ "$(stat -c %s "$ring")" = "$size" ] &&
    [ "$(stat -c %i "$ring")" = "$inode" ] && sound "$ring"
}
for output in "$ring" "$tmp/rings/hard.eventring" "$link"; do
  to=$(basename "$output")
  [ "$output" = "$ring" ] && to="the ring file"
  for input in "$ring" "$pid"; do
    what=$([ "$input" = "$pid" ] && echo process || echo file)
    for command in dump "record --for=10ms" "record --trigger=job --for=10ms" \
      "trace --format=chrome"; do
      run eventring $command --force -o "$output" "$input"
      ok "$command of the $what to $to is refused" \
        refused 4 "$(basename "$output") is read: write to another file"
      ok "$command of the $what to $to leaves the ring file unchanged" whole
    done
  done
done
tell count 1000
ok "the process is still traced" \
  eval '[ "$(numbers "$ring" | wc -l)" -eq 4000 ]'
leave

eventring dump "$ring" -o a.evr 2>"$tmp/err" && ln a.evr b.evr || exit 1
for command in cat cut merge; do
  run eventring $command --force -o b.evr a.evr
  ok "$command onto another name of its input is refused" \
    refused 4 'b.evr is read: write to another file'
  ok "$command onto another name of its input leaves it unchanged" sound a.evr
done
ln -s a.evr l.evr && cp a.evr copy.evr || exit 1
for command in cat merge; do
  for name in a.evr b.evr l.evr; do
    run eventring $command a.evr $name -o c.evr
    ok "$command of a.evr and $name, the same file, is refused" \
      refused 2 "a.evr and $name are the same recording"
    ok "$command of a.evr and $name writes no file" [ ! -e c.evr ]
  done
  run eventring $command a.evr copy.evr -o c.evr
  ok "$command of a recording and its copy has each event once" eval \
    'exits 0 && numbers c.evr >c && numbers a.evr | cmp -s - c'
  rm -f c.evr
done
run eventring merge a.evr b.evr:1 -o c.evr
ok "merge refuses a process that is given by its number too" \
  refused 2 'a.evr and b.evr are the same recording'
for command in dump record; do
  run eventring $command -o c.evr a.evr
  ok "$command of a recording is refused" \
    refused 3 'a.evr is a recording already'
  ok "$command of a recording writes no file" [ ! -e c.evr ]
done
echo old >c.evr
run eventring dump --force -o c.evr "$ring"
ok "dump --force overwrites another file" eval 'exits 0 && sound c.evr'
finish
