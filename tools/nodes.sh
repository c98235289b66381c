#!/bin/bash
# Runs the suite and some of the tests on other versions of Node, taken from the package registry (packages node-OS-CPU).
# Usage: tools/nodes.sh [FOLDER [VERSION ...]]; FOLDER keeps the programs and the logs (default: a temporary one), VERSION is
# 22 or 24, or any that the registry has (default: both). Prints a line for each, and ends with 1 where one failed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
shift || true
[ $# -gt 0 ] || set -- 22 24
mkdir -p "$work" && cd "$work" || exit 1
system="$(node -p 'process.platform.replace("win32", "win") + "-" + process.arch')"
# Tests of everything that a version of Node may change: sockets, TLS, HTTP, processes, signals, modules, the CommonJS door.
tests="core- mock-connections mock-fork mock-library mock-hostile engine-run journal cli-main cli-run cli-exit contract-process package runner fleet-threads"
failed=0

# $1 the name of the check, the rest: the command that must succeed.
try() {
  local name=$1
  shift
  if (cd "$root" && "$@") >"$work/$name.log" 2>&1; then echo "right  $name"; else echo "WRONG  $name, see $work/$name.log"; failed=1; fi
}

(cd "$root" && npm run build --silent) || exit 1
for version in "$@"; do
  if ! npm install --prefix "$work/$version" --silent --no-audit --no-fund "node-$system@$version" >"$work/install-$version.log" 2>&1; then
    echo "WRONG  node $version is not to be had, see $work/install-$version.log"
    failed=1
    continue
  fi
  bin="$work/$version/node_modules/node-$system/bin"
  export PATH="$bin:$PATH"
  try "run-$version" node dist/bin.cjs run --out "$work/reports-$version"
  # shellcheck disable=SC2086
  try "tests-$version" node --import tsx test/run.ts $tests
done
exit $failed
