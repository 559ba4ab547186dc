#!/bin/sh
# Only in make check-long: it needs the seconds that it takes to fill the buffers
# of a connection.
# If this breaks, a client that does not read keeps the others waiting, or does not
# learn how much it has missed.
. "$(dirname "$0")/tap.sh"
here=$EVENTRING_TOP/testsuite/cli
compile idle threads.cmxa
mkdir "$tmp/rings"
cd "$tmp" || exit 1

serve "$tmp/rings"
start idle sleep 600
find_process "$pid"
cat >deaf.pl <<'P'
use IO::Socket::INET; use Socket;
my ($port, $token, $id) = @ARGV;
my $s = IO::Socket::INET->new(Proto => 'tcp');
setsockopt($s, SOL_SOCKET, SO_RCVBUF, pack('i', 2048));
connect($s, sockaddr_in($port, inet_aton('127.0.0.1'))) or die;
print $s "GET /api/stream?process=$id HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $token\r\n\r\n";
$s->flush; sleep 25;
my ($text, $b) = ('', '');
alarm 60;
$text .= $b while $text !~ /^data: \{"ticks":\d+/m && sysread $s, $b, 65536;
print $text =~ /^data: \{"ticks":(\d+)/m ? $1 : 0, "\n";
P
perl deaf.pl "${base##*:}" "$token" "$id" >lost &
deaf=$!
sleep 8
command curl -s -N -H "Authorization: Bearer $token" \
  "$base/api/stream?process=$id" >stream &
streamer=$!
started="$started $deaf $streamer"
has_ticks() { [ "$(grep -c '^event: tick$' stream)" -ge 20 ]; }
ok "beside a client that does not read, another one gets its ticks" \
  within 16 has_ticks
kill "$streamer"
wait "$deaf"
ok "the client that did not read is told how many ticks it has lost" \
  [ "$(cat lost)" -gt 0 ]
end_server
finish
