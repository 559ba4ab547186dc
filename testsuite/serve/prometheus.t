#!/bin/sh
# If this breaks, Prometheus cannot scrape the server with its token, or stores
# other numbers than eventring stat has.
. "$(dirname "$0")/tap.sh"
. "$EVENTRING_TOP/testsuite/cli/prometheus.sh"
command -v prometheus >/dev/null ||
  { echo "1..0 # SKIP no prometheus"; exit 0; }
here=$EVENTRING_TOP/testsuite/recording
compile numbers
begin
tell count 1000
tell slow
serve --token-file="$tmp/token" "$pid"
ok "the process is shown" find_process "$pid"
ok "its events are read" within 60 read_all "$pid"
printf 'another-token-of-sixteen-letters\n' >"$tmp/wrong"
prometheus_scrapes <<E
global: { scrape_interval: 200ms }
scrape_configs:
  - job_name: ocaml
    authorization: { credentials_file: $tmp/token }
    static_configs: [ { targets: [ "${base#http://}" ] } ]
  - job_name: wrong
    authorization: { credentials_file: $tmp/wrong }
    static_configs: [ { targets: [ "${base#http://}" ] } ]
E
value='.data.result[0].value[1] | tonumber'
ok "Prometheus scrapes the server" \
  within 60 query 'up{job="ocaml"}' "$value == 1"
ok "it cannot with another token" \
  within 60 query 'up{job="wrong"}' "$value == 0"

# equals SERIES LABEL JQ: Prometheus has the number that JQ finds in stat,
# but for the rate of the clock, which each reader measures
eventring stat --json "$pid" >"$tmp/stat.json"
equals() {
  wanted=$(jq "$3" "$tmp/stat.json")
  ok "$1{$2}: as in stat ($wanted)" within 60 query \
    "$1{job=\"ocaml\",process=\"$pid\"${2:+,$2}}" \
    "$value | . > 0 and (. - $wanted | fabs) <= 1e-3 * $wanted"
}
equals ocaml_minor_collections_total "" .total.minor_collections
equals ocaml_minor_allocated_bytes_total "" '.total.allocated_words * 8'
equals ocaml_gc_pause_seconds_count 'kind="any"' .total.pauses.any.count
equals ocaml_gc_pause_seconds_sum 'kind="any"' '.total.pauses.any.total_ns / 1e9'
equals ocaml_span_seconds_count 'span="job"' \
  '.spans[] | select(.name == "job") | .count'
equals ocaml_span_seconds_sum 'span="job"' \
  '.spans[] | select(.name == "job") | .total_ns / 1e9'
tell slow
ok "the next spans are scraped" within 60 query \
  "ocaml_span_seconds_count{process=\"$pid\",span=\"job\"}" "$value == 22"
leave
end_server
ok "the server ends in order" exits 0
finish
