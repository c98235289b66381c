/** The mock Core for tests of client teams: every option is checked, and none is required. */
import { randomBytes } from 'node:crypto'
import { closest } from 'fastest-levenshtein'
import { isFields } from '../ground/json.js'
import type { DialectData } from './dialect.js'
import { dialectOfValue, loadDialect } from './dialect-file.js'
import { type Duration, toMs } from './duration.js'
import { start } from './start.js'
import type { MockCore, MockOptions } from './types.js'

/** The options of a mock Core in a test. Its `defect` is one of `core-conformance mock --defects`. */
export interface MockCoreOptions
  extends Pick<MockOptions, 'port' | 'controlPort' | 'accessControl' | 'defect' | 'timeScale' | 'names' | 'log'> {
  /** The name of the one user who can log on; default `admin`. */
  username?: string
  /** That user's password; default: a new random one, see `credentials` of the mock Core. */
  password?: string
  /**
   * A token expires after so long without use: milliseconds, or a text such as `30 min`; default 1 hour, as the reference says.
   */
  idleLifetime?: Duration
  /**
   * The choices where the reference leaves a choice: the path of a dialect file or of a run's `result.json`, or the content of
   * a dialect file as an object. Default: as public reports about Cores in the field describe them.
   */
  dialect?: string | DialectData
  /** Gets one sentence for each trait of the Core of a `result.json` that the mock Core cannot copy; default: no notes. */
  note?: (text: string) => void
}

/** The check of an option, and the requirement that a message states after the option's name. */
interface Check {
  is(value: unknown): boolean
  must: string
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const TEXT: Check = { is: isText, must: 'must be a text that is not empty' }
const PORT: Check = {
  is: value => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  must: 'must be a whole number from 0 to 65535',
}
const FUNCTION: Check = { is: value => typeof value === 'function', must: 'must be a function' }

const CHECKS: { [K in keyof Required<MockCoreOptions>]: Check } = {
  username: TEXT,
  password: TEXT,
  port: PORT,
  controlPort: PORT,
  idleLifetime: { is: value => toMs(value, 'idleLifetime') > 0, must: 'must be more than 0' },
  accessControl: { is: value => value === 'on' || value === 'off', must: "must be 'on' or 'off'" },
  dialect: { is: value => isText(value) || isFields(value), must: 'must be the path of a file, or an object' },
  defect: { is: isText, must: 'must be a name' },
  timeScale: {
    is: value => typeof value === 'number' && value >= 1 && value <= 100_000,
    must: 'must be a number from 1 to 100000',
  },
  names: {
    is: value => Array.isArray(value) && value.every(name => isText(name) && /^[\w.:*-]+$/.test(name)),
    must: 'must be a list of names and addresses',
  },
  log: FUNCTION,
  note: FUNCTION,
}

/**
 * Starts a mock Core in this process, on 127.0.0.1.
 *
 * @throws TypeError or RangeError for an option that is unknown or unusable; Error for a port in use, an unknown defect, or
 * an unusable dialect file
 */
export async function startLibraryMockCore(options: MockCoreOptions = {}): Promise<MockCore> {
  check(options)
  const {
    dialect,
    idleLifetime,
    note,
    username = 'admin',
    password = randomBytes(12).toString('hex'),
    ...rest
  } = options
  const loaded = typeof dialect === 'string' ? await loadDialect(dialect, note) : dialect && dialectOfValue(dialect)
  return start({
    ...rest,
    username,
    password,
    ...(idleLifetime !== undefined && { idleLifetimeMs: toMs(idleLifetime, 'idleLifetime') }),
    ...(loaded && { dialect: loaded }),
  })
}

function check(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('the options of a mock Core must be an object')
  for (const [name, value] of Object.entries(options)) {
    const known = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof MockCoreOptions] : undefined
    if (known === undefined) {
      throw new TypeError(`a mock Core has no option '${name}'; did you mean '${closest(name, Object.keys(CHECKS))}'?`)
    }
    if (value !== undefined && !known.is(value)) throw new TypeError(`the option '${name}' ${known.must}`)
  }
}
