#!/bin/sh
# If this breaks, somebody without the token sees or controls processes: a page of
# another site, another user, a client on the network; or the server can be made
# to wait, or to fill its memory, by a client that has none.
# Waits most of the time: for clients that are slow on purpose.
. "$(dirname "$0")/tap.sh"
make_ring summary
ring=$tmp/summary.eventring
printf 'secret-of-sixteen-letters\n' >"$tmp/token"
chmod 600 "$tmp/token"

ok "the server starts" serve "$ring"
ok "the first line is the address with a token of 32 digits" \
  expr "$url" : 'http://127\.0\.0\.1:[0-9]*/#token=[0-9a-f]\{32\}$'
find_process 4242424
ok "the file is shown" [ -n "$id" ]

# The page
curl -i "$base/" >"$tmp/out"
ok "the page needs no token" out_has '^HTTP/1.1 200'
ok "it loads from this server only" out_has "Content-Security-Policy: default-src 'self'"
for header in 'X-Content-Type-Options: nosniff' 'Referrer-Policy: no-referrer' \
    'Content-Type: text/html; charset=utf-8'; do
  ok "header $header" out_has "$header"
done
for path in monitor.js monitor.css monitor.svg; do
  ok "/$path is there" code_is 200 "$base/$path"
done
get /api/server -i -H 'Origin: http://evil.example' >"$tmp/out"
ok "no page of another site may read an answer" \
  sh -c "! grep -i access-control '$tmp/out'"
get /api/server -i >"$tmp/out"
ok "data is not stored" out_has 'Cache-Control: no-store'

# The token
for path in /api/server /api/processes /api/stream /api/actions /metrics \
    "/api/processes/$id/stat" /api/nothing; do
  ok "$path without a token: 401" code_is 401 "$base$path"
done
for wrong in x "" "${token}0" "${token%?}" "${token%?}g" "$token $token"; do
  ok "token '$wrong': 401" \
    code_is 401 -H "Authorization: Bearer $wrong" "$base/api/server"
done
ok "the token as a parameter: 401" code_is 401 "$base/api/server?token=$token"
ok "the token as a cookie: 401" \
  code_is 401 -H "Cookie: token=$token" "$base/api/server"
ok "the right token: 200" with_token_is 200 "$base/api/server"
ok "an action without a token: 401" \
  code_is 401 -d '{"action":"pause"}' "$base/api/processes/$id/control"

# Names of the server, and where requests come from
for host in evil.example evil.example:80 127.0.0.1.evil.example "" localhost.evil \
    '[::1' 'evil@127.0.0.1'; do
  ok "Host '$host': 403" with_token_is 403 -H "Host: $host" "$base/api/server"
done
ok "no Host: 403" with_token_is 403 -H 'Host:' "$base/api/server"
ok "Host localhost: 200" with_token_is 200 -H 'Host: localhost' "$base/api/server"
ok "Host [::1]: 200" with_token_is 200 -H 'Host: [::1]:80' "$base/api/server"
for origin in http://evil.example null "https://${base#*//}" "$base.evil.example"; do
  ok "POST from $origin: 403" with_token_is 403 -H "Origin: $origin" \
    -d '{"action":"pause"}' "$base/api/processes/$id/control"
  ok "GET from $origin: 403" with_token_is 403 -H "Origin: $origin" "$base/api/server"
done
ok "a request of our page is no stranger" with_token_is 409 -H "Origin: $base" \
  -d '{"action":"pause"}' "$base/api/processes/$id/control"
ok "its process has ended, says the answer" says 'has ended'

# Paths and parameters
for path in /../../../etc/passwd /..%2f..%2fetc/passwd /%2e%2e/etc/passwd \
    /monitor.js/../../x /etc/passwd //etc/passwd /web; do
  ok "$path: 404" with_token_is 404 --path-as-is "$base$path"
done
for path in /api/processes/ /api/processes/1/stat "/api/processes/${id}0/stat" \
    "/api/processes/$id" "/api/processes/$id/" "/api/processes/$id/../x" \
    /api/processes/0000000000000000/stat; do
  ok "$path: 404" with_token_is 404 --path-as-is "$base$path"
