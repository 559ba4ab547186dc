#!/bin/sh
# A program that was compiled with an earlier libeventring breaks with this
# one: a function is gone, a struct has another size or a field another place,
# a constant another value.  consumer/library/libeventring.abi is the list that holds;
# after a change that the policy in eventring_reader.h allows,
# testsuite/build/abi.t --update writes it anew.
: "${EVENTRING_TOP:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${EVENTRING_BUILD:=$EVENTRING_TOP/_build}"
. "$(dirname "$0")/lib.sh"
header=$top/consumer/reader/eventring_reader.h
map=$top/consumer/library/libeventring.map
committed=$top/consumer/library/libeventring.abi

# defined NAME: prints the value of a macro of the header
defined() { sed -n "s/^#define $1 \"*\([^\"]*\)\"*\$/\1/p" "$header"; }
abi=$(defined EVENTRING_ABI)
library=$EVENTRING_BUILD/lib/libeventring.so.$abi

# Prints the functions of the header, and a C program that prints the size and
# the fields of its structs and the values of its constants.
${CC:-cc} -E -P -DEVENTRING_API=API "$header" >"$tmp/header" || exit 1
cat >"$tmp/survey.py" <<'END'
import re, sys
text = open(sys.argv[1]).read()
text = text[text.index("API "):]
if sys.argv[2] == "functions":
    print("\n".join(sorted(re.findall(r"API [^;(]*?(\w+)\(", text))))
    sys.exit()
print('#include <stddef.h>\n#include <stdio.h>\n'
      '#include "eventring_reader.h"\nint main(void) {')
for name, body in re.findall(r"struct (\w+)\s*\{(.*?)\}", text, re.S):
    print(f'printf("struct {name} size %zu\\n", sizeof(struct {name}));')
    for declaration in body.split(";")[:-1]:
        for part in declaration.split(","):
            field = re.findall(r"\w+", re.sub(r"\[.*", "", part))[-1]
            print(f'printf("struct {name} {field} at %zu size %zu\\n",'
                  f' offsetof(struct {name}, {field}),'
                  f' sizeof ((struct {name} *) 0)->{field});')
for body in re.findall(r"enum \w*\s*\{(.*?)\}", text, re.S):
    for name in re.findall(r"EVENTRING_\w+", body):
        print(f'printf("constant {name} %d\\n", (int) {name});')
print("return 0; }")
END
survey() { python3 "$tmp/survey.py" "$tmp/header" "$1"; }

survey functions >"$tmp/functions"
list() {
  sed 's/^/function /' "$tmp/functions"
  survey program >"$tmp/survey.c" &&
    ${CC:-cc} -std=gnu11 -I"$top/consumer/reader" -o "$tmp/survey" \
      "$tmp/survey.c" && "$tmp/survey"
}

list >"$tmp/list"
if [ "${1:-}" = --update ]; then
  cp "$tmp/list" "$committed"
  exit
fi

case $(getconf LONG_BIT) in
  64) ok "the ABI is the one of consumer/library/libeventring.abi" \
        diff "$committed" "$tmp/list" ;;
  *) ok "the ABI is a list of 64-bit machines # SKIP" true ;;
esac
sed -n 's/^ *\(eventring_[a-z0-9_]*\);$/\1/p' "$map" | sort >"$tmp/mapped"
ok "the list has functions, structs and constants" eval \
  'for kind in function struct constant; do
    [ $(grep -c "^$kind " "$tmp/list") -gt 9 ] || exit 1; done'
ok "the linker map has the functions of the header" \
  diff "$tmp/functions" "$tmp/mapped"
nm -D --defined-only --with-symbol-versions "$library" >"$tmp/out"
sed -n 's/^[0-9a-f]* T \(eventring_[a-z0-9_]*\)@@LIBEVENTRING_[0-9.]*$/\1/p' \
  "$tmp/out" | sort >"$tmp/exported"
