#!/bin/sh
# If this breaks, the page shows other batches, comparisons and timelines than the
# commands, or a client of the server reads files outside of the store.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
mkdir rings
serve "$tmp/rings"
ok "a store that does not exist has no batches" \
  field_is /api/batches '.batches | length' 0
ok "and none that can be compared" \
  with_token_is 404 "$base/api/batches/comparison?groups=%5B%22a%22%5D"

run eventring batch --quiet --runs=5 --label=one --label=a/../b:c -- true -- sh -c :
ok "a batch is made" exits 0
batch=$(ls "$EVENTRING_STORE/batches")
# Prints the parameter NAME with the value VALUE.
parameter() { printf '%s=%s' "$1" "$(printf %s "$2" | jq -sRr @uri)"; }
# as_printed PATH COMMAND...: the server answers what the command prints.
as_printed() {
  get "$1" | jq -S . >answered
  shift
  eventring "$@" --json | jq -S . >printed
  [ -s printed ] && cmp answered printed
}
groups() { parameter groups "$1"; }

ok "the list of batches" as_printed /api/batches list --batches
ok "the runs of a batch" \
  as_printed "/api/batches/runs?$(parameter batch "$batch")" list "$EVENTRING_STORE/batches/$batch"
ok "a comparison of all its commands" as_printed \
  "/api/batches/comparison?$(groups "[\"$batch\"]")" compare "$batch"
ok "a comparison of two that are named" as_printed \
  "/api/batches/comparison?$(groups "[\"$batch:a/../b:c\", \"$batch:one\"]")" \
  compare "$batch:a/../b:c" "$batch:one"
ok "a comparison of other machines, too" as_printed \
  "/api/batches/comparison?$(groups "[\"$batch\"]")&other_machines=1" \
  compare --other-machines "$batch"
ok "other_machines is 1" with_token_is 400 \
  "$base/api/batches/comparison?$(groups "[\"$batch\"]")&other_machines=0"
ok "a timeline" as_printed "/api/batches/timeline?$(groups "[\"$batch\"]")" \
  timeline "$batch"

# refuses STATUS PATTERN PATH
refuses() { with_token_is "$1" "$base$3" && says "$2"; }
ok "a batch that is not there" refuses 409 'no batch' '/api/batches/runs?batch=other'
ok "a label that is not there" refuses 409 "no command labelled 'x'" \
  "/api/batches/comparison?$(groups "[\"$batch:one\", \"$batch:x\"]")"
ok "one group only" refuses 409 'give another one' \
  "/api/batches/comparison?$(groups "[\"$batch:one\"]")"
for operand in '' / /etc .. "../batches/$batch" "$batch/.." "$batch/../$batch"; do
  ok "no batch: '$operand'" refuses 400 'a name from the list' \
    "/api/batches/runs?$(parameter batch "$operand")"
  ok "no group: '$operand'" refuses 400 'a JSON array of 1 to 32 texts' \
    "/api/batches/timeline?$(groups "[\"$operand\"]")"
done
for groups in '' '[' '[]' '{}' '"a"' '[1]' '["a", 1]' \
  "$(seq 33 | jq -sc 'map(tostring)')"; do
  ok "no groups: $groups" refuses 400 'a JSON array of 1 to 32 texts' \
    "/api/batches/comparison?$(groups "$groups")"
done
# opens STATUS PATTERN BODY
opens() { with_token_is "$1" -d "$3" "$base/api/batches/runs" && says "$2"; }
make_ring plain
echo "0 0 instant ring_start 1" | ./make_ring script ring.eventring pid=4242
run eventring cat ring.eventring -o "$EVENTRING_STORE/batches/$batch/000001.evr"
ok "the recording of a run is opened" opens 200 '"id"' "{\"batch\":\"$batch\",\"number\":1}"
id=$(jq -r .id body)
ok "and shown like a process" field_is "/api/processes/$id/stat" .process.pid 4242
ok "a run without a recording" opens 409 'cannot be read' \
  "{\"batch\":\"$batch\",\"number\":2}"
ok "the recording of a batch elsewhere" opens 400 'a name from the list' \
  "{\"batch\":\"../batches/$batch\",\"number\":1}"
ok "a number that is none" opens 400 'number' "{\"batch\":\"$batch\",\"number\":\"1\"}"
ok "an option is a name" refuses 409 'no batch' \
  "/api/batches/runs?$(parameter batch --batches)"
ok "without the token there is no answer" code_is 401 "$base/api/batches"
end_server
ok "the server ended well" [ "$status" = 0 ]
finish
