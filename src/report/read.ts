/** Reads the files of results: of a run, and of a fleet. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isName } from '../fleet/name.js'
import { FLEET_SCHEMA_VERSION, type Fleet } from '../fleet/types.js'
import { count, listed } from '../ground/count.js'
import { readRegular, textIn, Unreadable } from '../ground/file.js'
import { fieldsIn, isFields, jsonOf } from '../ground/json.js'
import { unpacked } from '../ground/shared-values.js'
import { isBreach, isHindered, isSpec } from '../result/outcomes.js'
import { RESULT_SCHEMA_VERSION, type RunResult, type Verdict } from '../result.js'
import { systemReason } from '../suite/problem.js'
import { packageVersion } from '../version.js'
import { clip, inert } from './inert.js'

/** Thrown for a result file that cannot be used. Exit code 2. */
export class ResultFileError extends Error {}

/** Largest result file, in bytes: far larger than any run makes. A longer file is something else, and may be endless. */
const MOST_BYTES = 256 * 1024 * 1024

const MOST_TOLD = 3

/** Largest file of a fleet, in bytes. A fleet of 1,000 Cores that fail every spec takes some 40 MB. */
export const MOST_FLEET_BYTES = 64_000_000

/** Makes what refuses a file. It throws a ResultFileError with one line: which file, what is wrong, what to do. */
function refuser(path: string, of: 'run' | 'fleet') {
  const file = of === 'run' ? 'result.json' : 'fleet.json'
  return (what: string, advice = `give it the ${file} that core-conformance run wrote`): never => {
    throw new ResultFileError(`${path} cannot be used as the result of a ${of}: ${what}; ${advice}`)
  }
}

const NO_JSON = 'it is not JSON, or only a part of it'
const OTHER_JSON = 'it is JSON of another kind'
const CHANGED = 'it was changed, or not written by core-conformance'

/** Says which version wrote a file, and what to do about it. */
function ofVersion(than: string, was: number, is: number): [what: string, advice: string] {
  return [
    `it was written by ${than} version of core-conformance (schemaVersion ${was}, here ${is})`,
    'use that version, or run again with this one',
  ]
}

/**
 * Reads a run result, such as `reports/result.json`, and checks it.
 * @param path absolute or relative to the working directory; may be a pipe
 * @throws ResultFileError with one line: which file, what is wrong, what to do. It quotes nothing of the file
 */
export async function readResult(path: string): Promise<RunResult> {
  const refuse = refuser(path, 'run')
  const bytes = await read(path).catch(error => refuse(systemReason(error, 'file')))
  if (bytes === undefined) return refuse(`it is larger than ${MOST_BYTES / 1024 / 1024} MB`)
  if (bytes.length === 0) return refuse('it is empty')
  if (!isUtf8(bytes)) return refuse('it is not UTF-8 text')
  const value = jsonOf(bytes.toString('utf8'))
  if (value === undefined) return refuse(NO_JSON)
  if (!isOurs(value) || typeof value.schemaVersion !== 'number') return refuse(OTHER_JSON)
  const { schemaVersion, suite } = value
  const than = schemaVersion > RESULT_SCHEMA_VERSION ? 'a newer' : 'another'
  const otherVersion = ofVersion(than, schemaVersion, RESULT_SCHEMA_VERSION)
  if (schemaVersion !== RESULT_SCHEMA_VERSION) return refuse(...otherVersion)
  const { result, faults } = await wholeOf(value)
  if (faults.length === 0) {
    const contradiction = notBorne(result)
    return contradiction === undefined ? result : refuse(`it contradicts itself: ${contradiction}`, 'run again')
  }
  const told = listed(faults, MOST_TOLD)
  const version = inert(clip(String(suite.version), 40))
  if (version === packageVersion()) return refuse(`${CHANGED}: ${told}`, 'run again')
  // A later version may add fields without raising schemaVersion. This version does not know them.
  const who = `it says that core-conformance ${version} wrote it, and this is ${packageVersion()}`
  return refuse(`${who}: ${told}`, otherVersion[1])
}

/**
 * Reads a fleet from a file, and checks it.
 * @throws ResultFileError as of {@link readResult}
 */
export async function readFleet(path: string): Promise<Fleet> {
  const refuse = refuser(path, 'fleet')
  let text: string
  try {
    text = readRegular(path, MOST_FLEET_BYTES).toString('utf8')
  } catch (error) {
    return refuse(error instanceof Unreadable ? `it ${error.message}` : systemReason(error, 'file'))
  }
  const value = jsonOf(text)
  if (value === undefined) return refuse(NO_JSON)
  const isRun = isFields(value) && 'specs' in value
  if (!isOurs(value) || !Array.isArray(value.cores))
    return refuse(isRun ? 'it is the result of a single run' : OTHER_JSON)
  const { schemaVersion } = value
  if (schemaVersion !== FLEET_SCHEMA_VERSION)
    return refuse(...ofVersion('another', Number(schemaVersion), FLEET_SCHEMA_VERSION))
  const faults = await schemaFaults('fleet', value)
  const fleet = value as unknown as Fleet
  const names = faults.length ? [] : fleet.cores.map(({ name }) => name)
  // Names become paths of folders.
  if (!names.every(isName)) faults.push('/cores holds a name that is no name of a folder')
  if (new Set(names).size < names.length) faults.push('/cores holds a name twice')
  return faults.length ? refuse(`${CHANGED}: ${listed(faults, MOST_TOLD)}`) : fleet
}

