/**
 * Builds dist/. Builds in a folder beside it, which takes its place when it is whole: a run that goes on in another terminal reads
 * files of dist/ until its end, and a build that fails leaves the old files.
 * Usage: node tools/build.mjs [--if-older]: with the flag only where dist/ is missing, or older than what it is made of. npm calls
 * it so (`prepare`), also for the first `npx --no core-conformance` in a clone, which need not wait for a build then.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asideName, isCurrent, removeLeftOvers, takePlace } from './dist.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
if (words.some(word => word !== '--if-older')) {
  process.stderr.write('Usage: node tools/build.mjs [--if-older]\n')
  process.exitCode = 2
} else if (!words.length || !isCurrent(root)) build()

function build() {
  removeLeftOvers(root)
  const name = asideName()
  const folder = join(root, name)
  const node = (script, ...args) =>
    execFileSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' })
  try {
    node('node_modules/typescript/bin/tsc', '--outDir', folder)
    // First the texts, since the program is packed of all modules.
    const steps = ['compile-pages', 'compile-schemas', 'compile-suite', 'compile-cjs', 'pack-program']
    for (const step of steps) node(`tools/${step}.mjs`, folder)
    takePlace(root, name)
  } catch (error) {
    // The step has said what is wrong.
    if (error.status === undefined) throw error
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
