/**
 * Loads the program from the one file that the build packs it into (`tools/pack-program.mjs`). Finding and reading its
 * four hundred modules one by one takes longer than a run of a few requests. Keeps the compiled code for the next start
 * on this machine: compiling it anew takes a third of the time of such a run. On any problem, the program starts without
 * compiled code.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import type * as cli from './cli.js'
import { ownFolder, readOwn, writeOwn } from './ground/own-files.js'

const FILE = fileURLToPath(new URL('./program.cjs', import.meta.url))
/** The last line of the file: the SHA-256 of everything before it, in hex. V8 itself compares only the length. */
const DIGEST = /^\/\/ ([0-9a-f]{64})\n$/
const DIGEST_CHARACTERS = 68

export interface Program {
  /** The exports of `cli.ts`. */
  parts: typeof cli
  /** Keeps the compiled code for the next start. Call it when the program has done its work. Never throws. */
  keepCompiled(): void
}

/**
 * Loads the program, with kept compiled code where there is some.
 * @param env the variables of the process, which tell the folder of kept code
 * @throws Error where the file cannot be read
 */
export function loadProgram(env: NodeJS.ProcessEnv): Program {
  // The file is ASCII, so one byte is one character.
  const source = readFileSync(FILE, 'latin1')
  const [, digest] = DIGEST.exec(source.slice(-DIGEST_CHARACTERS)) ?? []
  // The variable tells Node to keep no compiled code.
  const folder = env.NODE_DISABLE_COMPILE_CACHE ? undefined : ownFolder(name => env[name])
  const tag = cachedDataVersionTag()
  // V8 refuses code that was compiled by another version or with other flags. So each has a file of its own.
  const name = `${digest}-${process.arch}-${tag}`
  const kept = folder !== undefined && digest ? readOwn(folder, name) : undefined
  const script = new Script(source, { filename: FILE, ...(kept && { cachedData: kept }) })
  const module = { exports: {} as typeof cli }
  script.runInThisContext()(module.exports, createRequire(FILE), module, FILE, dirname(FILE))
  return {
    parts: module.exports,
    keepCompiled() {
      const isKept = kept && !script.cachedDataRejected
      // Flags of V8 that changed since the start change the tag. The code would be kept under the wrong name.
      if (folder === undefined || !digest || isKept || cachedDataVersionTag() !== tag) return
      try {
        writeOwn(folder, name, script.createCachedData())
      } catch {
        // The next start only takes longer.
      }
    },
  }
}
