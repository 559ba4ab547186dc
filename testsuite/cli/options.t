#!/bin/sh
# Options mean the same in every command: the table, the help texts, the manual,
# the sources and the command lines in documents agree.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
tools=$EVENTRING_TOP/tools

run eventring help --options
ok "help --options prints a table of options" \
  eval "exits 0 && out_has '^-f, --follow  stat '"
ok "the table of options has three columns" \
  [ -z "$(awk -F '  +' 'NF != 3' out)" ]
cp out table
cut_forms() { sed 's/  .*//' table | grep -o -e "$1" | sort; }
once() { [ -s table ] && [ -z "$(cut_forms "$1" | uniq -d)" ]; }
ok "no letter stands for two options" once '^-[a-zA-Z],'
ok "no option name stands twice" once '--[a-z-]*'
ok "--force and --json have no letter" \
  [ "$(grep -c -e '^--force ' -e '^--json ' table)" = 2 ]

# of COMMAND: its options by the table
of() { awk -F '  +' -v c="$1" '{
  n = split($2, names, " ")
  for (i = 1; i <= n; i++) if (names[i] == c) print $1 }' table | sort; }
commands=$(eventring --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' |
  grep -v '^help$')
for command in $commands; do
  eventring $command --help >help
  sed -n 's/^ *\(-.*\)/\1/p' help | sed 's/  .*//' | sort >shown
  of "$command" >listed
  ok "$command: --help has the options of the table" cmp shown listed
  ok "$command has the option --help" grep -q '^-h, --help$' listed
done

# Each command handles every option that it lists.
only_table() { ! grep -rn 'getopt_long\|struct option ' "$tools" |
  grep -v '/options\.c:'; }
ok "no command parses options by itself" only_table
handled() {
  for id in $(grep -o 'OPTION_[A-Z_]*,' "$1" | tr -d , | sort -u); do
    [ "$id" = OPTION_HELP ] || grep -q "case $id:" "$1" ||
      { grep -q 'filter_option(' "$1" &&
        grep -q "case $id:" "$tools/filter_options.c"; } ||
      { echo "$1 lists $id and ignores it"; return 1; }
  done
}
for file in "$tools"/commands/*.c; do
  ok "$(basename "$file"): every option that it lists does something" \
    handled "$file"
done

manual=$EVENTRING_TOP/doc/man/eventring.1
current() { "$EVENTRING_TOP/build-aux/manual-options" "$EVENTRING_BIN" \
  "$manual" | diff "$manual" - || { echo "run: make manual"; return 1; }; }
ok "the manual's list of options is current" current
ok "the manual names the options of each command, and no others" \
  python3 "$here/check_options.py" manual table "$manual"
for page in "$EVENTRING_TOP"/README.md "$EVENTRING_TOP"/HACKING.md \
  "$EVENTRING_TOP"/bench/README.md "$EVENTRING_TOP"/doc/*.md "$manual"; do
  ok "$(basename "$page"): command lines have only options that exist" \
    python3 "$here/check_options.py" lines table "$page"
done
printf 'eventring stat --now 1\n    eventring trace -q x\neventring pauses 1\n' \
  >wrong
ok "the check of command lines finds wrong ones" \
  [ "$(python3 "$here/check_options.py" lines table wrong | wc -l)" = 3 ]
finish
