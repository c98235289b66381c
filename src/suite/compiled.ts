import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Suite } from './spec.js'

/**
 * A suite that was compiled at build time. It saves reading YAML, which takes most of the start-up time. It is used
 * while the files are unchanged.
 */
interface Compiled {
  /** Digest of the files that it was made from, see {@link contentsOf}. */
  contents: string
  specs: Suite['specs']
  requests: [string, unknown][]
  requirements: [string, unknown][]
  families: [string, unknown][]
  digest: string
}

/** Returns the SHA-256 of the names and texts of a folder's YAML files, its families included. */
export function contentsOf(folder: string): string {
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

/** Returns the text of a compiled suite. */
export function compile(folder: string, { specs, requests, requirements, families, digest }: Suite): string {
  const compiled: Compiled = {
    contents: contentsOf(folder),
    specs,
    requests: [...requests],
    requirements: [...requirements],
    families: [...families],
    digest,
  }
  return JSON.stringify(compiled)
}

/** The text that was parsed last: a process may run many times, and each parse takes 20 ms. Nobody changes a suite. */
let last: { text: string; compiled: Compiled } | undefined

function parsed(text: string): Compiled {
  if (last?.text !== text) last = { text, compiled: JSON.parse(text) as Compiled }
  return last.compiled
}

/** Reads the compiled suite of a folder; undefined where there is none, or where a file has changed since. */
export function compiledSuite(folder: string, file: string): Suite | undefined {
  try {
    const compiled = parsed(readFileSync(file, 'utf8'))
    if (compiled.contents !== contentsOf(folder)) return undefined
    const { specs, digest } = compiled
    const requests = new Map(compiled.requests) as Suite['requests']
    const requirements = new Map(compiled.requirements) as Suite['requirements']
    const families = new Map(compiled.families) as Suite['families']
    return { specs, requests, requirements, families, digest }
  } catch {
    // Any fault is ignored: reading the files themselves explains more.
    return undefined
  }
}
