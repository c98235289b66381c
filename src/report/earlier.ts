/** Finds the files that an earlier run left in a folder, so that the next run replaces all of them, and no file of others. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../ground/file.js'
import { isWithin } from '../ground/paths.js'
import { FLEET_REPORTERS } from './fleet/reporters.js'
import { REPORTERS, RESULT_FILE } from './reporters.js'
import { FOUND_FOLDER } from './reproduce.js'
import { SCRIPT_HEAD, SCRIPTS_FOLDER } from './scripts.js'

/** Largest file that is looked into: a result with all bodies has some megabytes. */
const MOST_BYTES = 200_000_000

/** The first words of each finding. */
const FOUND_HEAD = '# Found by exploring'

/** The reports by the name of their file, with a text that each of our files has. */
const MARKS = new Map(
  [...REPORTERS, ...FLEET_REPORTERS].flatMap(({ file, mark }) => (file && mark ? [[file, mark]] : [])),
)

/** The name of a file that was written aside, and never put in its place: its process was killed. */
const ASIDE = /^\.(.+)\.[0-9a-f-]{36}\.tmp$/

/**
 * Lists the files that an earlier run, or the command `report`, left in a folder.
 * @param keep files and folders that the run reads: what is in them stays
 */
export function earlierFiles(folder: string, keep: readonly string[] = []): string[] {
  const within = (name: string, isOurs: (path: string, name: string) => boolean) =>
    namesIn(join(folder, name)).flatMap(each => {
      const path = join(folder, name, each)
      return isOurs(path, ASIDE.exec(each)?.[1] ?? each) ? [path] : []
    })
  const own = ownFilesIn(textOf(join(folder, RESULT_FILE)))
  return [
    ...within('', (path, name) => own.includes(name) || isReport(path, name)),
    ...within(SCRIPTS_FOLDER, (path, name) => name.endsWith('.sh') && textOf(path).startsWith(SCRIPT_HEAD)),
    ...within(FOUND_FOLDER, (path, name) => name.endsWith('.yaml') && textOf(path).startsWith(FOUND_HEAD)),
  ].filter(path => !keep.some(kept => isWithin(path, kept)))
}

function isReport(path: string, name: string): boolean {
  const mark = MARKS.get(name)
  return mark !== undefined && textOf(path).includes(mark)
}

/** Lists the files of the user's own reporters, as the result beside them names them. */
function ownFilesIn(result: string): string[] {
  if (!result.includes('"ownFiles"')) return []
  try {
    const { ownFiles } = JSON.parse(result) as { ownFiles?: unknown }
    return Array.isArray(ownFiles) ? ownFiles.filter(name => typeof name === 'string') : []
  } catch {
    return []
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the text of a file; empty for a file that cannot be read, which is none of ours. */
function textOf(path: string): string {
  try {
    return readRegular(path, MOST_BYTES).toString('utf8')
  } catch {
    return ''
  }
}
