#!/bin/sh
# Only in make check-long: it runs the machine's ssh and sshd.
# eventring batch --on=ssh:... through a real ssh, which starts an sshd without a port.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
sshd=$(PATH=$PATH:/usr/sbin command -v sshd) && command -v ssh >/dev/null || {
  skip "a batch over ssh" "there is no ssh or no sshd"
  finish
}
compile batch
export TMPDIR="$tmp/tmp"
mkdir tmp bin
# The folder is made when a machine starts.
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
for key in host client; do ssh-keygen -q -t ed25519 -N '' -f $key; done
cp client.pub authorized
echo "there,too $(cut -d ' ' -f 1,2 host.pub)" >known
cat >sshd_config <<END
HostKey $tmp/host
AuthorizedKeysFile $tmp/authorized
AuthenticationMethods publickey
UsePAM no
StrictModes no
PermitRootLogin yes
END
cat >ssh_config <<END
Host there too
  ProxyCommand $sshd -i -f $tmp/sshd_config -E $tmp/log
Host unreachable
  HostName 127.0.0.1
  Port 1
Host *
  User $(id -un)
  IdentityFile $tmp/client
  IdentitiesOnly yes
  UserKnownHostsFile $tmp/known
END
printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$tmp/ssh_config" >bin/ssh
chmod +x bin/ssh
PATH=$tmp/bin:$PATH
ssh there true 2>err || {
  skip "a batch over ssh" "this sshd lets nobody in: $(tail -1 err)"
  finish
}
numbers() { jq -r .run.number "$1"/[0-9]*.json | tr '\n' ' '; }
parts() { ls /tmp | grep '^eventring-part-'; }
parts >before

odd="it's \"\$(touch touched)\" \`touch touched\` \\ \\' ! é #"
mkdir "$odd"
cat >words.sh <<'END'
#!/bin/sh
printf '<%s>' "$PWD" "$@" >"$1"
END
chmod +x words.sh
cd "$odd" || exit 1
run eventring batch -q --on ssh:there,too --runs 4 -o "$tmp/two" -- \
  ../batch 100000 -- ../words.sh "$tmp/said" "$odd"
cd "$tmp" || exit 1
ok "a batch over ssh makes all runs, on both hosts" eval 'exits 0 &&
  [ "$(numbers two)" = "$(seq -s " " 8) " ] &&
  [ "$(jq -r .run.node two/[0-9]*.json | sort | uniq -c | tr -s " \n" " ")" = \
    " 4 there 4 too " ]'
printf '<%s>' "$tmp/$odd" "$tmp/said" "$odd" >expected
ok "folders and arguments get through the shell as they are" eval \
  'cmp said expected && [ -z "$(find . -name touched)" ]'
run eventring check two/*[0-9].json
ok "runs come with their recordings, as they were written" eval \
  'exits 0 && [ "$(ls two/*.evr | wc -l)" = 4 ]'
run eventring batch -q --on ssh:there,unreachable --runs 4 -o down -- true
ok "a host that is not reached: what ssh says, and how to go on, with its name" eval \
  'exits 3 && [ "$(numbers down)" = "1 3 " ] && [ "$(wc -l <"$tmp/err")" = 2 ] &&
   err_has "node unreachable: ssh: connect to host" &&
   err_has "node unreachable: it ended too early: exit code 255; eventring batch --cont"'
cat >kills.sh <<'END'
#!/bin/sh
# The third time, it kills the batch.  A file has the id of its process.
echo >>begun
[ "$(wc -l <begun)" != 3 ] || kill -KILL "$(cat batch.pid)"
sleep 0.1
END
chmod +x kills.sh
sh -c 'echo $$ >batch.pid; exec "$@"' sh "$EVENTRING_BIN" batch -q --on ssh:there \
  --runs 9 --warm-up 0 -o killed -- ./kills.sh
status=$?
ok "a batch over ssh is killed" exits 137
run eventring batch -q --continue=killed
ok "it goes on, and no run is lost or repeated" eval \
  'exits 0 && [ "$(numbers killed)" = "$(seq -s " " 9) " ]'
clean() { parts | cmp - before && [ -z "$(find tmp -mindepth 1)" ]; }
ok "nothing stays on the hosts" within 60 clean
finish
