#!/bin/sh
# Commands without a target take the only traced process.  Other traced processes
# may run on the machine, so the test names a directory of ring files.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
mkdir empty

reading="stat get latency metrics diagnose events check categories"
writing="dump trace record"
for command in $reading; do
  run eventring $command --dir empty
  ok "$command without a traced process is refused" \
    refused 2 'no traced process was found'
done
for command in $writing; do
  run eventring $command --dir empty -o out.json
  ok "$command without a traced process is refused" \
    refused 2 'no traced process was found'
done

start work 120 1
first=$pid
cp "$ring" rings/4242424.eventring
for command in $reading; do
  run eventring $command --dir rings
  ok "$command takes the only traced process" eval "exits 0 && [ -s out ]"
done
run eventring stat --dir rings
ok "stat prints the process that it takes" \
  out_has "^process $first $tmp/work (running)"
run eventring categories --dir rings
ok "categories prints the process that it takes" \
  out_has "^$first $tmp/work: recording"
run eventring dump --dir rings -o dump.evr
ok "dump takes the only traced process" eval "exits 0 && [ -s dump.evr ]"
run eventring record --dir rings --for 100ms -o record.evr
ok "record takes the only traced process" eval "exits 0 && [ -s record.evr ]"
run eventring trace --dir rings -o trace.json
ok "trace takes the only traced process" eval "exits 0 && [ -s trace.json ]"
for command in pause resume; do
  run eventring $command --dir rings
  ok "$command does not take a process that was not named" \
    refused 2 'missing process or file'
done

start work 120 1
second=$pid
lists_both() {
  exits 2 && ! [ -s out ] && err_has 'there are 2 traced processes' &&
    err_has "^ *$first  $tmp/work\$" && err_has "^ *$second  $tmp/work\$" &&
    ! err_has 4242424
}
for command in $reading; do
  run eventring $command --dir rings
  ok "$command with two traced processes lists them" lists_both
done
for command in $writing; do
  rm -f out.json
  run eventring $command --dir rings -o out.json
  ok "$command with two traced processes lists them and writes no file" eval \
    "lists_both && ! [ -e out.json ]"
done
run eventring stat --dir rings "$second"
ok "a process that is named is taken" out_has "^process $second "
finish
