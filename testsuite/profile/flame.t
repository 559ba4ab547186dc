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
# But for name spaces and licences.
names() {
  sed '/^\/\*! preact$/,/^<\/script>/d' page.html | grep -o '[a-z]*://[^"` ]*' |
    grep -v '^http://www.w3.org/'
}
ok "the page names no other file and no server" eval \
  '! names && ! grep -q -e " src=" -e " href=" -e "@import" page.html'
ok "and the browser would load none" \
  grep -q "Content-Security-Policy.*default-src 'none'" page.html
ok "a name cannot end the element with the data" \
  [ "$(grep -o '</script>' page.html | wc -l)" = 2 ]
run eventring profile --flame=- samples.eventring
ok "- is standard output" cmp out page.html
run eventring profile --flame=diff.html --diff=base.eventring samples.eventring
ok "with a base" exits 0
mapping program | ./make_profile none.eventring || exit 1
run eventring profile --flame=none.html --diff=none.eventring samples.eventring
ok "with a base without samples" exits 0

# draw FILE SCRIPT: the page as the browser has drawn it and SCRIPT has used it,
# a line for each box: its place, width and title.
draw() {
  sed '/<\/body>/d; /<\/html>/d' "$1" >used.html
  cat >>used.html <<END
<script>
const type = (text) => {
  const field = document.querySelector("[type=search]");
  field.value = text;
  field.dispatchEvent(new Event("input"));
};
const press = (text) => [...document.querySelectorAll("button")]
  .find(b => b.textContent.trim() === text).click();
$2
</script>
<script>
const tell = (text) => {
  const line = document.createElement("pre");
  line.textContent = text;
  document.body.append(line);
};
for (const { style, className, title } of document.querySelectorAll(".flame button"))
  tell("box " + parseInt(style.top) / 18 + " "
    + Math.round(/([0-9.]+)%/.exec(style.width)[1]) + "% " + className + "| " + title);
tell("found " + document.querySelector(".found").textContent);
</script></body></html>
END
  timeout 60 "$CHROMIUM" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$tmp/browser" --dump-dom "file://$tmp/used.html" \
    >dom 2>browser.log
  sed 's,</pre>,\n,g; s,<pre>,\n,g' dom | grep '^box \|^found ' >out
}
. "$EVENTRING_TOP/testsuite/web/chromium.sh"
if ! command -v "$CHROMIUM" >/dev/null; then
  skip "drawn by a browser" "no chromium"
  finish
fi

draw page.html ""
cat >want <<'END'
box 0 100% | all: 100 ms, 100 %; self 0 s
END
ok "the root has all" eval 'head -1 out | diff want -'
cat >want <<'END'
box 1 40% | main: 40.0 ms, 40.0 %; self 0 s
box 2 10% | other: 10.0 ms, 10.0 %; self 10.0 ms
box 2 30% | middle: 30.0 ms, 30.0 %; self 0 s
box 3 30% | inlined: 30.0 ms, 30.0 %; self 0 s
box 4 30% | leaf: 30.0 ms, 30.0 %; self 30.0 ms
END
without_root() { sed '1d; /^found/d; /^box 1 60%/d' out | sort; }
ok "boxes with widths by total time" eval 'without_root | diff want -'
ok "hostile names are text" eval \
  '[ "$(grep -v "^{" dom | grep -c "<b>")" = 0 ] &&
   grep -q "<title>process 4242424 &lt;/script&gt;&lt;b&gt;x" dom'

draw page.html 'type("leaf");'
ok "search: the share that was found" out_has '^found 30.0 % found$'
ok "search: the box is marked" out_has '^box 4 30% match| leaf'
draw page.html 'type("/^(o|l)[te]/");'
ok "search by a regular expression" out_has '^found 40.0 % found$'
draw page.html 'type("all");'
ok "the root is no function" out_has '^found 0 % found$'
draw page.html 'type("/(/");'
ok "search: a wrong regular expression" out_has '^found not a regular expression$'

draw page.html 'press("main");'
ok "zoom: the box has all of the width, its callers above" eval '
  out_has "^box 0 100% above| all" && out_has "^box 1 100% | main" &&
  out_has "^box 2 75% | middle"'
draw page.html 'press("main"); queueMicrotask(() => press("Whole graph"));'
ok "the whole graph again" eval 'without_root | diff want -'

draw page.html 'document.querySelector("[name=inverted]").click();'
ok "inverted: functions first, then callers" eval '
  out_has "^box 1 30% | leaf: 30.0 ms, 30.0 %; self 30.0 ms" &&
  out_has "^box 2 30% | inlined" && out_has "^box 4 30% | main"'

draw none.html ""
ok "no samples in the base: all is more" out_has \
  'leaf: 30.0 ms, 30.0 %; self 30.0 ms; base 0 s, 0 %, +30.00 points'
draw diff.html ""
ok "differences to the base, in points" eval '
  out_has "leaf: 30.0 ms, 30.0 %; self 30.0 ms; base 1.00 ms, 100 %, −70.00 points" &&
  out_has "other: .*; base 0 s, 0 %, +10.00 points"'
finish
