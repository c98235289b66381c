/**
 * What the build does with files, on every system alike.
 * Usage: node tools/dist.mjs clean | assets: removes dist/, or puts in what is not compiled
 */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const HTML = join('report', 'html')
/** Read by the HTML report when it is made, from where its code is. */
const ASSETS = ['page.css', 'diff.css', 'filter.js']

const [task] = process.argv.slice(2)
if (task === 'clean') rmSync(join(root, 'dist'), { recursive: true, force: true })
else if (task === 'assets') {
  for (const name of ASSETS) copyFileSync(join(root, 'src', HTML, name), join(root, 'dist', HTML, name))
} else {
  process.stderr.write('Usage: node tools/dist.mjs clean | assets\n')
  process.exitCode = 2
}
