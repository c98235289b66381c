/** Reads result files. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { count, listed } from '../ground/count.js'
import { isFields, jsonOf } from '../ground/json.js'
import { unpacked } from '../ground/shared-values.js'
import { isBreach, isFailing, isHindered, isSpec } from '../result/outcomes.js'
import { type Outcome, RESULT_SCHEMA_VERSION, type RunResult, type SpecRecord } from '../result.js'
import { systemReason } from '../suite/problem.js'
import { packageVersion } from '../version.js'
import { clip, inert } from './inert.js'

/** Thrown for a result file that cannot be used. Exit code 2. */
export class ResultFileError extends Error {}

/** Largest result file, in bytes: far larger than any run makes. A longer file is something else, and may be endless. */
const MOST_BYTES = 256 * 1024 * 1024

/** Most faults that a message names. */
const MOST_TOLD = 3

/**
 * Reads a run result, such as `reports/result.json`, and checks it.
 * @param path absolute or relative to the working directory; may be a pipe
 * @throws ResultFileError with one line: which file, what is wrong, what to do. It quotes nothing of the file
 */
export async function readResult(path: string): Promise<RunResult> {
  const refuse = (what: string, advice = 'give it the result.json that core-conformance run wrote') => {
    throw new ResultFileError(`${path} cannot be used as the result of a run: ${what}; ${advice}`)
  }
  const bytes = await read(path).catch(error => refuse(systemReason(error, 'file')))
  if (bytes === undefined) return refuse(`it is larger than ${MOST_BYTES / 1024 / 1024} MB`)
  if (bytes.length === 0) return refuse('it is empty')
  if (!isUtf8(bytes)) return refuse('it is not UTF-8 text')
  const value = jsonOf(bytes.toString('utf8'))
  if (value === undefined) return refuse('it is not JSON, or only a part of it')
  if (!isOurs(value) || typeof value.schemaVersion !== 'number') return refuse('it is JSON of another kind')
  const { schemaVersion, suite } = value
  if (schemaVersion !== RESULT_SCHEMA_VERSION) {
    const than = schemaVersion > RESULT_SCHEMA_VERSION ? 'a newer' : 'another'
    return refuse(
      `it was written by ${than} version of core-conformance (schemaVersion ${schemaVersion}, here ${RESULT_SCHEMA_VERSION})`,
      'use that version, or run again with this one',
    )
  }
  const { result, faults } = await wholeOf(value)
  if (faults.length === 0) {
    const contradiction = notBorne(result)
    return contradiction === undefined ? result : refuse(`it contradicts itself: ${contradiction}`, 'run again')
  }
  const told = listed(faults, MOST_TOLD)
  const version = inert(clip(String(suite.version), 40))
  // A later version may add fields without raising schemaVersion. This version does not know them.
  return version === packageVersion()
    ? refuse(`it was changed, or not written by core-conformance: ${told}`, 'run again')
    : refuse(
        `it says that core-conformance ${version} wrote it, and this is ${packageVersion()}: ${told}`,
        'use that version, or run again with this one',
      )
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
export function isOurs(value: unknown): value is Record<string, unknown> & { suite: Record<string, unknown> } {
  return isFields(value) && isFields(value.suite) && value.suite.name === 'core-conformance'
}

/** Puts what exchanges share into its places, and lists the faults of the result. */
async function wholeOf(value: object): Promise<{ result: RunResult; faults: string[] }> {
  try {
    const result = unpacked(value) as RunResult
    return { result, faults: await faultsOf(result) }
  } catch (error) {
    if (error instanceof RangeError) return { result: value as RunResult, faults: [error.message] }
    throw error
  }
}

/** Lists breaches of the schema and indexes that lead nowhere, each as a JSON Pointer and a few words. */
async function faultsOf(value: RunResult): Promise<string[]> {
  const { schemaErrors } = await import('../suite/schema.js')
  const errors = schemaErrors('result', value)
    .filter(({ keyword }) => keyword !== 'if')
    .map(({ instancePath, message }) => `${instancePath || 'the file'} ${message}`)
  return errors.length > 0 ? [...new Set(errors)] : danglingIndexes(value)
}

function danglingIndexes({ specs }: RunResult): string[] {
  return specs.flatMap(({ steps, exchanges }, spec) =>
    steps.flatMap((step, at) =>
      [...step.exchanges, ...(step.missed ?? [])]
        .filter(index => index >= exchanges.length)
        .map(index => `/specs/${spec}/steps/${at} names exchange ${index} of ${exchanges.length}`),
    ),
  )
}

/** Says in one sentence how counts or specs contradict a verdict; undefined where they do not. */
function notBorne({ verdict, specs: records, counts }: RunResult): string | undefined {
  const specs = records.filter(isSpec)
  const mistold = miscounted(counts, specs)
  if (mistold) return mistold
  const of = (...outcomes: Outcome[]) => specs.filter(({ outcome }) => outcomes.includes(outcome)).length
  const broken = records.filter(isBreach).length
  const [failed, drifted] = [of('failed'), records.filter(({ pin, outcome }) => pin && outcome === 'failed').length]
  const open = specs.filter(isHindered).length
  const says = (what: string) => `it says ${verdict}, and ${what}`
  if (!isFailing(verdict) && broken > 0) return says(`${count(broken, 'spec')} of it failed`)
  switch (verdict) {
    case 'nonconformant':
      return broken === 0 ? says('no spec of it failed') : undefined
    case 'drifted':
    case 'stale baseline':
      if (failed > 0) return says(`${count(failed, 'spec')} of it failed`)
      if (verdict === 'drifted') return drifted === 0 ? says('no pinned fact of it drifted') : undefined
      return drifted > 0 || broken === 0 ? says('that is not what failed it') : undefined
    case 'conformant':
      if (open > 0) return says(`${count(open, 'spec')} of it could not be judged`)
      if (of('pending') > 0) return says(`${count(of('pending'), 'spec')} of it still wait`)
      return of('passed') === 0 ? says('no spec of it passed') : undefined
    case 'pending':
      return of('pending') === 0 ? says('no spec of it waits') : undefined
    case 'incomplete':
    case 'untestable':
      // The reason of the run says why it could not test. An interruption may leave no spec open.
      return undefined
  }
}

/** Says which count is not that of these records. */
function miscounted(counts: RunResult['counts'], specs: readonly SpecRecord[]): string | undefined {
  const numberOf = (name: string) =>
    name === 'selected' ? specs.length : specs.filter(({ outcome }) => outcome === name).length
  const told = Object.entries(counts).find(([name, number]) => number !== numberOf(name))
  return told && `it counts ${told[1]} ${told[0]}, and its specs are ${numberOf(told[0])}`
}