done
for args in 'stat?from=-1' 'stat?from=1&from=2' 'stat?from=2&to=1' 'stat?x=1' \
    'stat?from=99999999999999999999' 'stat?from=0x10' 'stat?from=' 'stat?from' \
    'timeline?width=0' 'timeline?width=99999' 'history?tier=2s' \
    'events?limit=0' 'events?order=newest' 'events?filter=%' 'events?filter=%00' 'events?filter=%zz' \
    'events?filter=nothing=1' 'events?filter=%22' 'events?filter=longer-than=x' \
    'events?filter=minor%3C5ms' 'events?filter=minor+%3E+ms' \
    between 'between?first=a' 'between?first=a&then=+' \
    'between?first=a&then=form=x' 'between?first=a&then=b&scope=ring' \
    'between?first=a&then=categories=x' 'stat?from=1&'; do
  ok "$args: 400" with_token_is 400 "$base/api/processes/$id/$args"
done
ok "the answer says why" says 'nothing follows'
ok "a wrong width: 400" with_token_is 400 "$base/api/processes/$id/timeline?width=0"
ok "the answer has the values that are right" says 'width: a number from 1 to 8192'
# raw ADDRESS: the status of a GET of it, an argument of printf.
cat >"$tmp/raw.pl" <<'P'
use IO::Socket::INET;
my ($port, $token) = @ARGV;
my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") or die;
local $/;
syswrite $s, "GET " . <STDIN> . " HTTP/1.1\r\nHost: localhost\r\n" .
  "Authorization: Bearer $token\r\nConnection: close\r\n\r\n";
my $answer = <$s>;
print $answer =~ m,^HTTP/1.1 (\d+),;
P
raw() { printf "$1" | perl "$tmp/raw.pl" "${base##*:}" "$token"; }
ok "an address as it is sent by hand: 200" [ "$(raw /api/server)" = 200 ]
for path in '/api/server\0x' '/api/server\0' '/api/server?\0x' '/monitor.js\0x'; do
  ok "a byte 0 after ${path%%\\*}: 400" [ "$(raw "$path")" = 400 ]
done
ok "an encoded byte 0: 404" [ "$(raw /api/server%%00x)" = 404 ]
ok "PUT: 405" with_token_is 405 -X PUT -d x "$base/api/server"
ok "OPTIONS: 405" with_token_is 405 -X OPTIONS "$base/api/server"
ok "POST to what can only be read: 405" with_token_is 405 -d x "$base/api/server"
ok "GET of an action: 405" with_token_is 405 "$base/api/processes/$id/save"
# Allow: the methods that GET /api lists for the path
field /api '.requests | group_by(.path)[] |
  .[0].path + ": " + (map(.method) | join(", "))' |
  sed 's/: GET/: GET, HEAD/; s/: POST, GET, HEAD/: GET, HEAD, POST/' >"$tmp/listed"
allowed() { # METHOD PATH
  curl -D "$tmp/head" -o "$tmp/body" -X "$1" -H "Authorization: Bearer $token" \
    "$base$(echo "$2" | sed "s/ID/$id/")" >/dev/null
  echo "$2: $(sed -n 's/^Allow: //p' "$tmp/head" | tr -d '\r')"
}
while IFS=: read -r path methods; do
  case $methods in
    *DELETE*) method=PATCH ;; *POST*) method=DELETE ;; *) method=POST ;;
  esac
  allowed "$method" "$path"
done <"$tmp/listed" >"$tmp/allowed"
ok "each resource says which methods it has" eval \
  'diff "$tmp/listed" "$tmp/allowed" && [ "$(wc -l <"$tmp/listed")" -gt 30 ]'
ok "also for a method that no resource has" \
  [ "$(allowed PATCH /api/processes/ID/control)" = "/api/processes/ID/control: POST" ]
described() {
  field /api '.requests[] | select(.path | startswith("/api")) | .method + " " + .path' |
    sed 's,/api/processes/ID/,,' | while read -r request; do
      grep -q "\`$request[?\`]" "$EVENTRING_TOP/doc/HTTP.md" || echo "$request"
    done >"$tmp/missing"
  cat "$tmp/missing"
  [ ! -s "$tmp/missing" ]
}
ok "doc/HTTP.md has each request" described
for method in GET DELETE; do
  ok "$method with a body: 400" with_token_is 400 -X "$method" -d x "$base/api/rules"
  ok "the answer says why" says 'only a POST has a body'
  ok "$method with a body of unknown length: 400" with_token_is 400 -X "$method" \
    -H 'Transfer-Encoding: chunked' -d x "$base/api/rules"
done
ok "GET with a body of no bytes: 200" with_token_is 200 -H 'Content-Length: 0' \
  "$base/api/server"
