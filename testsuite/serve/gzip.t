#!/bin/sh
# If this breaks, the page and its answers take many times the bytes, or a client
# that cannot decompress them gets them compressed.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/../cli/ten_seconds.sh"
make_ring plain
./make_ring script ring.eventring <script || exit 1
serve ring.eventring
find_process 4242424
ok "the events are read" within 60 read_all 4242424
path=/api/processes/$id

# ask PATH [ENCODINGS]: leaves the headers in head and the body in body.
ask() {
  command curl -s -m 30 -D head -o body -H "Authorization: Bearer $token" \
    ${2:+-H "Accept-Encoding: $2"} "$base$1"
}
head_has() { tr -d '\r' <head | grep -qix "$1"; }
is_plain() { ask "$@" && ! head_has 'Content-Encoding:.*'; }
is_same() {
  is_plain "$1" && cp body plain && head_has 'Vary: Accept-Encoding' &&
    ask "$1" gzip && head_has 'Content-Encoding: gzip' &&
    head_has 'Vary: Accept-Encoding' && gzip -t <body &&
    gzip -dc <body | cmp - plain &&
    [ "$(wc -c <body)" -lt $(($(wc -c <plain) / 2)) ]
}
for resource in /monitor.js /monitor.css "$path/stat" "$path/history?tier=1s" \
    "$path/timeline" "$path/events"; do
  ok "half the bytes or fewer, the same content: ${resource##*/}" \
    is_same "$resource"
done
for accepted in 'br, GZIP;q=0.5' 'deflate,gzip ; q=1' 'gzip;q=0.001, identity'; do
  ok "allowed: $accepted" eval \
    'ask /monitor.js "$accepted" && head_has "Content-Encoding: gzip"'
done
for accepted in identity 'gzip;q=0' 'br, gzip; q=0.000' xgzip gzipped \
    'gzip;level=9'; do
  ok "not allowed: $accepted" is_plain /monitor.js "$accepted"
done
ok "a short answer is not compressed" is_plain /api/server gzip
ok "a stream is not compressed" eval \
  'command curl -s -m 3 -D head -o body -H "Authorization: Bearer $token" \
     -H "Accept-Encoding: gzip" "$base/api/stream"
   ! head_has "Content-Encoding:.*" && grep -q "^event: processes" body'
end_server
finish
