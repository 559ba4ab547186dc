#!/bin/sh
# Completion in bash and zsh, by calling its functions as the shells do.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile work
start work 120 1
# A command that finds only the process started above.
cat >eventring <<END
#!/bin/sh
case "\$*" in
"ps --pids") echo $pid ;;
*) exec "$EVENTRING_BIN" "\$@" ;;
esac
END
chmod +x eventring
PATH=$tmp:$PATH
mkdir files
make_ring plain
cp plain.eventring files/
cd files || exit 1

# bash: complete WORD... leaves the proposals for the last word in $tmp/out, a
# line each; as bash does, --x=y are three words.
cat >"$tmp/complete.bash" <<'END'
. "$EVENTRING_TOP/doc/completion/eventring.bash"
[[ $(complete -p eventring) == *" _eventring "* ]] || exit 9
COMP_WORDS=( "$@" )
COMP_CWORD=$(($# - 1))
_eventring "$1" "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
END

# zsh: the builtins that take the proposals print them instead.
cat >"$tmp/complete.zsh" <<'END'
compadd() {
  local -a values; local before=$IPREFIX
  while [[ $1 == -* ]]; do
    case $1 in
    -a) values=( ${(P)2} ); shift ;;
    -X) shift ;;
    esac
    shift
  done
  print -rl -- $before${^${(M)values:#$PREFIX*}}
}
compset() {
  [[ $1 == -P ]] || return 1
  local rest=${PREFIX##${~2}}
  [[ $rest != $PREFIX ]] || return 1
  IPREFIX+=${PREFIX%$rest}; PREFIX=$rest
}
_describe() {
  local each name
  [[ $1 != -o ]] || shift
  shift
  for each in "$@"; do
    [[ $each == [a-z]* ]] || continue
    for name in ${(P)each}; do
      name=${name%%:*}
      [[ $name != $PREFIX* ]] || print -r -- $name
    done
  done
}
_files() {
  local -a found
  [[ $1 == -/ ]] && found=( $PREFIX*(N/) ) || found=( $PREFIX*(N) )
  print -rl -- $IPREFIX${^found}
}
_normal() { print -r -- "command line: $words"; }
words=( "$@" )
CURRENT=$#
PREFIX=${@[-1]} IPREFIX=
fpath=( $EVENTRING_TOP/doc/completion $fpath )
autoload -U _eventring
_eventring
END

complete() { "$shell" "$tmp/complete.$shell" "$@" >"$tmp/out" 2>"$tmp/err"; }
proposes() {
  printf '%s\n' "$@" | LC_ALL=C sort | grep -v '^$' >"$tmp/wanted"
  LC_ALL=C sort "$tmp/out" | grep -v '^$' | diff "$tmp/wanted" - &&
    ! [ -s "$tmp/err" ]
}
commands() { eventring --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'; }
options() { eventring "$1" --help | grep -o '^ *-.*' | sed 's/^ *//; s/  .*//' |
  grep -o -e '--[a-z-]*=\{0,1\}'; }

# Tests the options of these commands ($1), and all other completions.
test_shell() {
  complete eventring ''
  ok "$shell: all commands are proposed" eval 'proposes $(commands)'
  complete eventring pau
  ok "$shell: commands with this beginning are proposed" proposes pause
  complete eventring help dis
  ok "$shell: commands are proposed behind help" proposes disable
  for command in $1; do
    complete eventring $command --
    ok "$shell: all options of $command are proposed" \
      eval "proposes \$(options $command)"
  done
  complete eventring ps --pr
  ok "$shell: options with this beginning are proposed" proposes --prune
  complete eventring pause ''
  ok "$shell: processes and files are proposed as targets" \
    proposes "$pid" plain.eventring
  complete eventring attach "$pid"
  ok "$shell: all processes are proposed to attach to" eval \
    "grep -qx '$pid' '$tmp/out'"
  complete eventring events pl
  ok "$shell: files with this beginning are proposed" proposes plain.eventring
  complete eventring compare ""
  ok "$shell: compare has files, not processes" proposes plain.eventring
  complete eventring timeline ""
  ok "$shell: timeline has files, not processes" proposes plain.eventring
  complete eventring enable "$pid" gc
  ok "$shell: categories are proposed behind the target" proposes gc gc_detail
  complete eventring disable --quiet "$pid" gc,sy
  ok "$shell: categories are proposed behind a comma" \
    proposes gc,sync gc,sync_detail
  complete eventring disable -d "$tmp/files" "$pid" sync_
  ok "$shell: categories are proposed behind options with values" \
    proposes sync_detail
  complete eventring disable --all al
  ok "$shell: categories are proposed behind --all" proposes all alloc
  complete eventring run -- cat pl
  ok "$shell: files are proposed for another program's command line" eval \
    "[ -s '$tmp/out' ] && ! grep -q '^[0-9]*\$' '$tmp/out'"
  complete eventring nothing --
  ok "$shell: an unknown command has no options" proposes ''
  complete eventring ps ''
  ok "$shell: ps has no target" proposes ''
}

shell=bash
test_shell "$(commands | grep -v help)"
complete eventring events --categories = wa
ok "bash: categories are proposed behind --categories=" proposes wait
complete eventring events --categories = wait,thr
ok "bash: categories are proposed behind a comma in --categories=" \
  proposes wait,thread
cd ..
complete eventring events --dir = fil
ok "bash: directories are proposed behind --dir=" proposes files
complete eventring events -d fil
ok "bash: directories are proposed behind -d" proposes files
complete eventring events --dir fil
ok "bash: directories are proposed behind --dir and a space" proposes files
cd files || exit 1
complete eventring events --name = pl
ok "bash: nothing is proposed behind --name=" proposes ''

shell=zsh
if command -v zsh >/dev/null; then
  test_shell "ps events"
  complete eventring events --categories=wa
  ok "zsh: categories are proposed behind --categories=" \
    proposes --categories=wait
  complete eventring events --categories=wait,thr
  ok "zsh: categories are proposed behind a comma in --categories=" \
    proposes --categories=wait,thread
  cd ..
  complete eventring events --dir=fil
  ok "zsh: directories are proposed behind --dir=" proposes --dir=files
  complete eventring events -d fil
  ok "zsh: directories are proposed behind -d" proposes files
  complete eventring events --dir fil
  ok "zsh: directories are proposed behind --dir and a space" proposes files
  cd files || exit 1
  complete eventring events --name=pl
  ok "zsh: nothing is proposed behind --name=" proposes ''
else
  skip "zsh: completion" "zsh is not installed"
fi
finish
