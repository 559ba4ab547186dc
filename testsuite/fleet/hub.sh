# Read by tests of the hub: the functions of testsuite/cli/tap.sh, a hub, and
# clients made of curl and openssl.
#
#   start_hub ARG...     starts eventring hub ARG... with the store $tmp/store;
#                        leaves $hub, $join, $read, $base, $pin, $reader
#   end_hub              ends it; leaves $status
#   new_key NAME         makes NAME.key and NAME.pub
#   join NODE [TOKEN]    a request to join, by the key of NODE, with the token of
#                        the hub; keeps the certificate in NODE.crt
#   answers STATUS ARG...  a request by curl ARG...; its answer is in $tmp/answer
#   put STATUS NODE PATH FILE    sends a part
#   report STATUS NODE JSON
#   got STATUS PATH      a request of a reader
#   has FILTER           whether FILTER of jq is true for the answer

. "$(dirname "$0")/../cli/tap.sh"
for program in curl jq openssl base64; do
  command -v $program >/dev/null ||
    { echo "1..0 # SKIP no $program"; exit 0; }
done
cd "$tmp" || exit 1
store=$tmp/store

start_hub() {
  : >hub.out
  "$EVENTRING_BIN" hub --listen 127.0.0.1:0 --store "$store" "$@" >hub.out \
    2>hub.err &
  hub=$!
  started="$started $hub"
  within 60 grep -q '^read: ' hub.out || return 1
  join=$(sed -n 's/^join: *eventring agent //p' hub.out)
  read=$(sed -n 's/^read: *eventring ps --hub //p' hub.out)
  base=${join%%#*}
  token=$(token_of "$join")
  reader=$(token_of "$read")
  fingerprint=${join#*@}
  public_key >key.der
  pin=sha256//$(openssl dgst -sha256 -binary key.der | base64)
}
public_key() {
  openssl x509 -in "$store/hub/certificate.pem" -pubkey -noout |
    openssl pkey -pubin -outform der
}
end_hub() {
  kill -TERM "$hub"
  wait "$hub"
  status=$?
}
token_of() { echo "$1" | sed 's/.*#//; s/@.*//'; }

new_key() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" &&
    openssl ec -in "$1.key" -pubout -out "$1.pub" 2>/dev/null
}

answers() {
  wanted=$1
  shift
  code=$(command curl -s -m 30 -k --pinnedpubkey "$pin" -o answer \
    -w '%{http_code}' "$@")
  [ "$code" = "$wanted" ] && return
  echo "status $code instead of $wanted"
  cat answer
  return 1
}
join() {
  jq -n --arg node "$1" --arg token "${2:-$token}" --rawfile key "$1.pub" \
    '{token: $token, node: $node, public_key: $key}' >body
  answers "${3:-200}" -d @body "$base/fleet/join" || return 1
  [ "${3:-200}" != 200 ] || jq -r .certificate answer >"$1.crt"
}
put() {
  answers "$1" --cert "$2.crt" --key "$2.key" -T "$4" "$base/fleet/parts/$3"
}
report() {
  answers "$1" --cert "$2.crt" --key "$2.key" -d "$3" "$base/fleet/report"
}
got() {
  answers "$1" -H "Authorization: Bearer $reader" "$base/fleet/$2"
}
has() { jq -e "$1" answer >/dev/null || { cat answer; return 1; }; }
