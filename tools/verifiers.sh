#!/bin/bash
# Verifies another team's contract (PactV4, words and parameters of its own) on mock Cores of several dialects, in two ways:
# by `contracts verify`, and by Pact's verifier in Rust, which asks `contracts states`. Both must agree with the results below.
# Installs the verifier into a folder of its own, so it needs the package registry. Usage: tools/verifiers.sh FOLDER; prints a
# line for each dialect, and ends with 1 where one is wrong.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mkdir -p "$1" && realpath "$1")
failed=0
cd "$work" || exit 1
if [[ ! -d node_modules/@pact-foundation/pact-cli ]]; then
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund @pact-foundation/pact-cli >install.log 2>&1 || { echo "WRONG  install, see $work/install.log"; exit 1; }
fi
export PACT_DO_NOT_TRACK=true CORE_PASSWORD=Verify-1234 CORE_INSECURE=1
rm -f ops-dashboard-core.json
node "$root/test/fixtures/contracts/stranger.mjs" "$work" >consumer.log 2>&1 || { echo "WRONG  the consumer test, see $work/consumer.log"; exit 1; }
cp "$root/test/fixtures/contracts/stranger.config.yaml" core-conformance.config.yaml

# Prints a field of the one line of JSON in a file.
field() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8").split("\n")[0])[process.argv[2]]' "$1" "$2"; }
# Starts a command in the background and waits for its first line, which holds its URL, in a file.
started() {
  local file=$1
  shift
  rm -f "$file" # that of the Core before would be taken for its own
  "$@" >"$file" 2>"$file.log" &
  pid=$!
  until [[ -s $file ]]; do kill -0 $pid 2>/dev/null || { cat "$file.log"; exit 1; }; sleep 0.2; done
}

# The contract demands 201 and /token, 401, 204, whatever other Cores do.
for case in default:0 connection-close:0 chunked:0 token-8-characters:0 logon-200:1 token-nested:1 rejections-403:1 revocation-200:1; do
  dialect=${case%:*} want=${case#*:}
  started mock.json node "$root/dist/bin.cjs" mock --json --username admin --dialect "$root/contracts/dialects/$dialect.yaml"
  core=$pid
  url=$(field mock.json url)
  node "$root/dist/bin.cjs" contracts verify ops-dashboard-core.json --target "$url" --username admin --profile quick >"own-$dialect.log" 2>&1
  own=$?
  started states.json node "$root/dist/bin.cjs" contracts states --json --target "$url" --username admin --profile quick
  states=$pid
  at=$(field states.json core)
  rest=${at#http://127.0.0.1:}
  node_modules/.bin/pact-verifier --file ops-dashboard-core.json --provider-name core --state-change-url "$(field states.json states)" \
    --hostname 127.0.0.1 --port "${rest%%/*}" --base-path "/${rest#*/}" --no-colour >"rust-$dialect.log" 2>&1
  rust=$?
  kill $states $core
  wait $states $core 2>/dev/null
  if [[ $own == "$want" && $rust == "$want" ]]; then echo "right  $dialect: $want"; else echo "WRONG  $dialect: $own by contracts verify, $rust by the other, for $want"; failed=1; fi
done
exit $failed
