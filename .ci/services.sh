#!/usr/bin/env bash
# Servers that some tests need: redis-server, and radosgw (Ceph's S3). Installs those that are missing where it can (Debian, as
# root), and says loudly which tests are skipped where it cannot. Never fails: npm test names what it skips.
set -uo pipefail

need() { # the program, the packages that have it, and what is skipped without it
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "services: installing $2"
    local policy=/usr/sbin/policy-rc.d made=''
    # Installed, not started: tests start their own, on ports of their own.
    if [ ! -e $policy ]; then printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && made=1; fi
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { timeout 120 apt-get -qq update && timeout 300 apt-get -qq install -y --no-install-recommends $2; } >/dev/null 2>&1 || true
    [ -z "$made" ] || rm -f $policy
  fi
  command -v "$1" >/dev/null && return
  echo "=========================================================================" >&2
  echo "services: $1 is not here and could not be installed (Debian: $2)." >&2
  echo "services: SKIPPED without it: $3" >&2
  echo "=========================================================================" >&2
}

need redis-server redis-server "test/cluster (workers at a queue), parts of test/deploy.test.ts"
need radosgw "ceph-mon ceph-osd radosgw ceph-common" "tests of S3 stores against a real server"
exit 0
