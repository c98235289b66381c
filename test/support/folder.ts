/** A folder for one test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a temporary folder, which the test command removes when the file has ended. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'core-conformance-cli-'))
}

/** Calls back with a new folder and removes it afterwards. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeFolder()
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