for body in '' x '[]' '{"action":1}' '{"action":"stop"}' '{"action":"pause"' \
    '{"action":"threshold","threshold_ns":0}'; do
  with_token -d "$body" "$base/api/processes/$id/control" >"$tmp/out"
  ok "body '$body' is refused" out_has '^4'
done
for body in 'save {"seconds":1,"second":1}' 'record {"action":"stop","bytes":1}' \
    'control {"action":"pause","when":1}'; do
  with_token -d "${body#* }" "$base/api/processes/$id/${body%% *}" >"$tmp/out"
  ok "${body%% *} refuses a member that it does not know" eval \
    'out_has 400 && says "has no member"'
done
ok "attach refuses a member that it does not know" eval \
  'with_token_is 400 -d "{\"pid\":1,\"dir\":\"/\"}" "$base/api/attach" &&
   says "no member .dir"'

# Size and time
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
before=$(memory)
ok "a body of a gigabyte is refused when it is announced: 413" \
  with_token_is 413 -H 'Content-Length: 1000000000' -H 'Expect:' -d x \
  "$base/api/processes/$id/control"
ok "without a token it is not even looked at: 401" \
  code_is 401 -H 'Content-Length: 1000000000' -H 'Expect:' -d x \
  "$base/api/processes/$id/control"
head -c 1000000000 /dev/zero | with_token -X POST -T - \
  -H 'Transfer-Encoding: chunked' "$base/api/processes/$id/control" >"$tmp/out"
ok "a body of a gigabyte that is not announced is not taken" \
  sh -c "! grep 200 '$tmp/out'"
ok "the server has not grown by more than 2 MB" \
  [ "$(memory)" -lt $((before + 2048)) ]
long=$(head -c 100000 /dev/zero | tr '\0' a)
with_token "$base/api/processes/$id/events?filter=$long" >"$tmp/out"
ok "an address of 100,000 letters is refused" out_has '^4'

