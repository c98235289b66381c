/**
 * Ends the process with one line where Node is older than package.json allows. It comes before everything else, and runs and is
 * read by any Node: elsewhere, the modules and syntax that an old Node lacks would end in a stack trace. `src/bin.ts` loads it, and so
 * do the scripts of package.json.
 */
'use strict'

// biome-ignore-start lint/style/useNodejsImportProtocol: Node 14 and older know no such names
const fs = require('fs')
const path = require('path')
// biome-ignore-end lint/style/useNodejsImportProtocol: see above

/** Exit code for a run that is not possible: see the README. */
const EXIT_UNTESTABLE = 3

const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'package.json'), 'utf8'))
const oldest = Number(/\d+/.exec(manifest.engines.node))
const running = process.versions.node
if (Number.parseInt(running, 10) < oldest) {
  fs.writeSync(2, `${manifest.name}: this is Node ${running}, and Node ${oldest} or later is needed\n`)
  process.exit(EXIT_UNTESTABLE)
}
