#!/bin/sh
# If this breaks, a file that was downloaded has other events than the command
# would have written, a client without the token gets one, or files are left on
# the disk.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
. "$here/../cli/ten_seconds.sh"
make_ring plain
./make_ring script ring.eventring <script || exit 1
eventring dump ring.eventring -o whole.evr 2>/dev/null
${CC:-cc} -std=gnu11 -I"$EVENTRING_TOP/runtime" -o make_profile \
  "$EVENTRING_TOP/testsuite/profile/make_profile.c" || exit 1
{
  echo "mapping 1000 2000 0 00 /nowhere/code"
  echo "pid 4243"
  echo "at 1000 100 0"
  echo "sample 80000000 0 0 1234"
  echo "at 2000000000 100 0"
  echo "sample 20000000 0 0 1234"
  echo "wait 5000000 0 1 1 4000000 1234"
} | ./make_profile profile.eventring || exit 1
mkdir "$EVENTRING_STORE"
serve --read-only ring.eventring whole.evr profile.eventring
find_process 4243
with_samples=$id
id_of() { field /api/processes ".processes[] | select(.path == \"$1\") | .id"; }
all_shown() { [ -n "$(id_of ring.eventring)" ] && [ -n "$(id_of whole.evr)" ]; }
within 60 all_shown
ring=$(id_of ring.eventring)
saved=$(id_of whole.evr)

# fetch FILE ID REQUEST: leaves the headers in head and the answer in FILE
fetch() {
  command curl -s -m 60 -D head -o "$1" -H "Authorization: Bearer $token" \
    "$base/api/processes/$2/$3" && grep -q '^HTTP/1.1 200' head
}
named() { tr -d '\r' <head | grep -qix "Content-Disposition: attachment; filename=\"$1\""; }
stat_of() { eventring stat --json "$1" 2>/dev/null | jq -S 'del(.process.path)'; }
same_stat() { [ "$(stat_of "$1")" = "$(stat_of "$2")" ] && [ -n "$(stat_of "$1")" ]; }
same_events() {
  eventring events --json "$1" >one 2>/dev/null
  eventring events --json "$2" >two 2>/dev/null
  cmp one two && [ -s one ]
}

# Recordings
ok "a recording of all that the rings hold is sent without --read-only's leave" \
  fetch all.evr "$ring" recording
ok "its name has the program's and the process's" named '[a-z]*-4242424.evr'
ok "it is sound" eventring check all.evr
ok "it has the events and the statistics of the ring file" eval \
  'same_events ring.eventring all.evr && same_stat whole.evr all.evr'
ok "a recording of a window is sent" \
  fetch part.evr "$ring" 'recording?from=2000000000&to=3000000000'
ok "its name has the window" named '[a-z]*-4242424-2.000s-3.000s.evr'
ok "it is sound, too" eventring check part.evr
eventring cut ring.eventring --from=2s --to=3s -o cut.evr 2>/dev/null
ok "stat and events are those of eventring cut" eval \
  'same_stat cut.evr part.evr && same_events cut.evr part.evr'
ok "it has less than the whole" \
  [ "$(wc -l <two)" -lt $(($(eventring events --json all.evr | wc -l) / 5)) ]
fetch from.evr "$ring" 'recording?from=9000000000'
eventring cut ring.eventring --from=9s -o cut9.evr 2>/dev/null
ok "a window without an end" eval 'same_events cut9.evr from.evr && same_stat cut9.evr from.evr'
ok "a saved recording is sent byte by byte, by its own name" eval \
  'fetch copy.evr "$saved" recording && cmp whole.evr copy.evr && named whole.evr'
ok "a window of it is that of the ring file" eval \
  'fetch part2.evr "$saved" "recording?from=2000000000&to=3000000000" &&
   same_stat part.evr part2.evr && same_events part.evr part2.evr'

# Traces
fetch out.json "$ring" 'trace?format=chrome'
eventring trace ring.eventring -o want.json 2>/dev/null
ok "Chrome's format: the file that eventring trace writes" eval \
  'cmp want.json out.json && jq -es "length == 1" out.json >/dev/null'
ok "its name and its type" eval 'named "[a-z]*-4242424.json" &&
  tr -d "\r" <head | grep -qix "content-type: application/json"'
fetch part.json "$ring" 'trace?format=chrome&from=2000000000&to=3000000000'
eventring trace --force cut.evr -o want.json 2>/dev/null
ok "of a window: of the recording that eventring cut writes" cmp want.json part.json
fetch out.pftrace "$ring" trace
eventring trace ring.eventring -o want.pftrace 2>/dev/null
ok "Perfetto's format, the default: the file that eventring trace writes" \
  cmp want.pftrace out.pftrace
fetch part.pftrace "$saved" 'trace?format=perfetto&from=2000000000&to=3000000000'
eventring trace --force cut.evr -o want.pftrace 2>/dev/null
ok "of a window of a saved recording" eval \
  'cmp want.pftrace part.pftrace && named "[a-z]*-4242424-2.000s-3.000s.pftrace"'
traces=$EVENTRING_TOP/testsuite/trace
if command -v protoc >/dev/null; then
  ok "it decodes, and refers only to names that it has" eval '
    protoc --decode=Trace --proto_path="$traces" perfetto.proto <part.pftrace \
      >part.text && python3 -B "$traces/read_perfetto.py" <part.text >part.tsv &&
    grep -q my.span part.tsv'
else
  skip "Perfetto" "no protoc"
fi

