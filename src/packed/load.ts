/**
 * Loads the program from the one file that the build packs it into (`tools/pack-program.mjs`): to find and to read its four hundred
 * modules one by one takes longer than a run of a few requests.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import type * as cli from '../cli.js'
import { keep, keptFolder, readKept } from './kept.js'

const FILE = fileURLToPath(new URL('../program.cjs', import.meta.url))
/** The file ends with the SHA-256 of what stands before, in hex: V8 itself compares no more than the length. */
const DIGEST = /^\/\/ ([0-9a-f]{64})\n$/
const DIGEST_CHARACTERS = 68

/** The program, loaded. */
export interface Program {
  /** What `cli.ts` exports. */
  parts: typeof cli
  /** Keeps what was compiled for the next start. To be called when the program has done its work; it never throws. */
  keepCompiled(): void
}

/**
 * @param env the variables of the process, for where compiled code is kept
 * @throws Error where the file cannot be read
 */
export function loadProgram(env: NodeJS.ProcessEnv): Program {
  // All of it is ASCII, and so one byte is one character.
  const source = readFileSync(FILE, 'latin1')
  const [, digest] = DIGEST.exec(source.slice(-DIGEST_CHARACTERS)) ?? []
  const folder = keptFolder(env)
  const tag = cachedDataVersionTag()
  // V8 refuses what another version of it has made, or other flags; each has a file of its own.
  const name = `${digest}-${process.arch}-${tag}`
  const kept = folder !== undefined && digest ? readKept(folder, name) : undefined
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: FILE,
    ...(kept && { cachedData: kept }),
  })
  const module = { exports: {} as typeof cli }
  script.runInThisContext()(module.exports, createRequire(FILE), module, FILE, dirname(FILE))
  return {
    parts: module.exports,
    keepCompiled() {
      const isKept = kept && !script.cachedDataRejected
      // Flags that were set meanwhile would make it another's.
      if (folder === undefined || !digest || isKept || cachedDataVersionTag() !== tag) return
      try {
        keep(folder, name, script.createCachedData())
      } catch {
        // The next start takes longer, and is no other for that.
      }
    },
  }
}
