/** Lists the imports of the sources for the laws of `docs/architecture.md`. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** One import of a source file. Paths are relative to `src/`, without an extension. */
export interface Import {
  from: string
  /** The imported file, or the name of a package. */
  to: string
  isOwn: boolean
  /** Whether it is loaded together with the importing file; an `import()` is not. */
  isAtOnce: boolean
}

/** The forms in which a source names another: import, export from, import(), require(), and the file of a thread or a child. */
const FORMS = [
  /\b(?:import|export)\b(?<type>\s+type\b)?[^'"`;()]*?\bfrom\s*['"](?<name>[^'"]+)['"]/g,
  /\bimport\s+['"](?<name>[^'"]+)['"]/g,
  /(?<later>\bimport)\(\s*['"](?<name>[^'"]+)['"]\s*\)/g,
  /\b(?:require|createRequire\(import\.meta\.url\))\(\s*['"](?<name>[^'"]+)['"]\s*\)/g,
  /(?<later>\bnew URL)\(\s*['"](?<name>\.[^'"]+\.[cm]?js)['"]\s*,\s*import\.meta\.url\s*\)/g,
]

/** Returns the names that a source imports. */
function namesIn(source: string): { name: string; isAtOnce: boolean }[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return FORMS.flatMap(form =>
    [...code.matchAll(form)].map(({ groups = {} }) => ({
      name: groups.name ?? '',
      isAtOnce: groups.later === undefined && groups.type === undefined,
    })),
  )
}

/** Returns all imports of the sources in a folder, including types. */
export function importsOf(folder: string): Import[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => /\.tsx?$/.test(path))
  return files.sort().flatMap(file =>
    namesIn(readFileSync(join(folder, file), 'utf8')).map(({ name, isAtOnce }) => {
      const isOwn = name.startsWith('.')
      const to = isOwn ? withoutEnding(relative(folder, join(folder, dirname(file), name))) : name
      return { from: withoutEnding(file), to, isOwn, isAtOnce }
    }),
  )
}

function withoutEnding(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '')
}

/** Returns the room of a file: its folder in `src/`, or the file itself where it stands beside the folders. */
export function roomOf(path: string): string {
  return path.split('/')[0] ?? path
}

/** Returns the groups of names that reach each other by these arrows, each sorted. */
export function circlesOf(arrows: readonly (readonly [from: string, to: string])[]): string[][] {
  const next = new Map<string, Set<string>>()
  for (const [from, to] of arrows) next.set(from, (next.get(from) ?? new Set()).add(to))
  const reached = new Map([...next.keys()].map(name => [name, reach(name, next)]))
  const reaches = (from: string, to: string) => reached.get(from)?.has(to) ?? false
  const groups = [...reached.keys()].map(name =>
    [...reached.keys()].filter(other => reaches(name, other) && reaches(other, name)).sort(),
  )
  const circles = groups.filter(group => group.length > 1).map(group => group.join(', '))
  return [...new Set(circles)].sort().map(circle => circle.split(', '))
}

function reach(from: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>()
  const open = [from]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const to of next.get(name) ?? []) {
      if (found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  }
  return found
}
