# Read by the tests of this folder: the functions of testsuite/recording/tap.sh,
# and a server.
#
#   serve ARG...      starts eventring serve ARG... in the background; leaves
#                     $server, $url, $base and $token
#   end_server        ends it; leaves $status
#   get PATH [ARG...] prints the answer to a request with the token
#   post PATH BODY [ARG...]
#   code ARG...       the status of HTTP of curl ARG..., without the token
#   field PATH FILTER prints the result of jq FILTER on the answer
#   find_process PID  leaves $id

. "$(dirname "$0")/../recording/tap.sh"
export EVENTRING_STORE=$tmp/store
command -v curl >/dev/null && command -v jq >/dev/null ||
  { echo "1..0 # SKIP no curl or no jq"; exit 0; }

serve() {
  : >"$tmp/serve.out"
  "$EVENTRING_BIN" serve "$@" >"$tmp/serve.out" 2>"$tmp/serve.err" &
  server=$!
  started="$started $server"
  within 60 test -s "$tmp/serve.out" || return 1
  url=$(head -n 1 "$tmp/serve.out")
  base=${url%/#*}
  token=${url#*token=}
}
end_server() {
  kill -TERM "$server"
  wait "$server"
  status=$?
}

# Ends the answer with an end of line.
curl() { command curl -s -m 30 "$@"; curl_status=$?; echo; return $curl_status; }
get() { path=$1; shift; curl -H "Authorization: Bearer $token" "$@" "$base$path"; }
post() {
  path=$1 body=$2
  shift 2
  curl -H "Authorization: Bearer $token" -d "$body" "$@" "$base$path"
}
code() { command curl -s -m 30 -o "$tmp/body" -w "%{http_code}" "$@"; }
code_is() { wanted=$1; shift; [ "$(code "$@")" = "$wanted" ]; }
with_token() { code -H "Authorization: Bearer $token" "$@"; }
with_token_is() { wanted=$1; shift; [ "$(with_token "$@")" = "$wanted" ]; }
field() { get "$1" | jq -r "$2"; }
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }
says() { grep -q -e "$1" "$tmp/body"; }

process() { field /api/processes ".processes[] | select(.pid == $1) | $2"; }
process_is() { [ "$(process "$1" "$2")" = "$3" ]; }
find_process() {
  within 60 listed "$1" && id=$(process "$1" .id | tail -n 1)
}
listed() { [ -n "$(process "$1" .id)" ]; }
read_all() { process_is "$1" .reading false; }
