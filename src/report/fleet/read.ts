/** Reads the file of a fleet. */

import { isName } from '../../fleet/name.js'
import { FLEET_SCHEMA_VERSION, type Fleet } from '../../fleet/types.js'
import { listed } from '../../ground/count.js'
import { readRegular, textIn, Unreadable } from '../../ground/file.js'
import { fieldsIn, isFields, jsonOf } from '../../ground/json.js'
import { systemReason } from '../../suite/problem.js'
import { isOurs, ResultFileError } from '../read.js'

/** Largest file of a fleet, in bytes. A fleet of 1,000 Cores that fail every spec takes some 40 MB. */
export const MOST_FLEET_BYTES = 64_000_000

/** Most faults that a message names. */
const MOST_TOLD = 3

/**
 * Reads a fleet from a file, and checks it.
 * @throws ResultFileError with one line: which file, what is wrong, what to do. It quotes nothing of the file
 */
export async function readFleet(path: string): Promise<Fleet> {
  const refuse = (what: string, advice = 'give it the fleet.json that core-conformance run wrote') => {
    throw new ResultFileError(`${path} cannot be used as the result of a fleet: ${what}; ${advice}`)
  }
  const value = jsonOf(textOf(path, refuse))
  if (value === undefined) return refuse('it is not JSON, or only a part of it')
  const isRun = isFields(value) && 'specs' in value
  if (!isOurs(value) || !Array.isArray(value.cores))
    return refuse(isRun ? 'it is the result of a single run' : 'it is JSON of another kind')
  const { schemaVersion } = value
  if (schemaVersion !== FLEET_SCHEMA_VERSION)
    return refuse(
      `it was written by another version of core-conformance (schemaVersion ${Number(schemaVersion)}, here ${FLEET_SCHEMA_VERSION})`,
      'use that version, or run again with this one',
    )
  const { schemaErrors } = await import('../../suite/schema.js')
  const faults = schemaErrors('fleet', value).map(
    ({ instancePath, message }) => `${instancePath || 'the file'} ${message}`,
  )
  const fleet = value as unknown as Fleet
  const names = faults.length ? [] : fleet.cores.map(({ name }) => name)
  // Names become paths of folders.
  if (!names.every(isName)) faults.push('/cores holds a name that is no name of a folder')
  if (new Set(names).size < names.length) faults.push('/cores holds a name twice')
  if (!faults.length) return fleet
  return refuse(`it was changed, or not written by core-conformance: ${listed([...new Set(faults)], MOST_TOLD)}`)
}

/** Whether a file looks like the file of a fleet. A pipe is not read. */
export function isFleetFile(path: string): boolean {
  const fields = fieldsIn(textIn(path, MOST_FLEET_BYTES))
  return Array.isArray(fields.cores) && isOurs(fields)
}

function textOf(path: string, refuse: (what: string) => never): string {
  try {
    return readRegular(path, MOST_FLEET_BYTES).toString('utf8')
  } catch (error) {
    return refuse(error instanceof Unreadable ? `it ${error.message}` : systemReason(error, 'file'))
  }
}