# 40 clients send a letter a second, and never end their request; 5 ask for the
# page again and again, and 5 read it slowly.
cat >"$tmp/slow.pl" <<'P'
use IO::Socket::INET; $SIG{PIPE} = 'IGNORE';
my @s = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]") } 1..50;
my $get = "GET /monitor.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";
syswrite $s[$_], $get =~ s/svg/js/r for 45..49;
for (1..25) {
  syswrite $s[$_], "G" for 0..39;
  for (40..44) { syswrite $s[$_], $get; sysread $s[$_], my $page, 65536; }
  for (45..49) { sysread $s[$_], my $letter, 1; }
  sleep 1;
}
for (40..49) {
  $s[$_]->blocking(0);
  while ((sysread $s[$_], my $rest, 65536) // 0) { }
}
my $open = 0;
for my $s (@s) {
  my $r = ''; vec($r, fileno $s, 1) = 1;
  my $n = select($r, undef, undef, 0) ? sysread($s, my $b, 1) : undef;
  $open++ unless defined $n && $n == 0 || $!{ECONNRESET};
}
print "$open\n";
P
perl "$tmp/slow.pl" "${base##*:}" >"$tmp/slow" &
slow=$!
sleep 2
ok "while 50 clients dawdle, another one is answered" \
  with_token_is 200 -m 10 "$base/api/server"
wait $slow
ok "clients that dawdle for 15 s are sent away" [ "$(cat "$tmp/slow")" = 0 ]
ok "the server lives" with_token_is 200 "$base/api/server"

# The listening address
run "$EVENTRING_BIN" serve --listen "${base#http://}" "$ring"
ok "a port in use: one line" refused 3 'Address already in use'
for address in 0.0.0.0:0 '[::]:0' 192.0.2.1:0; do
  run "$EVENTRING_BIN" serve --listen "$address" "$ring"
  ok "$address without TLS: one line" refused 3 'tls-cert'
done
for address in 127.0.0.1 x:1 127.0.0.1:99999 127.0.0.1: unix: 1.2.3:0; do
  run "$EVENTRING_BIN" serve --listen "$address" "$ring"
  ok "address $address: one line" refused 3 'cannot listen'
done
run "$EVENTRING_BIN" serve --tls-cert=x "$ring"
ok "a certificate without a key: one line" refused 2 'go together'
run "$EVENTRING_BIN" serve "$tmp/nothing"
ok "a file that is not there: one line" refused 3 'nothing'
run "$EVENTRING_BIN" serve 4194305
ok "a process that is not there: one line" refused 3 ''
# A recording that is shown as damaged, and a pid that is none.
"$EVENTRING_BIN" cat -o "$tmp/whole.evr" "$ring" && head -c 40 "$tmp/whole.evr" >"$tmp/cut.evr"
run "$EVENTRING_BIN" serve "$tmp/cut.evr" 0
ok "and the line is of that operand" refused 3 'no such file or process'
end_server
ok "SIGTERM ends the server with exit code 0" exits 0
ok "it has no complaint" [ ! -s "$tmp/serve.err" ]

# --read-only
serve --read-only "$ring"
ok "--read-only: control is refused" with_token_is 403 -d '{"action":"pause"}' \
  "$base/api/processes/$id/control"
ok "--read-only: saving is refused" with_token_is 403 -d '{"seconds":1}' \
  "$base/api/processes/$id/save"
ok "--read-only: reading works" with_token_is 200 "$base/api/processes"
end_server

# --token-file
serve --token-file="$tmp/token" "$ring"
ok "the token comes from the file" [ "$token" = secret-of-sixteen-letters ]
end_server
serve --token-file="$tmp/new" "$ring"
ok "a file that does not exist is written" [ "$(cat "$tmp/new")" = "$token" ]
ok "for this user only" [ "$(stat -c %a "$tmp/new")" = 600 ]
end_server
chmod 644 "$tmp/token"
run "$EVENTRING_BIN" serve --token-file="$tmp/token" "$ring"
ok "a token that others can read is refused" refused 3 'chmod 600'
if can_be_nobody; then
  printf 'secret-of-sixteen-letters\n' >"$tmp/theirs"
  chmod 600 "$tmp/theirs"
  chown 65534 "$tmp/theirs"
  run timeout 10 "$EVENTRING_BIN" serve --token-file="$tmp/theirs" "$ring"
  ok "a token of another user is refused" refused 3 'another user'
else
  skip "a token of another user is refused" "not root"
fi
printf 'short\n' >"$tmp/token"
chmod 600 "$tmp/token"
run "$EVENTRING_BIN" serve --token-file="$tmp/token" "$ring"
ok "a short token is refused" refused 3 'no token'

mkdir -m 700 "$tmp/folder"
run timeout 10 "$EVENTRING_BIN" serve --token-file="$tmp/folder" "$ring"
ok "a directory in place of a token is refused" refused 3 'folder: Is a directory$'

# A Unix socket
serve --listen "unix:$tmp/socket" "$ring"
ok "the address of a Unix socket" [ "${url% token=*}" = "unix:$tmp/socket" ]
token=${url#*token=}
ok "only this user can connect" [ "$(stat -c %a "$tmp/socket")" = 600 ]
base=http://localhost
ok "it answers" with_token_is 200 --unix-socket "$tmp/socket" "$base/api/server"
ok "it needs the token" code_is 401 --unix-socket "$tmp/socket" "$base/api/server"
run "$EVENTRING_BIN" serve --listen "unix:$tmp/socket" "$ring"
ok "a second server there is refused" refused 3 'Address already in use'
end_server
ok "the socket is removed" [ ! -e "$tmp/socket" ]
serve --listen "unix:$tmp/socket" "$ring"
kill -9 "$server"
wait "$server" 2>/dev/null
ok "a server that was killed leaves its socket" [ -S "$tmp/socket" ]
ok "the next one takes its place" serve --listen "unix:$tmp/socket" "$ring"
end_server
: >"$tmp/file"
run "$EVENTRING_BIN" serve --listen "unix:$tmp/file" "$ring"
ok "another file is not replaced" refused 3 'File exists'
run "$EVENTRING_BIN" serve --open --listen "unix:$tmp/other"
ok "--open with a Unix socket is refused" refused 2 'cannot connect to a Unix socket'

# TLS
if command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
  ok "with TLS it listens on all addresses" serve --listen 0.0.0.0:0 \
    --tls-cert="$tmp/cert.pem" --tls-key="$tmp/key.pem" "$ring"
  ok "the address is https" expr "$url" : 'https://0\.0\.0\.0:'
  base=https://127.0.0.1:${base##*:}
  ok "it answers" with_token_is 200 -k "$base/api/server"
  ok "the token is needed" code_is 401 -k "$base/api/server"
  ok "without TLS it does not" with_token_is 000 "http${base#https}/api/server"
  ok "Host evil.example: 403" with_token_is 403 -k -H 'Host: evil.example' \
    "$base/api/server"
  end_server
  run "$EVENTRING_BIN" serve --tls-cert="$ring" --tls-key="$ring"
  ok "no certificate: one line" refused 3 'certificate'
else
  skip "TLS" "no openssl"
fi
finish
