#!/bin/bash
# Gives an OpenAPI document to the tools that client teams use: redocly, spectral, swagger-parser, openapi-typescript, hey-api,
# orval. Installs them into a folder of its own, so it needs the package registry.
# Usage: tools/openapi-tools.sh FOLDER FILE…; prints a line for each tool and file, and ends with 1 where one found an error.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$1
shift
failed=0
mkdir -p "$work/out"
files=()
for file in "$@"; do files+=("$(realpath "$file")"); done
cd "$work" || exit 1
if [[ ! -d node_modules/orval ]]; then
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund @stoplight/spectral-cli @apidevtools/swagger-parser openapi-typescript \
    @hey-api/openapi-ts orval typescript@5 >install.log 2>&1 || { echo "WRONG  install, see $work/install.log"; exit 1; }
fi
echo 'extends: ["spectral:oas"]' >spectral.yaml

# $1 the name of the check, the rest: the command that must succeed.
try() {
  local name=$1
  shift
  if "$@" >"out/$name.log" 2>&1; then echo "right  $name"; else echo "WRONG  $name, see $work/out/$name.log"; failed=1; fi
}

for file in "${files[@]}"; do
  name=$(basename "${file%.*}")
  try "redocly-$name" env REDOCLY_SUPPRESS_UPDATE_NOTICE=true "$root/node_modules/.bin/redocly" lint --config "$root/redocly.yaml" "$file"
  try "spectral-$name" npx spectral lint --ruleset spectral.yaml --fail-severity error "$file"
  try "swagger-parser-$name" node -e "require('@apidevtools/swagger-parser').validate('$file').catch(error => { console.error(error.message); process.exit(1) })"
  try "openapi-typescript-$name" npx openapi-typescript "$file" -o "out/$name.d.ts"
  try "hey-api-$name" npx openapi-ts -i "$file" -o "out/hey-$name"
  try "orval-$name" npx orval --input "$file" --output "out/orval-$name.ts"
done
exit $failed
