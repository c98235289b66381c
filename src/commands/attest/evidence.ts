/** Reads the evidence of an attestation: a result, or a fleet with the results of its Cores, and the digest of each file. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Evidence } from '../../attest/statement.js'
import { testedOf } from '../../attest/tested.js'
import { ConfigError } from '../../config/error.js'
import { isFleetFile, readFleet } from '../../report/fleet/read.js'
import { RESULT_FILE } from '../../report/index.js'
import { readResult } from '../../report/read.js'
import { systemReason } from '../../suite/problem.js'

/**
 * Reads the evidence in a file. Reads the results of a fleet one after another, so that memory holds one at a time.
 * @param file a result file or a fleet file
 * @throws ConfigError or ResultFileError for a file that cannot be used
 */
export async function evidenceIn(file: string): Promise<Evidence> {
  if (!isFleetFile(file)) {
    const result = await readResult(file)
    const { verdict, reason } = result
    return { verdict, reason, files: [{ name: basename(file), sha256: await sha256(file), tested: testedOf(result) }] }
  }
  const { verdict, reason, cores } = await readFleet(file)
  const files: Evidence['files'] = [{ name: basename(file), sha256: await sha256(file) }]
  for (const { name } of cores) {
    const path = join(dirname(file), name, RESULT_FILE)
    const result = await readResult(path)
    files.push({ name: `${name}/${RESULT_FILE}`, sha256: await sha256(path), tested: testedOf(result, name) })
  }
  return { verdict, reason, files }
}

/**
 * Computes the SHA-256 of a file. Reads the file in pieces, so it may be larger than memory.
 * @returns 64 lower-case hex digits
 * @throws ConfigError if the path is no file, or cannot be read
 */
export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    if (!(await stat(path)).isFile()) throw new ConfigError(`${path} cannot be used: it is no file`)
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${path} cannot be used: ${systemReason(error, 'file')}`)
  }
  return hash.digest('hex')
}
