/**
 * Handles files for the build, on every system alike.
 * Usage: node tools/dist.mjs clean | assets: removes dist/, or copies files that are not compiled
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Folders of HTML reports. */
const PAGES = [join('report', 'html'), join('diff', 'report', 'html')]
/** Styles and scripts that HTML reports read at run time from the folder of their code. */
const isAsset = name => /\.(css|js)$/.test(name)

const [task] = process.argv.slice(2)
if (task === 'clean') rmSync(join(root, 'dist'), { recursive: true, force: true })
else if (task === 'assets') {
  for (const folder of PAGES)
    for (const name of readdirSync(join(root, 'src', folder)).filter(isAsset))
      copyFileSync(join(root, 'src', folder, name), join(root, 'dist', folder, name))
} else {
  process.stderr.write('Usage: node tools/dist.mjs clean | assets\n')
  process.exitCode = 2
}
