/** The folder dist/: whether it is that of the sources, and how a new one takes its place. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What dist/ is made of. `npm ci` writes the last one anew, and packages are packed into the program. */
const SOURCES = [
  'src',
  'specs',
  'contracts',
  'tools',
  'package.json',
  'tsconfig.json',
  join('node_modules', '.package-lock.json'),
]
/** The first and the last file that a build writes. */
const WRITTEN = ['cli.js', 'THIRD-PARTY-LICENSES.txt']
/** A folder that a build makes: `.dist-` and the id of its process. */
export const ASIDE = /^\.dist-(\d+)(-old)?$/

/**
 * Tells whether dist/ is whole, and no older than what it is made of.
 * @param root the folder of the repository, as a path
 */
export function isCurrent(root) {
  const written = WRITTEN.map(name => join(root, 'dist', name))
  if (!written.every(existsSync)) return false
  const builtMs = Math.min(...written.map(file => statSync(file).mtimeMs))
  return SOURCES.every(name => newestMs(join(root, name)) <= builtMs)
}

/** Returns when something of a file or folder changed last. A folder changes where a file is added or taken away. */
function newestMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  const inside = stat.isDirectory() ? readdirSync(path).map(name => newestMs(join(path, name))) : []
  return Math.max(stat.mtimeMs, ...inside)
}

/** Returns the name of the folder beside dist/ that this process builds in. */
export function asideName() {
  return `.dist-${process.pid}`
}

/** Removes what builds left that were killed. @param root see {@link isCurrent} */
export function removeLeftOvers(root) {
  for (const name of readdirSync(root)) {
    const [, pid] = ASIDE.exec(name) ?? []
    if (pid && (Number(pid) === process.pid || !isAlive(Number(pid))))
      rmSync(join(root, name), { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Puts a folder that was built in the place of dist/, by two renames. So another process finds the old files or the new ones.
 * @param root see {@link isCurrent}
 * @param name the name of the built folder
 */
export function takePlace(root, name) {
  const [built, old, dist] = [join(root, name), join(root, `${name}-old`), join(root, 'dist')]
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(built, dist)
  rmSync(old, { recursive: true, force: true })
}
