/** Checks settings that the user gives to `resume` again. They must be those that the run was begun with. */
import { isDeepStrictEqual } from 'node:util'
import { MOCK_TARGET } from '../../config/command.js'
import { ConfigError } from '../../config/error.js'
import { type Given, ORIGINS } from '../../config/origin.js'
import { readGiven, type Settings } from '../../config/settings.js'
import type { Trust } from '../../core/target.js'
import type { RunLine } from '../../journal/index.js'
import { RECORDED, recordedValue } from '../../settings/record.js'
import { configurationOf } from '../shared/core-under-test.js'
import { SPECS, TRUST } from '../shared/settings.js'
import { baseUrl, trustOf } from '../shared/target.js'

/** Flags that say which certificates to trust. */
const TRUST_FLAGS = Object.values(TRUST).map(({ flag }) => flag)

/**
 * Compares the settings in flags, the environment and `.env` with those that a run was begun with. Leaves the configuration
 * file out: it may change for other runs while this run waits.
 * @param where the name of the run in messages, such as `the run in reports`
 * @throws ConfigError that names every setting that differs
 */
export function refuseOther(settings: Settings, begun: RunLine, where: string): void {
  const { target, configuration } = begun
  const given = (flag: string) => sayNow(settings, flag)
  const password = settings.secret('CORE_PASSWORD') === undefined ? [] : ['CORE_PASSWORD']
  if (target.kind === 'mock') {
    const isMock = given('target')?.text === MOCK_TARGET
    const stray = [...(isMock ? [] : ['target']), 'username', ...TRUST_FLAGS, 'control-url'].flatMap(
      flag => meant(given(flag), flag) ?? [],
    )
    const labels = [...stray.map(({ label }) => label), ...password]
    if (!labels.length) return
    throw new ConfigError(
      `${where} was against the embedded mock Core, and ${labels.join(', ')} names a Core: take that away to finish it, or run anew`,
    )
  }
  const other: string[] = []
  const differs = (setting: Given | undefined, was: string, is?: string) => {
    if (setting) other.push(`${setting.label} says ${is ?? setting.text}, and the run was begun with ${was}`)
  }
  const url = given('target')
  if (url && baseUrl(url).origin !== target.url) differs(url, target.url, baseUrl(url).origin)
  const names = { username: target.username, label: target.label, firmware: target.firmware }
  for (const [flag, was] of Object.entries(names)) {
    const setting = given(flag)
    if (setting && setting.text.trim() !== was) differs(setting, was === undefined ? 'none' : `'${was}'`)
  }
  const trust = TRUST_FLAGS.map(flag => meant(given(flag), flag)).find(setting => setting !== undefined)
  if (trust && !isDeepStrictEqual(trustOf(settings), target.trust))
    differs(trust, inWords(target.trust), inWords(trustOf(settings)))
  const now = configurationOf(settings)
  for (const setting of RECORDED) {
    const [is, was] = [now, configuration].map(record => recordedValue(record, setting))
    const said = given(setting.flag)
    if (!isDeepStrictEqual(is, was) && said && !setting.takes.isAny(said.text))
      differs(said, was === undefined ? 'none' : setting.takes.words(was))
  }
  const field = given('token-field')
  if (field && field.text !== begun.tokenField) differs(field, begun.tokenField ?? 'none')
  const control = given('control-url')
  if (control && control.text.replace(/\/$/, '') !== begun.control?.url) differs(control, begun.control?.url ?? 'none')
  const folders = given('specs')
  if (folders && !isDeepStrictEqual(settings.value(SPECS), begun.specFolders))
    differs(folders, begun.specFolders.join() || 'none')
  if (!other.length) return
  throw new ConfigError(
    `${where} was begun with another configuration, and nothing was sent: ${other.join('; ')}. Take away what differs to finish that run, or run anew with another --out`,
  )
}

/** Returns a setting from flags, the environment or `.env`, not from the configuration file. */
function sayNow(settings: Settings, flag: string): Given | undefined {
  for (const origin of ORIGINS) {
    const setting = origin === 'file' ? undefined : settings.from(flag, origin)
    if (setting?.text) return setting
  }
  return undefined
}

/** Drops a setting that chooses nothing: `CORE_INSECURE=0`. */
function meant(setting: Given | undefined, flag: string): Given | undefined {
  return setting && (flag !== 'insecure' || readGiven(setting, TRUST.insecure)) ? setting : undefined
}

function inWords(trust: Trust): string {
  switch (trust.kind) {
    case 'system':
      return 'the certificates that the system trusts'
    case 'ca':
      return 'the certificates of a CA file of other content'
    case 'fingerprint':
      return `the fingerprint ${trust.sha256}`
    case 'insecure':
      return 'any certificate (--insecure)'
  }
}
