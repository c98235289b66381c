/**
 * Puts the styles and scripts of the HTML reports into their modules (`assets.js`), as constants. So a run needs no file for its page
 * that may be gone at its end.
 * Usage: node tools/compile-pages.mjs DIST
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../src', import.meta.url))
/** The folders with a module `assets.ts`. */
const PAGES = [join('report', 'html')]

const [dist] = process.argv.slice(2)
for (const folder of PAGES) {
  const names = readdirSync(join(src, folder))
    .filter(name => /\.(css|js)$/.test(name))
    .sort()
  const texts = names.map(name => [name, readFileSync(join(src, folder, name), 'utf8')])
  const constant = JSON.stringify(Object.fromEntries(texts), undefined, 2)
  writeFileSync(join(dist, folder, 'assets.js'), `export const ASSETS = ${constant}\n`)
}
