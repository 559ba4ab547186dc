# Read by tests of NATS: the functions of testsuite/fleet/agent.sh, and servers.
#
#   free_ports N         prints N free ports
#   print_config FILE PORT MONITOR   the configuration that the hub prints, for a
#                        server at PORT that keeps its store beside FILE
#   start_nats NAME      starts the server with NAME.conf; leaves $nats, and its
#                        id in NAME.pid
#   crash_nats NAME      ends it with SIGKILL
#   monitor PORT FILTER  whether FILTER of jq is true for the state of JetStream
#   client PORT USER PASSWORD MODE ARG...   a client of few words
#   secret N             line N of the credentials of the agent
#   none_lost            whether the hub gets each event of each program in time

. "${EVENTRING_TOP:-$(dirname "$0")/../..}/testsuite/fleet/agent.sh"
for program in nats-server python3; do
  command -v $program >/dev/null ||
    { echo "1..0 # SKIP no $program"; exit 0; }
done

free_ports() {
  python3 -c '
import socket, sys
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in all])' "$1"
}
print_config() {
  eventring hub --store "$store" --print-nats-config >printed.conf &&
    sed "s|^listen: .*|listen: \"127.0.0.1:$2\"\\nhttp: \"127.0.0.1:$3\"|
         s|store_dir: .*|store_dir: \"$tmp/${1%.conf}.store\"|" printed.conf >"$1"
}
start_nats() {
  nats-server -c "$1.conf" >>"$1.log" 2>&1 &
  nats=$!
  echo "$nats" >"$1.pid"
  started="$started $nats"
  within 60 grep -q 'Server is ready' "$1.log"
}
crash_nats() {
  crash "$(cat "$1.pid")"
  : >"$1.log"
}
monitor() {
  command curl -s -m 10 --noproxy '*' \
    "http://127.0.0.1:$1/jsz?accounts=true&streams=true&config=true" >jsz &&
    jq -e "$2" jsz >/dev/null
}
client() { python3 -B "$here/nats_client.py" "$@"; }
none_lost() {
  within 60 arrived && within 60 conserves && ! grep -v ', 0 lost' sums
}
secret() { sed -n "$1p" "$state/nats"; }
