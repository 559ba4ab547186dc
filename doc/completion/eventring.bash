# Completion of the command eventring for bash.
#
# Nothing of it is written here twice: commands and options are read from
# `eventring help`, processes and categories are asked for when they are wanted.
# A word in capitals behind an option (--dir=DIR) says what its value is.

# What stands before the descriptions of options: "-d, --dir=DIR", a line each.
_eventring_options() {
  "$1" help "$2" 2>/dev/null | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/  .*//'
}

# Of such lines, --NAME=VALUE of the option $2, if it takes a value.
_eventring_value() {
  grep -e "^$2[,=]" -e ", $2=" <<<"$1" | grep -o -e '--[a-z-]*=[A-Z]*'
}

_eventring_commands() {
  "$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'
}

# Of the target on the line or, when there is none, of any process.
_eventring_categories() {
  local target=$2
  [[ -n $target ]] || target=$("$1" ps --pids 2>/dev/null | head -n 1)
  [[ -z $target ]] || "$1" categories --names "$target" 2>/dev/null
}

# Adds the words of $1 that continue $2, which may be a list with commas.
_eventring_list() {
  local before=
  [[ $2 != *,* ]] || before=${2%,*},
  COMPREPLY+=( $(compgen -P "$before" -W "$1" -- "${2##*,}") )
}

_eventring_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY+=( $(compgen "$@") )
}

_eventring_targets() {
  COMPREPLY=( $(compgen -W "$("$1" ps --pids 2>/dev/null)" -- "$2") )
  _eventring_files -f -- "$2"
}

_eventring() {
  local program=$1 word=$2 command=${COMP_WORDS[1]} options value
  local option= target= i
  local -a plain=()
  COMPREPLY=()

  if [[ $COMP_CWORD -le 1 ]]; then
    COMPREPLY=( $(compgen -W "$(_eventring_commands "$program")" -- "$word") )
    return
  fi
  options=$(_eventring_options "$program" "$command")

  # Bash makes words of "--dir=x" in three: option, =, value.
  [[ $word != = ]] || word=
  for ((i = 2; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    --)
      # Behind it stands another program's command line.
      if [[ $i -eq $((COMP_CWORD - 1)) ]]; then
        _eventring_files -c -- "$word"
      else
        _eventring_files -f -- "$word"
      fi
      return ;;
    -*)
      value=$(_eventring_value "$options" "${COMP_WORDS[i]}")
      if [[ -n $value ]]; then
        [[ ${COMP_WORDS[i+1]} != = ]] || i=$((i + 1))
        i=$((i + 1))
        [[ $i -lt $COMP_CWORD ]] || option=$value
      fi ;;
    *) plain+=( "${COMP_WORDS[i]}" ) ;;
    esac
  done
  target=${plain[0]}

  if [[ -n $option ]]; then
    case $option in
    --categories=*)
      _eventring_list "$(_eventring_categories "$program" "$target")" \
        "$word" ;;
    *=DIR) _eventring_files -d -- "$word" ;;
    *=FILE | *=OUT) _eventring_files -f -- "$word" ;;
    esac
    return
  fi
  if [[ $word == -* ]]; then
    COMPREPLY=( $(compgen -W "$(grep -o -e '--[a-z-]*=\{0,1\}' \
                                  <<<"$options")" -- "$word") )
    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    return
  fi

  case $command in
  help)
    COMPREPLY=( $(compgen -W "$(_eventring_commands "$program")" \
                    -- "$word") ) ;;
  enable | disable)
    if [[ -n $target || " ${COMP_WORDS[*]} " =~ \ (--all|-a)\  ]]; then
      _eventring_list "$(_eventring_categories "$program" "$target") all" \
        "$word"
      compopt -o nospace 2>/dev/null
    else
      _eventring_targets "$program" "$word"
    fi ;;
  ps | list) ;;
  attach | detach)
    COMPREPLY=( $(compgen -W "$(cd /proc && printf '%s\n' [0-9]*)" \
                    -- "$word") ) ;;
  cat | cut | merge | compare | timeline) _eventring_files -f -- "$word" ;;
  *) _eventring_targets "$program" "$word" ;;
  esac
}

complete -F _eventring eventring
