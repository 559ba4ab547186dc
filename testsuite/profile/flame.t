#!/bin/sh
# The flame graph: one page, drawn by a browser, with the totals of the profile;
# zoom, search, inverted, differences; hostile names.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
compile_program
stack_leaf="$(at leaf)$(after middle leaf)$(after main middle)"
stack_other="$(at other)$(after main other)"
{
  mapping program
  echo "program </script><b>x</b><script>document.title=1</script>"
  echo "mapping 1000 1000 0 - /<b>x<script>document.title=1"
  echo "sample 30000000 0 0 $stack_leaf"
  echo "sample 10000000 0 0 $stack_other"
  echo "sample 60000000 0 0 1234"
} | ./make_profile samples.eventring || exit 1
{
  mapping program
  echo "sample 1000000 0 0 $stack_leaf"
} | ./make_profile base.eventring || exit 1

run eventring profile --flame=page.html samples.eventring
ok "nothing is printed" eval 'exits 0 && [ ! -s out ]'
ok "the page names no other file and no server" eval \
  '! grep -q -e "://" -e "src=" -e "href=" -e "@import" page.html'
ok "a name cannot end the element with the data" \
  [ "$(grep -o '</script>' page.html | wc -l)" = 2 ]
run eventring profile --flame=- samples.eventring
ok "- is standard output" cmp out page.html
run eventring profile --flame=diff.html --diff=base.eventring samples.eventring
ok "with a base" exits 0

# draw FILE SCRIPT: the page as the browser has drawn it and SCRIPT has used it,
# a line for each box: its place, width and title.
draw() {
  sed '/<\/body>/d; /<\/html>/d' "$1" >used.html
  cat >>used.html <<END
<script>
$2
// Lines that are appended may bring a scroll bar.
const all = document.getElementById("graph").clientWidth;
for (const b of document.querySelectorAll("#graph button")) {
  const line = document.createElement("pre");
  line.textContent = "box " + parseInt(b.style.top) / 18 + " "
    + Math.round(100 * (parseFloat(b.style.width) + 1) / all) + "% "
    + b.className + "| " + b.title;
  document.body.append(line);
}
const found = document.createElement("pre");
found.textContent = "found " + document.getElementById("found").textContent;
document.body.append(found);
</script></body></html>
END
  timeout 60 chromium --headless --no-sandbox --disable-gpu \
    --user-data-dir="$tmp/browser" --dump-dom "file://$tmp/used.html" \
    >dom 2>browser.log
  sed 's,</pre>,\n,g; s,<pre>,\n,g' dom | grep '^box \|^found ' >out
}
if ! command -v chromium >/dev/null; then
  skip "drawn by a browser" "no chromium"
  finish
fi

draw page.html ""
cat >want <<'END'
box 0 100% | all: 100 ms, 100.00%; self 0 ns
END
ok "the root has all" eval 'head -1 out | diff want -'
cat >want <<'END'
box 1 40% | main: 40.0 ms, 40.00%; self 0 ns
box 2 10% | other: 10.0 ms, 10.00%; self 10.0 ms
box 2 30% | middle: 30.0 ms, 30.00%; self 0 ns
box 3 30% | inlined: 30.0 ms, 30.00%; self 0 ns
box 4 30% | leaf: 30.0 ms, 30.00%; self 30.0 ms
END
without_root() { sed '1d; /^found/d; /^box 1 60%/d' out | sort; }
ok "boxes with widths by total time" eval 'without_root | diff want -'
ok "hostile names are text" eval \
  '[ "$(grep -v "^{" dom | grep -c "<b>")" = 0 ] &&
   grep -q "<title>process 4242424 &lt;/script&gt;&lt;b&gt;x" dom'

draw page.html 'document.getElementById("search").value = "leaf";
document.getElementById("search").oninput();'
ok "search: the share that was found" out_has '^found 30.00% found$'
ok "search: the box is marked" out_has '^box 4 30% match| leaf'
draw page.html 'document.getElementById("search").value = "/^(o|l)[te]/";
document.getElementById("search").oninput();'
ok "search by a regular expression" out_has '^found 40.00% found$'

draw page.html '[...document.querySelectorAll("#graph button")]
  .find(b => b.textContent === "main").click();'
ok "zoom: the box has all of the width, its callers above" eval '
  out_has "^box 0 100% above| all" && out_has "^box 1 100% | main" &&
  out_has "^box 2 75% | middle"'
draw page.html '[...document.querySelectorAll("#graph button")]
  .find(b => b.textContent === "main").click();
document.getElementById("reset").click();'
ok "show all: as before" eval 'without_root | diff want -'

draw page.html 'document.getElementById("inverted").click();'
ok "inverted: functions first, then callers" eval '
  out_has "^box 1 30% | leaf: 30.0 ms, 30.00%; self 30.0 ms" &&
  out_has "^box 2 30% | inlined" && out_has "^box 4 30% | main"'

draw diff.html ""
ok "differences to the base, in points" eval '
  out_has "leaf: 30.0 ms, 30.00%; self 30.0 ms; base 1.00 ms, -70.00 points" &&
  out_has "other: .*; base 0 ns, +10.00 points"'
finish
