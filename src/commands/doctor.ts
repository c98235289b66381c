import { CONFIG_FILE } from '../config/command.js'
import type { Settings } from '../config/settings.js'
import type { Diagnosis, Finding, Mark } from '../doctor/finding.js'
import { nameOfUrl, safeName } from '../fleet/name.js'
import { ConfigError } from '../ground/config-error.js'
import { ownCommand, quoted } from '../ground/own-command.js'
import { inert } from '../report/inert.js'
import { wrap } from '../report/wrap.js'
import { VERDICTS } from '../result/outcomes.js'
import { loadSpecs } from '../runner/choose-specs.js'
import { type Terminal, untilSignal } from '../terminal.js'
import { singleSettings } from './fleet/config.js'
import { DOCTOR, TARGET_NAME } from './shared/declared.js'
import { configurationOf, targetOf } from './shared/target.js'

/**
 * `core-conformance doctor`: says whether a Core can be tested from this machine, and with which settings.
 * @returns the exit code: 0 if the Core can be tested, else 3
 */
export async function doctor(settings: Settings, terminal: Terminal): Promise<number> {
  const config = doctorConfig(settings)
  const { stdout, color } = terminal
  const { columns = 80 } = stdout
  const { examine } = await import('../doctor/examine.js')
  const signal = untilSignal(terminal, 'Interrupted: revoking tokens. Once more stops at once.')
  const diagnosis = await examine({ ...config, suite: await loadSpecs([]), signal })
  const { findings, isThere, isTestable, fitting, uncompared } = diagnosis
  const { targetText, writeTarget } = await import('./shared/write-target.js')
  stdout.write(`${config.target.url.origin}\n\n${findings.map(each => line(each, columns, color)).join('')}\n`)
  stdout.write(`${wrap(verdictOf(diagnosis), columns).join('\n')}\n`)
  const { name, file, write } = config
  const part = { name, fitting, ...(uncompared !== undefined && { uncompared }) }
  if (!isThere) {
    if (write) stdout.write('Nothing was written.\n')
  } else if (write) {
    const wasThere = await writeTarget(file, part)
    const left = uncompared === undefined ? '' : ', with the SHA-256 of its certificate as a comment'
    stdout.write(`${wasThere ? `Updated: the target ${name} in ${file}` : `Written: ${file}`}${left}.\n`)
    const next = wrap(`Next: ${inert(nextStep(diagnosis, config))}`, stdout.columns ?? Number.POSITIVE_INFINITY)
    stdout.write(`${next.join('\n')}\n`)
  } else {
    const text = targetText(part).trimEnd().split('\n')
    stdout.write(
      `\nWhat fits, in ${file} (--write puts it there):\n\n${text.map(each => `  ${inert(each)}\n`).join('')}`,
    )
  }
  return isTestable ? 0 : VERDICTS.untestable.exitCode
}

/** Says what to do after the file was written: only what can work as it is now. */
function nextStep({ findings, isTestable, uncompared }: Diagnosis, { name, file, username, password }: DoctorConfig) {
  const command = (words: string) => ownCommand(file === CONFIG_FILE ? words : `${words} --config ${quoted(file)}`)
  if (isTestable) return command(`run ${name}`)
  if (uncompared !== undefined)
    return `read the SHA-256 of the certificate at the Core itself, or ask who set it up. Where it is the same, take the # away in ${file}, or: ${command(`doctor ${name} --write --fingerprint SHA256`)}`
  const missing = [username === undefined && 'CORE_USERNAME', password === undefined && 'CORE_PASSWORD'].filter(Boolean)
  if (missing.length) return `set ${missing.join(' and ')}, then: ${command(`doctor ${name}`)}`
  const isWrong = findings.some(({ mark }) => mark === 'wrong')
  return `${isWrong ? 'fix what is marked ✗' : 'see to what is missing'}, then: ${command(`doctor ${name}`)}`
}

const MARKS: Record<Mark, { sign: string; code: number }> = {
  fine: { sign: '✓', code: 32 },
  note: { sign: '•', code: 36 },
  change: { sign: '!', code: 33 },
  wrong: { sign: '✗', code: 31 },
  unseen: { sign: '–', code: 2 },
}
/** Width of the left column, in characters: the longest name of a finding and two spaces. */
const WIDTH = 16

function line({ mark, what, seen, advice }: Finding, columns: number, color: boolean): string {
  const { sign, code } = MARKS[mark]
  const head = color ? `\u001b[${code}m${sign}\u001b[39;22m` : sign
  const texts = [seen, ...(advice === undefined ? [] : [`→ ${advice}`])]
  const lines = texts.flatMap(text => wrap(inert(text), Math.max(columns - WIDTH - 2, 30)))
  return lines
    .map((text, index) => `${index === 0 ? `${head} ${what.padEnd(WIDTH)}` : ' '.repeat(WIDTH + 2)}${text}\n`)
    .join('')
}

function verdictOf({ findings, isTestable }: Diagnosis): string {
  const changes = findings.some(({ mark }) => mark === 'change')
  if (isTestable)
    return changes ? 'It can be tested from here, with the settings below.' : 'It can be tested from here.'
  return findings.some(({ mark }) => mark === 'wrong')
    ? 'It cannot be tested from here as it is.'
    : 'It cannot be said yet whether it can be tested from here: see above for what is missing.'
}

export type DoctorConfig = ReturnType<typeof doctorConfig>

/**
 * Reads the settings of a `doctor`.
 * @throws ConfigError if no Core is named, and for the first value that cannot be used
 */
export function doctorConfig(given: Settings) {
  const settings = singleSettings(given)
  const target = targetOf(settings, false)
  if (!target)
    throw new ConfigError(
      'which Core? Give its base URL, such as https://10.0.0.5, or its name in the configuration file',
    )
  const { username, tokenField, write, file = CONFIG_FILE } = settings.values(DOCTOR.settings)
  return {
    ...{ target, username, tokenField, write, file },
    password: settings.secret('CORE_PASSWORD'),
    configuration: configurationOf(settings),
    /** The name of the Core in the configuration file. */
    name: targetNameOf(settings) ?? settings.targetName ?? (safeName(nameOfUrl(target.url.origin)) || 'core'),
  }
}

/**
 * Returns the name that the user chose for a Core in the configuration file; undefined if the user chose none.
 * @throws ConfigError for a text that cannot be a name
 */
export function targetNameOf(settings: Settings): string | undefined {
  const setting = settings.get(TARGET_NAME.flag)
  if (!setting || /^[A-Za-z0-9][\w.-]*$/.test(setting.text)) return setting?.text
  throw new ConfigError(`${setting.label} must be a name of letters, digits, '.', '_' and '-'`)
}
