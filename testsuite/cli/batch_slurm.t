#!/bin/sh
# Only in make check-long: it starts a cluster, with a munged and three daemons of Slurm.
# eventring batch --on=slurm:... on two nodes of Slurm, which are this machine.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
PATH=$PATH:/usr/sbin
no_cluster() {
  skip "a batch by Slurm" "$1"
  finish
}
for program in munged slurmctld slurmd srun; do
  command -v $program >/dev/null || no_cluster "there is no $program"
done
[ "$(id -u)" = 0 ] || no_cluster "slurmd needs root"
compile batch
mkdir munge state
dd if=/dev/urandom of=munge/key bs=128 count=1 status=none
chmod 400 munge/key
munged --foreground --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" \
  --pid-file="$tmp/munge/pid" --log-file="$tmp/munge/log" \
  --seed-file="$tmp/munge/seed" >munge.out 2>&1 &
started="$started $!"
within 20 test -S munge/socket || no_cluster "munged does not start: $(tail -1 munge.out)"
ports=$(python3 -c 'import socket
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*[each.getsockname()[1] for each in all])')
set -- $ports
host=$(hostname -s)
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
SlurmctldPort=$1
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdPidFile=$tmp/%n.pid
SlurmdLogFile=$tmp/%n.log
SlurmdSpoolDir=$tmp/spool-%n
StateSaveLocation=$tmp/state
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/linear
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$tmp/slurm.conf"
slurmctld -D >ctld.out 2>&1 &
started="$started $!"
for node in n1 n2; do
  slurmd -D -N $node >$node.out 2>&1 &
  started="$started $!"
done
idle() { [ "$(sinfo -h -o '%T %D' 2>/dev/null)" = 'idle 2' ]; }
within 60 idle || no_cluster "the nodes are not idle: $(tail -q -n 1 ./*.log)"
numbers() { jq -r .run.number "$1"/[0-9]*.json | tr '\n' ' '; }

in_time() { timeout 300 "$EVENTRING_BIN" "$@"; }
run in_time batch -q --on='slurm:-N 2' --runs 4 -o two -- ./batch 100000 -- \
  sh -c '[ "$1" = "it'\''s" ]' sh "it's"
ok "a batch by Slurm makes all runs, on both nodes" eval 'exits 0 &&
  [ "$(numbers two)" = "$(seq -s " " 8) " ] &&
  [ "$(jq -r .run.node two/[0-9]*.json | sort | uniq -c | tr -s " \n" " ")" = \
    " 4 n1 4 n2 " ]'
run eventring check two/*[0-9].json
ok "runs come with their recordings, as they were written" eval \
  'exits 0 && [ "$(ls two/*.evr | wc -l)" = 4 ]'
run in_time batch -q --on=slurm --runs 2 -o one -- true
ok "without options, one node makes the runs" eval 'exits 0 &&
  [ "$(jq ".nodes | length" one/batch.json)" = 1 ]'
run in_time batch -q --on='slurm:--no-such-option' -o none -- true
ok "options that srun refuses are an error" eval \
  'exits 3 && err_has "no-such-option: srun cannot be run or fails" && ! [ -e none ]'
cat >kills.sh <<'END'
#!/bin/sh
# The third time, it kills the batch.  A file has the id of its process.
echo >>begun
[ "$(wc -l <begun)" != 3 ] || kill -KILL "$(cat batch.pid)"
sleep 0.1
END
chmod +x kills.sh
timeout 300 sh -c 'echo $$ >batch.pid; exec "$@"' sh "$EVENTRING_BIN" batch -q \
  --on slurm --runs 9 --warm-up 0 -o killed -- ./kills.sh
status=$?
ok "a batch by Slurm is killed" exits 137
ok "its job ends" within 60 idle
run in_time batch -q --continue=killed
ok "it goes on, and no run is lost or repeated" eval \
  'exits 0 && [ "$(numbers killed)" = "$(seq -s " " 9) " ]'
finish
