# Read by tests of readers that were made for stock OCaml, after they have built
# switch: a process that waits.

OLD=OCAML_RUNTIME_EVENTS

# waiting: $pid is a traced process in this folder, until [over]
waiting() {
  fresh
  mkfifo to from
  env ${OLD}_START=1 "$tmp/switch.$mode" wait <to >from &
  started="$started $!"
  exec 9>to 8<from
  read -r pid <&8
  echo >&9
  read -r _ <&8
}
# Waits too: a zombie counts as alive.
over() { exec 9>&- 8<&-; wait "$pid"; }
