# Read by tests that Prometheus scrapes something in, behind tap.sh.
#
#   prometheus_scrapes  starts Prometheus, on a free port, with the configuration
#                       on standard input
#   query PROMQL JQ     succeeds when jq JQ of the answer is true

prometheus_scrapes() {
  cat >"$tmp/prometheus.yml"
  : >"$tmp/prometheus.log"
  prometheus --config.file="$tmp/prometheus.yml" \
    --storage.tsdb.path="$tmp/tsdb" --web.listen-address=127.0.0.1:0 \
    >"$tmp/prometheus.log" 2>&1 &
  started="$started $!"
  within 60 listens
}
listens() {
  prometheus=$(sed -n 's/.* address=\(127\.0\.0\.1:[1-9][0-9]*\).*/\1/p' \
    "$tmp/prometheus.log" | head -n 1)
  [ -n "$prometheus" ]
}
query() {
  command curl -s -m 30 --noproxy '*' -G --data-urlencode "query=$1" \
    "http://$prometheus/api/v1/query" | jq -e "$2"
}
