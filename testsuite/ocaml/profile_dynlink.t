#!/bin/sh
# Samples while code is loaded, and of the debug runtime: a crash, a stack that
# ends too early, functions of plugins that a profile does not name.
# Only in make check-long: it samples at random moments for seconds, and counts.
. "$(dirname "$0")/programs.sh"
ocaml_flags=-g
compile_to profile_dynlink.opt ocamlopt unix threads dynlink \
  profile_plugins.ml profile_dynlink.ml || give_up profile_dynlink.opt
compile_to debug.opt ocamlopt -runtime-variant d unix threads \
  profile_stress.ml || give_up debug.opt
gcc -O2 -shared -fPIC -o rate.so "$here/profile_rate.c" || give_up rate.so

# Plugins of so many calls that the table of frames has to grow several times
plugins=
for i in 1 2 3 4 5 6 7 8; do
  perl -e '
    my $i = shift;
    print "let[\@inline never] spin n = let s = ref 0 in
      for i = 1 to n do s := !s + i * i mod 7 done; !s\n";
    print "let[\@inline never] rec down n m =
      if n = 0 then spin m else 1 + down (n - 1) m\n";
    for (1 .. 10) { print "let g$_ x =\n",
      "  ignore (Sys.opaque_identity spin x);\n" x (50 * $i), "  x\n" }
    print "let () = Profile_plugins.register (down 20)\n"' $i >plugin$i.ml
  "$ocaml/bin/ocamlopt" -g -shared -o plugin$i.cmxs plugin$i.ml \
    >build.log 2>&1 || give_up plugin$i.cmxs
  plugins="$plugins $tmp/plugin$i.cmxs"
done

# sampled PERIOD PROGRAM ARG...: runs it with a signal each PERIOD ns
sampled() {
  fresh
  period=$1
  shift
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 \
    OCAML_EVENTRING_PROFILE=20000 OCAML_EVENTRING_PROFILE_PERF=0 \
    LD_PRELOAD="$tmp/rate.so" PERIOD=$period OCAMLRUNPARAM=e=21 timeout 40 "$@"
  cp "$tmp/out" out
}
# complete: there are samples, and 99.9 % are complete or have as many frames as a
# sample holds
complete() {
  eventring events --raw --name=cpu_sample ./*.eventring 2>/dev/null |
    awk -F'\t' '{ print $9 }' | awk '
      { n++; if ($2 + 0 > 1) { bad++; at[$4]++ } }
      END { print n " samples, " bad + 0 " end too early"
            for (a in at) if (at[a] > 9) print at[a], a
            exit !(n > 0 && bad * 1000 <= n) }'
}
ended() { [ "$status" = 0 ] && [ "$(tail -n 1 out)" = "$1" ]; }

# shellcheck disable=SC2086
sampled 1000000 "$tmp/profile_dynlink.opt" \
  "${EVENTRING_PROFILE_SECONDS:-4}" $plugins
ok "a program that loads code is not disturbed by samples" ended 'end 8'
ok "99.9 % of its stacks are complete" complete
eventring profile --folded ./*.eventring >stacks
ok "functions of the first plugin are named" grep -q 'Plugin1\.spin' stacks
ok "and of the last" grep -q 'Plugin8\.spin' stacks

sampled 100000 "$tmp/debug.opt" "${EVENTRING_PROFILE_SECONDS:-4}" all
ok "the debug runtime is not disturbed by samples" ended end
ok "99.9 % of its stacks are complete" complete
sampled 100000 "$tmp/debug.opt" "${EVENTRING_PROFILE_SECONDS:-4}" effects
ok "nor are effects in it" ended end
finish
