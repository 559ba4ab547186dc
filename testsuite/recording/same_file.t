#!/bin/sh
# No command writes onto a file that it reads, under any name of that file.
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
