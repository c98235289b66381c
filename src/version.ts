import { readFileSync } from 'node:fs'

/** The version of this package. */
export function packageVersion(): string {
  return manifest().version
}

/** The versions of Node that this version of the package is tested on, the oldest first. */
export function testedNodes(): readonly number[] {
  return manifest().testedNodes
}

function manifest(): { version: string; testedNodes: number[] } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
}

/** Whether a first argument asks for the version. Other programs take `-v` or `-V`; that `run -v` is not taken has a message. */
export function isVersion(word: string | undefined): boolean {
  return word === '--version' || word === '-V' || word === '-v'
}
