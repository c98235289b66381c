import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Family } from './family.js'
import type { RequestTemplate, Requirement, Suite } from './spec.js'

/** A suite as it is compiled at build time, which saves reading YAML. It is used while the files are unchanged. */
interface Compiled extends Pick<Suite, 'specs' | 'digest'> {
  /** Digest of the files that it was made from, see {@link contentsOf}. */
  contents: string
  requests: [string, RequestTemplate][]
  requirements: [string, Requirement][]
  families: [string, Family][]
}

/** Returns the SHA-256 of the names and texts of a folder's YAML files, its families included. */
function contentsOf(folder: string): string {
  const hash = createHash('sha256')
  const families = join(folder, 'families')
  const inFamilies = existsSync(families) ? readdirSync(families).map(name => join('families', name)) : []
  for (const name of [...readdirSync(folder), ...inFamilies].sort()) {
    if (/\.ya?ml$/i.test(name))
      hash
        .update(`${name}\0`)
        .update(readFileSync(join(folder, name)))
        .update('\0')
  }
  return hash.digest('hex')
}

/** Returns the text of a compiled suite, in ASCII. */
export function compile(folder: string, suite: Suite): string {
  const [requests, requirements, families] = [[...suite.requests], [...suite.requirements], [...suite.families]]
  const compiled: Compiled = { contents: contentsOf(folder), ...suite, requests, requirements, families }
  const text = JSON.stringify(compiled)
  return text.replace(/[^ -~]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The suite that was parsed last: a process may run many times, and each parse takes 20 ms. Nobody changes a suite. */
let last: { text: string; contents: string; suite: Suite } | undefined

function parsed(text: string): { contents: string; suite: Suite } {
  if (last?.text === text) return last
  const { contents, requests, requirements, families, ...rest } = JSON.parse(text) as Compiled
  const maps = { requests: new Map(requests), requirements: new Map(requirements), families: new Map(families) }
  last = { text, contents, suite: { ...rest, ...maps } }
  return last
}

/** Reads the compiled suite of a folder; undefined where there is none, or where a file has changed since. */
export function compiledSuite(folder: string, file: string): Suite | undefined {
  try {
    const { contents, suite } = parsed(readFileSync(file, 'latin1'))
    return contents === contentsOf(folder) ? suite : undefined
  } catch {
    // Any fault is ignored: reading the files themselves explains more.
    return undefined
  }
}