# Profiles for pprof
profiles=$EVENTRING_TOP/testsuite/profile
decode() {
  gzip -dc "$1" | protoc --decode=perftools.profiles.Profile -I "$profiles" \
    "$profiles/profile.proto" >"$1.text" && shift &&
    python3 "$profiles/read_pprof.py" "$@"
}
fetch all.pb.gz "$with_samples" pprof
eventring profile --pprof=want.pb.gz profile.eventring 2>/dev/null
ok "pprof: the profile that eventring profile writes" eval \
  'gzip -dc want.pb.gz >want && gzip -dc all.pb.gz | cmp want - &&
   named "[a-z]*-4243.pb.gz"'
fetch late.pb.gz "$with_samples" 'pprof?from=1000000000'
if command -v protoc >/dev/null; then
  ok "of a window: the samples of the window" eval \
    'decode late.pb.gz late.pb.gz.text >stacks &&
     [ "$(cut -d " " -f 2,3 stacks)" = "1 20000000" ]'
else
  skip "pprof of a window" "no protoc"
fi
ok "another type" eval 'fetch wait.pb.gz "$with_samples" "pprof?type=wait" &&
  gzip -dc wait.pb.gz | grep -q contentions'

# Refusals
refused() { # STATUS ID REQUEST WORDS
  with_token_is "$1" "$base/api/processes/$2/$3" && says "$4" &&
    [ "$(jq -r .error "$tmp/body" | wc -l)" = 1 ]
}
for request in recording trace pprof; do
  ok "$request without a token: 401" \
    code_is 401 "$base/api/processes/$ring/$request"
  ok "$request with the token as a parameter: 401" \
    code_is 401 "$base/api/processes/$ring/$request?token=$token"
  ok "$request of no process: 404" \
    with_token_is 404 "$base/api/processes/0123456789abcdef/$request"
  ok "$request cannot be posted" \
    with_token_is 405 -d '{}' "$base/api/processes/$ring/$request"
done
for request in recording trace; do
  ok "$request of an empty window is refused" \
    refused 400 "$ring" "$request?from=5&to=5" "not after"
done
for request in recording trace; do
  ok "$request of a time without events is refused" \
    refused 409 "$ring" "$request?from=7000000001&to=7000000002" "no events of this time"
done
ok "a format that there is not" refused 400 "$ring" 'trace?format=ctf' 'perfetto or chrome'
ok "pprof without samples is refused" refused 409 "$ring" pprof 'no samples'
ok "pprof without samples of the type is refused" \
  refused 409 "$with_samples" 'pprof?type=io' 'no samples'
ok "nothing is left in the store" [ -z "$(ls -A "$EVENTRING_STORE")" ]
open_files() { ls -l "/proc/$server/fd" | grep -c deleted; }
none_open() { [ "$(open_files)" = 0 ]; }
ok "no temporary file stays open" within 60 none_open
head_only() {
  command curl -s -m 60 -I -H "Authorization: Bearer $token" \
    "$base/api/processes/$ring/recording" | grep -q '^HTTP/1.1 200' &&
    within 60 none_open
}
ok "HEAD makes no file that stays open" head_only
end_server
ok "the server has no complaint" [ ! -s serve.err ]

# Clients that do not read: 4 have a file that is larger than what the system keeps for
# them, which is a recording with 64 MiB of zeros at its end.
{ cat whole.evr; head -c 67108864 /dev/zero; } >large.evr
cat >waiting.pl <<'P'
use IO::Socket::INET;
my ($port, $path, $token) = @ARGV;
my @s = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") or die } 1..4;
for my $s (@s) {
  syswrite $s, "GET $path HTTP/1.1\r\nHost: localhost\r\n" .
    "Authorization: Bearer $token\r\n\r\n";
  sysread $s, my $head, 12;
  die $head unless $head eq "HTTP/1.1 200";
}
$| = 1;
print "begun\n";
<STDIN>;
P
serve large.evr ring.eventring
find_process 4242424
read_of() {
  field_is /api/processes ".processes[] | select(.path == \"$1\") | .reading" false
}
within 60 read_of large.evr
large=$(id_of large.evr)
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
before=$(memory)
mkfifo go
perl waiting.pl "${base##*:}" "/api/processes/$large/recording" "$token" <go >begun &
clients=$!
started="$started $clients"
exec 8>go
ok "four clients have begun to read a large file" within 60 [ -s begun ]
ok "a fifth is refused, and may come later" \
  refused 409 "$large" recording '4 downloads go on'
ok "other requests are answered" with_token_is 200 "$base/api/processes/$large/stat"
exec 8>&-
wait "$clients"
fetches() { fetch large.copy "$large" recording; }
ok "when they are gone, it is sent whole" eval 'within 60 fetches && cmp large.evr large.copy'
ok "the server has not grown by more than 16 MB (got $(($(memory) - before)) KB)" \
  [ "$(memory)" -lt $((before + 16384)) ]
end_server

# A file cannot have more than 4 KiB, as if the limit were reached.
cat >limited <<'L'
#!/bin/sh
ulimit -f 8
exec "$REAL" "$@"
L
chmod +x limited
real=$EVENTRING_BIN
export REAL=$real
EVENTRING_BIN=$tmp/limited
serve ring.eventring
EVENTRING_BIN=$real
find_process 4242424
ring=$id
ok "a trace that is too large is refused with 413" \
  refused 413 "$ring" 'trace?format=chrome' 'choose a shorter time'
ok "a recording that cannot be written is refused, without the path" eval \
  'refused 409 "$ring" recording "cannot write the file" && ! says /proc'
ok "no temporary file stays open then" within 60 none_open
end_server
finish
