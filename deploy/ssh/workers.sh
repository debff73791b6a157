#!/usr/bin/env bash
# Workers on machines that ssh reaches, one each. On each of them the folder CHUNKWISE_FOLDER has chunkwise, bullmq and ioredis
# installed.
#   workers.sh start hosts.txt     starts them (a host a line; # begins a comment)
#   workers.sh stop hosts.txt      tells them to go: they finish what they can, and hand back the rest
#   workers.sh status hosts.txt    says which are there
# Of the environment: CHUNKWISE_REDIS_URL, CHUNKWISE_REDIS_PASSWORD, CHUNKWISE_STORE, CHUNKWISE_FOLDER (~/chunkwise),
# CHUNKWISE_ALLOW_STORES, CHUNKWISE_ALLOW_MODULES, CHUNKWISE_THREADS, CHUNKWISE_ALLOWED_MEM.
set -euo pipefail
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# = 2 ] && [ -r "$2" ] || usage
mapfile -t hosts < <(sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$2")
folder="${CHUNKWISE_FOLDER:-chunkwise}"
# On the other side: one line of settings a line, so that nothing of them stands on a command line there.
settings() {
  local name
  for name in REDIS_URL REDIS_USERNAME REDIS_PASSWORD QUEUE STORE ALLOW_STORES ALLOW_MODULES THREADS ALLOWED_MEM; do
    local variable="CHUNKWISE_$name"
    [ -z "${!variable:-}" ] || printf '%s=%s\n' "$variable" "${!variable}"
  done
  echo end
}

there() { # what a host is to do, with the folder as its first argument
  case $1 in
    start) cat <<'REMOTE'
set -eu
cd "$1"
while IFS= read -r line && [ "$line" != end ]; do export "$line"; done
if [ -f worker.pid ] && kill -0 "$(cat worker.pid)" 2>/dev/null; then echo "runs already"; exit; fi
nohup ${2:-npx chunkwise} worker --grace 60 </dev/null >worker.log 2>&1 &
echo $! >worker.pid
sleep 1
kill -0 "$(cat worker.pid)" 2>/dev/null && echo started || { tail -n 3 worker.log; exit 1; }
REMOTE
      ;;
    stop) echo 'cd "$1" && [ -f worker.pid ] && kill -TERM "$(cat worker.pid)" 2>/dev/null && rm worker.pid && echo "told to go" || echo "was not there"' ;;
    status) echo 'cd "$1" && [ -f worker.pid ] && kill -0 "$(cat worker.pid)" 2>/dev/null && echo there || echo "not there"' ;;
    *) usage ;;
  esac
}

# Only those that start read them: who writes to one that has answered and gone would count as failed.
told() { if [ "$1" = start ]; then settings; fi; }

script=$(there "$1")
failed=0
for host in "${hosts[@]}"; do
  quoted=$(printf '%q ' bash -c "$script" worker "$folder" "${CHUNKWISE:-}")
  if answer=$(told "$1" | ssh -o BatchMode=yes -- "$host" "$quoted"); then echo "$host: $answer"; else echo "$host: failed. $answer" >&2; failed=1; fi
done
exit $failed