ok "the shared library exports them, each with a version" \
  diff "$tmp/functions" "$tmp/exported"
ok "and nothing else" sh -c \
  "! grep -v ' T eventring_\| A LIBEVENTRING_' '$tmp/out'"
ok "the versions are those of the ABI" sh -c \
  "! grep '^LIBEVENTRING_' '$map' | grep -v '^LIBEVENTRING_$abi[ .]'"
readelf -d "$library" >"$tmp/out"
ok "the SONAME has the number of the ABI alone" \
  says "Library soname: [libeventring.so.$abi]"

version=$(defined EVENTRING_READER_VERSION)
run "$EVENTRING_BUILD/bin/eventring" --version
ok "the command has the version of the library, $version" \
  says "eventring $version"
run cat "$EVENTRING_BUILD/lib/eventring.pc"
ok "so has eventring.pc" says "Version: $version"
run "$top/configure" --version
ok "so has configure" says "Eventring configure $version"

# same_numbers COUNT: each line "OCAML C" of the input names the same number in
# eventring.ml and in C, and there are COUNT lines or more.
same_numbers() {
  bad=0
  {
    echo '#include <stdio.h>'
    echo '#include "caml/eventring_format.h"'
    echo '#include "eventring_reader.h"'
    echo '#define BIT(n) ((uint64_t) 1 << (n))'
    echo 'int main(void) {'
    while read -r ocaml c; do
      printf 'printf("%s %%llu\\n", (unsigned long long) (%s));\n' \
        "$ocaml" "$c"
    done
    echo 'return 0; }'
  } >"$tmp/numbers.c"
  ${CC:-cc} -std=gnu11 -I"$top/consumer/reader" -I"$top/runtime" -o "$tmp/numbers" \
    "$tmp/numbers.c" || return 1
  "$tmp/numbers" >"$tmp/in c"
  while read -r number value; do
    in_ocaml=$(sed -n "s/^ *let $number = //p; s/^ *| $number -> \([0-9]*\)\$/\1/p" \
      "$top/stdlib/eventring.ml" | sed 's/ *(\*.*//')
    [ -n "$in_ocaml" ] || { echo "no $number in eventring.ml"; bad=1; continue; }
    in_ocaml=$(echo "$in_ocaml" |
      sed 's/^\([0-9]*\) lsl \([0-9]*\)$/$((\1 << \2))/')
    [ "$(eval "echo $in_ocaml")" = "$value" ] ||
      { echo "$number is $in_ocaml in eventring.ml and $value in C"; bad=1; }
  done <"$tmp/in c"
  [ "$(wc -l <"$tmp/in c")" -ge "$1" ] || { echo "too few"; bad=1; }
  return $bad
}
{
  for form in end counter instant; do
    echo "form_$form EVENTRING_WORD(0,EVENTRING_FORM_$(echo $form |
      tr a-z A-Z),0)"
  done
  echo 'one_word EVENTRING_WORD(0,0,1)'
  for kind in span counter instant flow complete request; do
    echo "kind_$kind EVENTRING_KIND_$(echo $kind | tr a-z A-Z)"
  done
  for payload in none int bytes text; do
    echo "payload_$payload EVENTRING_PAYLOAD_$(echo $payload | tr a-z A-Z)"
  done
  echo 'event_size sizeof(struct eventring_event)'
  for field in ns words ring domain thread id form thread_id; do
    echo "at_$field __builtin_offsetof(struct eventring_event,$field)"
  done
  sed -n 's/^CATEGORY(\([A-Z_]*\), *\([0-9]*\),.*/\1 \2/p' \
    "$top/runtime/caml/eventring_events.tbl" | while read -r name bit; do
    echo "$(echo "$name" | cut -c1)$(echo "$name" | cut -c2- | tr A-Z a-z)" \
      "BIT($bit)"
  done
} >"$tmp/numbers"
ok "the numbers of eventring.ml are those of the C headers" eval \
  'same_numbers 30 <"$tmp/numbers"'
finish
