import { isDeepStrictEqual } from 'node:util'
import { MOCK_TARGET, TRUST_FLAGS } from '../../config/command.js'
import { type Given, SAID } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'
import type { Trust } from '../../core/target.js'
import { ConfigError } from '../../ground/config-error.js'
import type { RunLine } from '../../journal/line.js'
import { RECORDED, recordedValue } from '../../settings/record.js'
import { generateOptions } from '../contracts/config.js'
import { ABANDON, BASELINE, NAMES, OUT, PIN, SHOWN, SPECS, TOKEN_FIELD } from '../shared/declared.js'
import { namedReporters, reportersOf } from '../shared/given.js'
import { baseUrl, configurationOf, coreConfig, meant, trustOf } from '../shared/target.js'

export type RunConfig = ReturnType<typeof runConfig>

export function runConfig(settings: Settings) {
  const core = coreConfig(settings)
  const { target, control } = core
  const shown = shownSettings(settings)
  if (shown.detach && (!target || control))
    throw new ConfigError(
      target
        ? `${settings.label('detach')} and ${settings.label('control-url')} exclude each other: the clock of the mock Core is advanced, so no spec waits`
        : `${settings.label('detach')} needs a target: the embedded mock Core ends with the run`,
    )
  const { pins, ...known } = settings.values({ pins: PIN, baseline: BASELINE, firmware: NAMES.firmware })
  return {
    ...core,
    ...shown,
    ...settings.values({ tokenField: TOKEN_FIELD, specFolders: SPECS, outDir: OUT }),
    configuration: configurationOf(settings),
    // The pins of a Core, from a variable or the configuration file, say nothing of the embedded mock Core.
    known: target ? { pins, ...known } : known,
    reporters: reportersOf(settings, 'run'),
    contracts: generateOptions(settings),
  }
}

/** How a run is shown, and whether it leaves the specs that wait to `resume`. */
export type Shown = ReturnType<typeof shownSettings>

export function shownSettings(settings: Settings) {
  return { github: settings.github(), ...settings.values(SHOWN) }
}

export type ResumeConfig = ReturnType<typeof resumeConfig>

export function resumeConfig(settings: Settings) {
  return {
    outDir: folderOf(settings),
    // The configuration file names reporters for new runs. This run may have been begun with other ones.
    reporters: settings.get('reporter')?.origin === 'file' ? undefined : namedReporters(settings),
    ...shownSettings(settings),
    abandon: settings.value(ABANDON),
  }
}

/** Returns the folder of a run: the operand, else `--out`. */
function folderOf(settings: Settings): string {
  const [folder] = settings.operands
  const flag = settings.given('out', 'flag')
  if (folder !== undefined && flag && flag.text !== folder)
    throw new ConfigError(`${flag.label} says ${flag.text}, and ${folder} is named beside it: name one folder`)
  return folder ?? settings.value(OUT)
}

/**
 * Compares the settings in flags, the environment and `.env` with those that a run was begun with. Leaves the configuration
 * file out: it may change for other runs while this run waits.
 * @throws ConfigError that names every setting that differs
 */
export function refuseOther(settings: Settings, begun: RunLine, outDir: string): void {
  const { target, configuration } = begun
  const given = (flag: string) => settings.get(flag, SAID)
  const password = settings.secret('CORE_PASSWORD') === undefined ? [] : ['CORE_PASSWORD']
  if (target.kind === 'mock') {
    const isMock = given('target')?.text === MOCK_TARGET
    const stray = [...(isMock ? [] : ['target']), 'username', ...TRUST_FLAGS, 'control-url'].flatMap(
      flag => meant(given(flag), flag) ?? [],
    )
    const labels = [...stray.map(({ label }) => label), ...password]
    if (!labels.length) return
    throw new ConfigError(
      `the run in ${outDir} was against the embedded mock Core, and ${labels.join(', ')} names a Core: take that away to finish it, or run anew`,
    )
  }
  const other: string[] = []
  const compare = (setting: Given | undefined, isSame: boolean, was = 'none', is = setting?.text) => {
    if (setting && !isSame) other.push(`${setting.label} says ${is}, and the run was begun with ${was}`)
  }
  const url = given('target')
  const origin = url && baseUrl(url).origin
  compare(url, origin === target.url, target.url, origin)
  for (const flag of ['username', 'label', 'firmware'] as const) {
    const [setting, was] = [given(flag), target[flag]]
    compare(setting, setting?.text.trim() === was, was === undefined ? was : `'${was}'`)
  }
  const trust = TRUST_FLAGS.map(flag => meant(given(flag), flag)).find(setting => setting !== undefined)
  if (trust) {
    const is = trustOf(settings)
    compare(trust, isDeepStrictEqual(is, target.trust), inWords(target.trust), inWords(is))
  }
  const now = configurationOf(settings)
  for (const setting of RECORDED) {
    const [is, was] = [now, configuration].map(record => recordedValue(record, setting))
    const said = given(setting.flag)
    const isSame = isDeepStrictEqual(is, was) || (said && setting.takes.isAny(said.text))
    compare(said, isSame === true, was === undefined ? was : setting.takes.words(was))
  }
  const [field, control] = [given('token-field'), given('control-url')]
  compare(field, field?.text === begun.tokenField, begun.tokenField)
  compare(control, control?.text.replace(/\/$/, '') === begun.control?.url, begun.control?.url)
  const isSame = isDeepStrictEqual(settings.value(SPECS), begun.specFolders)
  compare(given('specs'), isSame, begun.specFolders.join() || undefined)
  if (!other.length) return
  throw new ConfigError(
    `the run in ${outDir} was begun with another configuration, and nothing was sent: ${other.join('; ')}. Take away what differs to finish that run, or run anew with another --out`,
  )
}

function inWords(trust: Trust): string {
  if (trust.kind === 'fingerprint') return `the fingerprint ${trust.sha256}`
  return {
    system: 'the certificates that the system trusts',
    ca: 'the certificates of a CA file of other content',
    insecure: 'any certificate (--insecure)',
  }[trust.kind]
}