/** Whether a file looks like the file of a fleet. A pipe is not read. */
export function isFleetFile(path: string): boolean {
  const fields = fieldsIn(textIn(path, MOST_FLEET_BYTES))
  return Array.isArray(fields.cores) && isOurs(fields)
}

/** Reads the bytes of a file; undefined when there are too many. */
async function read(path: string): Promise<Buffer | undefined> {
  const found = await stat(path)
  if (found.isCharacterDevice() || found.isBlockDevice()) throw new Error('it is a device, and not a file')
  const chunks: Buffer[] = []
  // `end` is the index of the last byte read, so this reads one byte more than allowed.
  for await (const chunk of createReadStream(path, { end: MOST_BYTES })) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return bytes.length > MOST_BYTES ? undefined : bytes
}

/** Whether a value says that core-conformance wrote it. */
function isOurs(value: unknown): value is Record<string, unknown> & { suite: Record<string, unknown> } {
  return isFields(value) && isFields(value.suite) && value.suite.name === 'core-conformance'
}

/** Puts what exchanges share into its places, and lists the faults of the result. */
async function wholeOf(value: object): Promise<{ result: RunResult; faults: string[] }> {
  try {
    const result = unpacked(value) as RunResult
    const faults = await schemaFaults('result', result)
    if (faults.length > 0) return { result, faults }
    // Indexes that lead nowhere.
    const dangling = result.specs.flatMap(({ steps, exchanges }, spec) =>
      steps.flatMap((step, at) =>
        [...step.exchanges, ...(step.missed ?? [])]
          .filter(index => index >= exchanges.length)
          .map(index => `/specs/${spec}/steps/${at} names exchange ${index} of ${exchanges.length}`),
      ),
    )
    return { result, faults: dangling }
  } catch (error) {
    if (error instanceof RangeError) return { result: value as RunResult, faults: [error.message] }
    throw error
  }
}

/** Lists breaches of a schema, each once, as a JSON Pointer and a few words. */
async function schemaFaults(name: 'result' | 'fleet', value: unknown): Promise<string[]> {
  const { schemaErrors } = await import('../suite/schema.js')
  const errors = schemaErrors(name, value).filter(({ keyword }) => keyword !== 'if')
  return [...new Set(errors.map(({ instancePath, message }) => `${instancePath || 'the file'} ${message}`))]
}

/** Says in one sentence how counts or specs contradict a verdict; undefined where they do not. */
function notBorne({ verdict, specs: records, counts }: RunResult): string | undefined {
  const specs = records.filter(isSpec)
  const of = (name: string) =>
    name === 'selected' ? specs.length : specs.filter(({ outcome }) => outcome === name).length
  const [mistold, told] = Object.entries(counts).find(([name, number]) => number !== of(name)) ?? []
  if (mistold !== undefined) return `it counts ${told} ${mistold}, and its specs are ${of(mistold)}`
  const broken = records.filter(isBreach).length
  const [failed, drifted] = [of('failed'), records.filter(({ pin, outcome }) => pin && outcome === 'failed').length]
  const open = specs.filter(isHindered).length
  // Where a run could not test, its reason says why. An interruption may leave no spec open.
  const wrong: [verdicts: readonly Verdict[], isSo: boolean, what: string][] = [
    [['conformant', 'pending', 'incomplete', 'untestable'], broken > 0, `${count(broken, 'spec')} of it failed`],
    [['nonconformant'], broken === 0, 'no spec of it failed'],
    [['drifted', 'stale baseline'], failed > 0, `${count(failed, 'spec')} of it failed`],
    [['drifted'], drifted === 0, 'no pinned fact of it drifted'],
    [['stale baseline'], drifted > 0 || broken === 0, 'that is not what failed it'],
    [['conformant'], open > 0, `${count(open, 'spec')} of it could not be judged`],
    [['conformant'], of('pending') > 0, `${count(of('pending'), 'spec')} of it still wait`],
    [['conformant'], of('passed') === 0, 'no spec of it passed'],
    [['pending'], of('pending') === 0, 'no spec of it waits'],
  ]
  const [, , what] = wrong.find(([verdicts, isSo]) => isSo && verdicts.includes(verdict)) ?? []
  return what && `it says ${verdict}, and ${what}`
}
