#!/bin/sh
# Times of day: eventring events --clock=wall, and --from and --to of every command
# that has them.
# Needs no OCaml.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
make_ring plain
# Tracing starts at 2026-11-26T07:40:00Z, in the second process at 01:00 on the
# day on which the clocks of central Europe go back.
{
  echo "0 0 counter queue 1"
  echo "0 500000000 counter queue 2"
  echo "0 60000000001 counter queue 3"
  echo "0 3600000000000 counter queue 4"
} >lines
./make_ring script day.eventring started=1795678800 <lines || exit 1
./make_ring script night.eventring started=1792886400 <lines || exit 1
./make_ring script unknown.eventring started=0 <lines || exit 1
for file in day night unknown; do
  eventring dump -o $file.evr $file.eventring 2>err || exit 1
done
central=CET-1CEST,M3.5.0,M10.5.0/3
unset TZ

# shown ZONE OPTION...: the output of events in the time zone
shown() {
  zone=$1
  shift
  run env TZ="$zone" "$EVENTRING_BIN" events "$@"
}
first_columns() { exits 0 && awk '{ print $1 }' out | diff - "$1"; }
queue() { # "NUMBER..."
  exits 0 && [ "$(awk '{ print $(NF - 1) }' out | paste -sd ' ')" = "$1" ]
}

cat >want <<'END2'
2026-11-26T07:40:00.000000000+00:00
2026-11-26T07:40:00.500000000+00:00
2026-11-26T07:41:00.000000001+00:00
2026-11-26T08:40:00.000000000+00:00
END2
for file in day.eventring day.evr; do
  shown UTC --clock=wall $file
  ok "$file: column 1 is the time of day" first_columns want
done
shown UTC0 --clock=trace day.eventring
ok "--clock=trace: since tracing started" eval \
  '[ "$(awk "NR == 3 { print \$1 }" out)" = 60.000000001 ]'
shown $central --clock=wall day.eventring
sed 's/T08/T09/; s/T07/T08/; s/+00:00/+01:00/' want >want.central
ok "local time with its offset from UTC" first_columns want.central
shown NST3:30 --clock=wall day.eventring
sed 's/T07:4/T04:1/; s/T08:4/T05:1/; s/+00:00/-03:30/' want >want.west
ok "an offset to the west" first_columns want.west
shown $central --clock=wall night.eventring
cat >want.night <<'END2'
2026-10-25T02:00:00.000000000+02:00
2026-10-25T02:00:00.500000000+02:00
2026-10-25T02:01:00.000000001+02:00
2026-10-25T02:00:00.000000000+01:00
END2
ok "the hour after summer time has the other offset" first_columns want.night
shown $central --clock=wall --json day.eventring
ok "--json: time" eval \
  '[ "$(jq -r .time out)" = "$(cat want.central)" ] &&
   [ "$(jq -s ".[1].ns" out)" = 500000000 ]'
shown UTC --clock=wall --all day.eventring night.eventring
sed 's/T07/T00/; s/T08/T01/; s/-11-26/-10-25/; s/:4\(.:\)/:0\1/' want |
  cat - want >want.all
ok "--all: each event has the time of day of its process" eval \
  'exits 0 && awk "{ print \$1 }" out | sort | diff - want.all'

# Every time that is printed can be given.
for zone in UTC $central NST3:30; do
  for file in day.eventring day.evr night.eventring night.evr; do
    shown $zone --clock=wall $file
    cp out printed
    while read -r time rest; do
      shown $zone --clock=wall --from="$time" --to="$time" $file
      printf '%s\n' "$time" >one
      first_columns one
    done <printed
    ok "$zone $file: --from and --to take the printed times" [ $? = 0 ]
  done
done

# The forms of a time of day.
for time in 2026-11-26T07:41:00Z '2026-11-26 07:41Z' 2026-11-26t07:41:00z \
    2026-11-26T07:41:00.000000001Z 2026-11-26T07:41:00,0000000019+00:00 \
    2026-11-26T08:41+01:00 2026-11-26T08:41+0100 2026-11-26T08:41+01 \
    2026-11-26T04:11-03:30; do
  shown NST3:30 --from="$time" day.eventring
  ok "--from='$time'" queue "3 4"
done
shown $central --from=2026-11-26T08:40:00.5 --to=2026-11-26T09:39 day.eventring
ok "without an offset: local time" queue "2 3"
shown UTC --from=1s --to=2026-11-26T07:50 day.eventring
ok "the two kinds of times may be mixed" queue 3
shown UTC --from=2027-01-01T00:00 day.eventring
ok "a time after the end" silent
shown UTC --to=1970-01-01T00:00:00Z day.eventring
ok "a time before the start" silent

# The other commands.
run env TZ=$central "$EVENTRING_BIN" cut --from=2026-11-26T08:40:00.5 \
  --to=2026-11-26T07:41:00.000000001Z day.evr -o part.evr
ok "cut" exits 0
run eventring events part.evr
ok "cut: --to is not in it" queue 2
run eventring profile --from=2026-11-26T07:40:00Z --to=2026-11-26 day.eventring
ok "profile: a wrong time is refused" refused 2 \
  "profile: 2026-11-26 is not a time such as 1.5s or 2026-11-26T07:40:00"
run eventring profile --from=2026-11-26T07:40:00Z day.eventring
ok "profile: a time of day is taken" exits 0

# Times that there are not.
for time in 2026-11-26 2026-11-26T 2026-11-26T07 2026-11-26T7:40 \
    2026-11-26T07:40: 2026-11-26T07:40:0 2026-11-26T07:40:00. \
    2026-11-26T07:40:00X 2026-11-26T07:40:00+ 2026-11-26T07:40:00+1 \
    2026-11-26T07:40:00+01: 2026-11-26T07:40:00+01:0 2026-11-26T07:40:00+24:00 \
    2026-11-26T07:40:00Z1 2026-11-26T07:40:00+01:000 26-11-26T07:40:00 \
    2026-13-26T07:40:00 2026-00-26T07:40:00 2026-02-29T07:40:00 \
    2026-11-31T07:40:00 2026-11-00T07:40:00 2026-11-26T24:00:00 \
    2026-11-26T07:60:00 2026-11-26T07:40:60 1969-11-26T07:40:00 \
    2262-11-26T07:40:00 ' 2026-11-26T07:40:00' '2026-11-26  07:40' 07:40:00 \
    -2026-11-26T07:40:00; do
  run eventring events --from="$time" day.eventring
  ok "events: '$time' is refused in one line" refused 2 "is not a time such as"
  run eventring cut --to="$time" day.evr -o none.evr
  ok "cut: '$time' is refused in one line" refused 2 "is not a time such as"
done
run eventring events --clock=day day.eventring
ok "a clock that there is not" refused 2 \
  "events: unknown clock 'day' (clocks: trace, wall)"
for option in --raw --count; do
  run eventring events --clock=wall $option day.eventring
  ok "--clock=wall and $option exclude each other" \
    refused 2 "--clock=wall and $option exclude each other"
done

# A file without the time of day.
for options in "events --clock=wall" "events --from=2026-11-26T07:40:00" \
    "profile --to=2026-11-26T07:40:00"; do
  run eventring $options unknown.eventring
  ok "$options: the file has none" refused 2 \
    "unknown.eventring does not have the time of day"
done
run eventring cut --from=2026-11-26T07:40:00 unknown.evr -o none.evr
ok "cut --from: the file has none" refused 2 \
  "unknown.evr does not have the time of day"
ok "no recording was made" [ ! -e none.evr ]
finish
