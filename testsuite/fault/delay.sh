# Read by tests that delay a thread of the program $slow with delay.c, after
# programs.sh.

${CC:-cc} -O2 -fPIC -shared -Wall -Wextra -o "$tmp/delay.so" \
  "$EVENTRING_TOP/testsuite/fault/delay.c" -ldl >"$tmp/build.log" 2>&1 ||
  give_up delay.so

# rule FUNCTION SYMBOL MS [TIMES]: a delay after each call of FUNCTION from SYMBOL
rule() {
  nm -S "$tmp/$slow" | awk -v f="$1" -v s="$2" -v d="$3${4:+/$4}" '
    function number(hex,  i, n) {
      n = 0
      for (i = 1; i <= length(hex); i++)
        n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
      return n
    }
    $4 == s || index($4, s ".") == 1 {
      printf "%s@%s-%x=%s ", f, $1, number($1) + number($2), d
    }'
}
