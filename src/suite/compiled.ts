import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Spec, Suite } from './spec.js'

/**
 * A suite that was compiled at build time. It saves reading YAML, which takes most of the start-up time. It is used
 * while the files are unchanged.
 */
interface Compiled {
  /** Digest of the files that it was made from, see {@link contentsOf}. */
  contents: string
  /** Each spec without its {@link LARGE} parts, which are null there, and the JSON of these. */
  specs: [spec: Spec, large: string][]
  requests: [string, unknown][]
  requirements: [string, unknown][]
  families: [string, unknown][]
  digest: string
}

/** The parts that make up nearly all of a spec. A run that selects a few specs parses them for those only. */
const LARGE = ['given', 'steps', 'narrow', 'confirming'] as const satisfies (keyof Spec)[]

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
export function compile(folder: string, { specs, requests, requirements, families, digest }: Suite): string {
  const compiled: Compiled = {
    contents: contentsOf(folder),
    specs: specs.map(halved),
    requests: [...requests],
    requirements: [...requirements],
    families: [...families],
    digest,
  }
  return JSON.stringify(compiled).replace(/[^ -~]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function halved(spec: Spec): [Spec, string] {
  const large = Object.fromEntries(LARGE.filter(key => key in spec).map(key => [key, spec[key]]))
  const empty = Object.fromEntries(Object.keys(large).map(key => [key, null]))
  return [{ ...spec, ...empty }, JSON.stringify(large)]
}

/** Makes a spec whole. Its large parts are parsed when one of them is read first. */
function whole([spec, json]: [Spec, string]): Spec {
  const parse = () => {
    const large = JSON.parse(json) as Partial<Spec>
    for (const [key, value] of Object.entries(large)) Object.defineProperty(spec, key, { value, writable: true })
    return large
  }
  for (const key of LARGE)
    if (key in spec) Object.defineProperty(spec, key, { get: () => parse()[key], configurable: true, enumerable: true })
  return spec
}

/** The suite that was parsed last: a process may run many times, and each parse takes 20 ms. Nobody changes a suite. */
let last: { text: string; contents: string; suite: Suite } | undefined

function parsed(text: string): { contents: string; suite: Suite } {
  if (last?.text === text) return last
  const { contents, specs, requests, requirements, families, digest } = JSON.parse(text) as Compiled
  const suite = {
    specs: specs.map(whole),
    requests: new Map(requests),
    requirements: new Map(requirements),
    families: new Map(families),
    digest,
  }
  last = { text, contents, suite: suite as Suite }
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
