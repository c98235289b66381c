#!/bin/bash
# Installs the packed package into empty projects and uses it there, as client teams do: ESM, CommonJS, TypeScript (node16,
# nodenext, bundler), node:test, Vitest, Jest. Needs the package registry.
# Usage: tools/consumer.sh [FOLDER]; prints a line for each, and ends with 1 where one failed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"
tarball=$(cd "$root" && npm pack --silent --ignore-scripts --pack-destination "$work")
failed=0

# $1 the name of the check, the rest: the command that must succeed in the project.
try() {
  local name=$1
  shift
  if (cd "$work/project" && "$@") >"$work/$name.log" 2>&1; then echo "right  $name"; else echo "WRONG  $name, see $work/$name.log"; failed=1; fi
}

# Prints the code block of docs/mock-core.md whose first line names the file.
recipe() { awk -v want="$1" '/^```/ { inside = !inside; first = 1; next } inside && first { show = index($0, want) > 0; first = 0 } inside && show' "$root/docs/mock-core.md"; }

rm -rf "$work/project" && mkdir "$work/project" && cd "$work/project" || exit 1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund "$work/$tarball" typescript @types/node@20 vitest@3 jest@29 >"$work/install.log" 2>&1 || { echo "WRONG  install, see $work/install.log"; exit 1; }
cp "$root/test/fixtures/clients/library.mjs" client.mjs
sed "s/^import { request } from 'node:https'/const { request } = require('node:https')/; s/^export class Client/exports.Client = class Client/" client.mjs >client.cjs
recipe renewal.test.mjs >renewal.test.mjs
recipe renewal.vitest.test.mjs >renewal.vitest.test.mjs
recipe renewal.jest.test.js >renewal.jest.test.js
echo "import { startMockCore } from 'core-conformance'; const core = await startMockCore(); await core.close()" >own.mjs
echo "require('core-conformance').startMockCore().then(core => core.close())" >own.cjs
use='import { startMockCore, type MockCore, type RecordedRequest } from "core-conformance"
export async function use(): Promise<readonly RecordedRequest[]> {
  const core: MockCore = await startMockCore({ idleLifetime: "1h", names: ["core.example"] })
  core.on("GET", "/api/v0/streams/{id}", ({ params }) => ({ body: { id: params.id } }))
  await core.waitForRequest({ method: "POST" }).catch(() => undefined)
  await core.close()
  return core.requests
}'
echo "$use" >use.mts
echo "$use" >use.cts
flags=(--noEmit --strict --skipLibCheck false --types node --target es2022 --lib es2023,esnext.disposable)
try esm node own.mjs
try commonjs node own.cjs
try types-node16 npx tsc "${flags[@]}" --module node16 use.mts use.cts
try types-nodenext npx tsc "${flags[@]}" --module nodenext use.mts use.cts
try types-bundler npx tsc "${flags[@]}" --module esnext --moduleResolution bundler use.mts
try node-test node --test renewal.test.mjs
try vitest npx vitest run renewal.vitest.test.mjs
try jest npx jest renewal.jest.test.js
exit $failed
