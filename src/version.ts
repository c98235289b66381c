import { readFileSync } from 'node:fs'

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version
}

/** Whether a first argument asks for the version. Other programs take `-v` or `-V`; that `run -v` is not taken has a message. */
export function isVersion(word: string | undefined): boolean {
  return word === '--version' || word === '-V' || word === '-v'
}
