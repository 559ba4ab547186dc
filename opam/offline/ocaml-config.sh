#!/bin/sh
# Writes ocaml.config: the variables of opam's package ocaml, such as
# %{ocaml:native}%, of the OCaml in PATH; $1 is the prefix of the switch.
set -e
where=$(ocamlc -where)
preinstalled=true
case $where in "$1"/*) preinstalled=false ;; esac
has() { if "$@"; then echo true; else echo false; fi; }
program() { command -v "$1" >/dev/null; }
cat >ocaml.config <<END
opam-version: "2.0"
variables {
  native: $(has program ocamlopt)
  native-tools: $(has program ocamlc.opt)
  native-dynlink: $(has test -e "$where/dynlink/dynlink.cmxa")
  stubsdir: "$(paste -s -d : "$where/ld.conf")"
  preinstalled: $preinstalled
  compiler: "$(ocamlc -version)"
}
END
