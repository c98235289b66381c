#!/bin/sh
# A gate of a pipeline by a Pact broker, for any CI: four steps, each by its name. See docs/contracts.md.
#   sh contracts-gate.sh publish web-app 1.4.0 main contracts/web-app-core.json   in the pipeline of a client
#   sh contracts-gate.sh verify 4.2.1 main                                        in that of the Core; CORE_URL… say where it is
#   sh contracts-gate.sh can-i-deploy core 4.2.1 production                       before a deployment, of either
#   sh contracts-gate.sh record-deployment core 4.2.1 production                  after it
# Needs curl and node, PACT_BROKER_BASE_URL, and PACT_BROKER_TOKEN where the broker asks for one.
set -eu
: "${PACT_BROKER_BASE_URL:?set it to the base URL of the broker}"
broker=${PACT_BROKER_BASE_URL%/}

# $1 the method, $2 the path; a body comes from stdin where there is $3. The token goes by stdin too, so that no list of processes shows it.
ask() {
  body=""
  if [ $# -gt 2 ]; then body=$(mktemp); cat >"$body"; fi
  printf 'header = "Authorization: Bearer %s"\n' "${PACT_BROKER_TOKEN:-}" | {
    if [ -z "${PACT_BROKER_TOKEN:-}" ]; then cat >/dev/null; fi
    curl --silent --show-error --fail-with-body --max-time 60 --config - --request "$1" --header 'Accept: application/hal+json' \
      ${body:+--header 'Content-Type: application/json' --data-binary "@$body"} "$broker$2"
  } || { status=$?; rm -f "$body"; exit $status; }
  rm -f "$body"
}

# A part of a URL, as it has to be written.
part() { node -p 'encodeURIComponent(process.argv[1])' -- "$1"; }

step=${1:?publish, verify, can-i-deploy or record-deployment}
shift
case $step in
publish)
  consumer=$1 version=$2 branch=$3 file=$4
  node -e '
    const [name, version, branch, file] = process.argv.slice(1)
    const bytes = require("fs").readFileSync(file)
    const { consumer, provider } = JSON.parse(bytes)
    if (consumer.name !== name) throw new Error(`${file} is a contract of ${consumer.name}, not of ${name}`)
    console.log(JSON.stringify({
      pacticipantName: name, pacticipantVersionNumber: version, branch,
      contracts: [{
        consumerName: name, providerName: provider.name, specification: "pact",
        contentType: "application/json", content: bytes.toString("base64"),
      }],
    }))' "$consumer" "$version" "$branch" "$file" | ask POST /contracts/publish body >/dev/null
  echo "published: $file as $consumer $version"
  ;;
verify)
  # The full profile waits for an idle hour; without it nothing is published as verified that is about an expired token.
  npx --no core-conformance contracts verify --broker "$broker" --publish --version "$1" --branch "$2"
  ;;
can-i-deploy)
  answer=$(ask GET "/can-i-deploy?pacticipant=$(part "$1")&version=$(part "$2")&environment=$(part "$3")")
  printf '%s' "$answer" | node -e '
    const { summary } = JSON.parse(require("fs").readFileSync(0, "utf8"))
    console.log(`${summary.deployable ? "yes" : "no"}: ${summary.reason}`)
    process.exit(summary.deployable === true ? 0 : 1)'
  ;;
record-deployment)
  uuid=$(ask GET /environments | node -e '
    const { _embedded } = JSON.parse(require("fs").readFileSync(0, "utf8"))
    const found = _embedded.environments.find(({ name }) => name === process.argv[1])
    if (!found) throw new Error(`the broker has no environment ${process.argv[1]}`)
    console.log(found.uuid)' "$3")
  echo '{}' | ask POST "/pacticipants/$(part "$1")/versions/$(part "$2")/deployed-versions/environment/$uuid" body >/dev/null
  echo "recorded: $1 $2 in $3"
  ;;
*)
  echo "there is no step $step: publish, verify, can-i-deploy or record-deployment" >&2
  exit 2
  ;;
esac
