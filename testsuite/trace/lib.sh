# Read by the tests of this folder; it reads tap.sh first.
#
#   trace FILE...        writes $tmp/out.NAME of the rings $tmp/FILE.eventring
#                        in all formats, and reads them back to $tmp/NAME.tsv
#   agrees NAME          whether format NAME has the output of eventring events
#   row NAME COLUMNS...  whether $tmp/NAME.tsv has a line that begins so
. "$(dirname "$0")/../cli/tap.sh"
cd "$tmp" || exit 1

formats="chrome perfetto ctf"
without=            # formats that cannot be read back here

program() { command -v "$1" >/dev/null; }
program protoc || without="$without perfetto"
program babeltrace2 || without="$without ctf"

trace_to() {
  format=$1
  shift
  rm -rf "out.$format"
  eventring trace --format="$format" -o "out.$format" "$@"
}

read_back() {
  case $1 in
  perfetto)
    protoc --decode=Trace --proto_path="$here" perfetto.proto <out.perfetto \
      >out.perfetto.text &&
      python3 -B "$here/read_perfetto.py" <out.perfetto.text ;;
  ctf) babeltrace2 --clock-cycles out.ctf >out.ctf.text &&
    python3 -B "$here/read_ctf.py" <out.ctf.text ;;
  *) python3 -B "$here/read_$1.py" <"out.$1" ;;
  esac >"$1.tsv"
}

readable() { case $without in *$1*) false ;; esac; }

trace() {
  rings=
  for name in "$@"; do
    [ -e "$name.eventring" ] || make_ring "$name"
    rings="$rings $name.eventring"
  done
  for format in $formats; do
    trace_to "$format" $rings 2>"$format.err"
    readable "$format" && { read_back "$format" 2>"$format.why" ||
      cat "$format.why" >"$format.tsv"; }
  done
}

# each_format NAME COMMAND...: [ok] with a test for each format
each_format() {
  what=$1
  shift
  for format in $formats; do
    if readable "$format"; then
      ok "$format: $what" "$@" "$format"
    else
      skip "$format: $what" "nothing here reads it back"
    fi
  done
}

row() {
  reader=$1
  shift
  grep -q -x -e "$(IFS='	'; echo "$*").*" "$reader.tsv" ||
    { cat "$reader.tsv"; false; }
}
