#!/bin/bash
# Puts Prism as a validating proxy between a small client and Cores: the mock Core, and Cores of other dialects. Each has the
# document that a run observed of it, and Prism must see no violation. Installs Prism into a folder of its own, so it needs the
# package registry. Usage: tools/prism.sh FOLDER [DIALECT…]; prints a line for each Core, and ends with 1 where one is wrong.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mkdir -p "$1" && realpath "$1")
shift
dialects=("$@")
[[ $# -gt 0 ]] || dialects=("" "$root/contracts/dialects/token-nested.yaml")
failed=0
cd "$work" || exit 1
if [[ ! -d node_modules/@stoplight/prism-cli ]]; then
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund @stoplight/prism-cli >install.log 2>&1 || { echo "WRONG  install, see $work/install.log"; exit 1; }
fi
export CORE_PASSWORD=Prism-1234 CORE_INSECURE=1

# $1 the wanted status (a first digit is enough), the rest: arguments of curl. The body goes to stdout.
ask() {
  local want=$1 got
  shift
  got=$(curl --silent --max-time 20 --dump-header head --output body --write-out '%{http_code}' --header 'Accept: application/json' "$@")
  cat body
  [[ $got == "$want"* ]] || { echo "status $got in place of $want" >>violations; }
  grep -i '^sl-violations:' head >>violations
}

for dialect in "${dialects[@]}"; do
  name=$(basename "${dialect:-mock}" .yaml)
  rm -rf "$name" && mkdir "$name" && cd "$name" || exit 1
  : >violations
  node "$root/dist/bin.cjs" mock --json --username admin ${dialect:+--dialect "$dialect"} >mock.json 2>mock.log &
  core=$!
  until [[ -s mock.json ]]; do kill -0 $core || exit 1; sleep 0.2; done
  url=$(node -p 'JSON.parse(require("fs").readFileSync("mock.json")).url')
  node "$root/dist/bin.cjs" run --target "$url" --username admin --profile quick --reporter json >run.log 2>&1
  node "$root/dist/bin.cjs" contracts openapi --from reports/result.json --out core.yaml 2>>run.log
  port=$((20000 + RANDOM % 20000))
  NODE_TLS_REJECT_UNAUTHORIZED=0 node "$work/node_modules/.bin/prism" proxy core.yaml "$url" --host 127.0.0.1 --port $port --errors=false >prism.log 2>&1 &
  prism=$!
  for _ in $(seq 100); do curl --silent --output /dev/null "http://127.0.0.1:$port/" && break; sleep 0.3; done
  at=http://127.0.0.1:$port/api/v0
  json='Content-Type: application/json'
  ask 2 --header "$json" --data '{"username":"admin","password":"Prism-1234"}' "$at/logon" >logon.json
  token=$(node -e '
    const deepest = value => (typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(deepest))
    console.log(deepest(JSON.parse(require("fs").readFileSync("logon.json"))).sort((a, b) => b.length - a.length)[0])')
  ask 2 --header "Authorization: Bearer $token" "$at/cores/self/users" >/dev/null
  ask 4 --header "Authorization: Bearer ${token//[0-9a-f]/7}" "$at/cores/self/users" >/dev/null
  ask 4 --header "$json" --data '{"username":"admin","password":"wrong"}' "$at/logon" >/dev/null
  ask 2 --request DELETE --header "Authorization: Bearer $token" "$at/logon" >/dev/null
  ask 4 --header "Authorization: Bearer $token" "$at/cores/self/users" >/dev/null
  # A proxy that checks nothing would see no violation either.
  curl --silent --max-time 20 --dump-header control --output /dev/null --header "$json" --data '{"username":1}' "$at/logon"
  grep -qi '^sl-violations:' control || echo 'a logon without a password is no violation to Prism' >>violations
  kill $prism $core
  wait $prism $core 2>/dev/null
  if [[ -s violations ]]; then echo "WRONG  $name, see $work/$name/violations"; failed=1; else echo "right  $name"; fi
  cd "$work" || exit 1
done
exit $failed
