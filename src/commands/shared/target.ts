import { X509Certificate } from 'node:crypto'
import { MOCK_TARGET, TRUST_FLAGS } from '../../config/command.js'
import { type Given, ORIGINS, type Origin } from '../../config/origin.js'
import { readGiven, type Settings } from '../../config/settings.js'
import type { Place, Trust } from '../../core/target.js'
import type { ControlEndpoint } from '../../engine/clock.js'
import { ConfigError } from '../../ground/config-error.js'
import { numbered } from '../../ground/count.js'
import { ownCommand, quoted } from '../../ground/own-command.js'
import type { TargetFlags } from '../../result.js'
import { type CoreUnderTest, embeddedMock, ownCore } from '../../runner/embedded.js'
import { type ConfigurationRecord, recordOf } from '../../settings/record.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { NAMES, OF_A_TARGET, TRUST, USERNAME } from './declared.js'
import { givenFile } from './given.js'

/**
 * Reads the target from the settings.
 * @param takesMock whether the command takes the embedded mock Core
 * @returns the Core without credentials, which a prompt may have to ask for; undefined for the embedded mock Core: the user gave
 * no target, or the word for it
 * @throws ConfigError for a URL or trust that cannot be used, for settings of a target without a target, and where the
 * configuration file names targets and none is chosen
 */
export function targetOf(settings: Settings, takesMock = true): Place | undefined {
  const first = ORIGINS.map(origin => settings.from('target', origin)).find(setting => setting !== undefined)
  // An unset CI variable arrives empty. A run against the mock Core instead would be green and prove nothing.
  if (first && !first.text)
    throw new ConfigError(`${first.label} is empty: give it a URL, or leave it out for the mock Core`)
  if (!first || first.text === MOCK_TARGET) {
    // Defaults in the configuration file do not ask for a target.
    const stray = strayFlags(settings, origin => (first ? origin === 'flag' : origin !== 'file'))
    if (!first && settings.secret('CORE_PASSWORD') !== undefined) stray.push('CORE_PASSWORD')
    // The user means a Core of their own; a run against the mock Core would say nothing about it.
    if (stray.length)
      throw new ConfigError(
        `${stray.join(', ')} without a target: name the Core with ${settings.label('target')} or CORE_URL, or leave ${numbered(stray.length, 'that', 'them')} out to run against the embedded mock Core`,
      )
    if (!first) refuseUnchosen(settings, takesMock)
    return undefined
  }
  const [label, firmware] = [settings.value(NAMES.label), settings.value(NAMES.firmware)]
  const names = { ...(label !== undefined && { label }), ...(firmware !== undefined && { firmware }) }
  return { url: baseUrl(first), trust: trustOf(settings), ...names, flags: flagsOf(settings) }
}

/** Collects what a command line has to say again to mean the same Core. */
function flagsOf(settings: Settings): TargetFlags {
  const said = (flag: string) => {
    const given = settings.given(flag, 'flag')
    return given?.text ? { [flag]: given.text } : {}
  }
  const { targetName: target } = settings
  return {
    ...(target !== undefined && { target, ...said('config') }),
    ...said('username'),
    ...said('ca-file'),
    ...said('fingerprint'),
    ...('insecure' in said('insecure') && settings.value(TRUST.insecure) && { insecure: true }),
  }
}

/** Returns the names of settings from these origins that mean something only for a target of the user's own. */
function strayFlags(settings: Settings, isFrom: (origin: Origin) => boolean): string[] {
  return Object.values(OF_A_TARGET).flatMap(({ flag }) => {
    const setting = settings.get(flag)
    return setting && isFrom(setting.origin) && meant(setting, flag) ? [setting.label] : []
  })
}

/** Drops a setting that chooses nothing: `CORE_INSECURE=0`. */
export function meant(setting: Given | undefined, flag: string): Given | undefined {
  return setting && (flag !== 'insecure' || readGiven(setting, TRUST.insecure)) ? setting : undefined
}

const NAMED_AT_MOST = 8

/**
 * Refuses a configuration file of which no target is chosen: the user means a Core, and a green run against the mock Core would
 * prove nothing. A file of the default name that only holds defaults names no Core, so that one is no reason.
 */
function refuseUnchosen(settings: Settings, takesMock: boolean): void {
  const { configFile } = settings
  if (!configFile) return
  const mock =
    takesMock && !configFile.targets.has(MOCK_TARGET) ? `, or --target ${MOCK_TARGET} for the embedded mock Core` : ''
  const names = [...configFile.targets.keys()]
  const named = settings.get('config')?.label
  if (names.length) {
    const some = names.slice(0, NAMED_AT_MOST).join(', ')
    const rest = names.length > NAMED_AT_MOST ? ` and ${names.length - NAMED_AT_MOST} more` : ''
    const all =
      names.length > 1 && settings.takes('all-targets') ? `, all of them with ${settings.label('all-targets')}` : ''
    throw new ConfigError(
      `which Core? ${configFile.path} has ${numbered(names.length, 'the target', 'the targets')} ${some}${rest}, and none is chosen: choose one with --target ${names[0]}${all}${mock}`,
    )
  }
  if (named !== undefined)
    throw new ConfigError(
      `which Core? ${configFile.path} (${named}) names no targets: write one into it (${ownCommand(`doctor --write --config ${quoted(configFile.path)} URL`)}), name a Core with --target URL${mock}`,
    )
}

/** Reads the base URL of a Core, or of a control endpoint. @throws ConfigError for any other text */
export function baseUrl(setting: Given, protocol: 'https:' | 'http:' = 'https:'): URL {
  const wrong = (what: string) => new ConfigError(`${setting.label} ${what}, such as ${protocol}//10.0.0.5`)
  if (!URL.canParse(setting.text)) throw wrong('is not a URL: give the base URL')
  const parsed = new URL(setting.text)
  if (parsed.username || parsed.password)
    throw wrong('holds credentials: put them into CORE_USERNAME and CORE_PASSWORD, and give the plain base URL')
  if (parsed.protocol !== protocol) throw wrong(`must start with ${protocol}//`)
  if (parsed.pathname !== '/' || parsed.search || parsed.hash) throw wrong('must be the base URL, without a path')
  return parsed
}

/**
 * Returns the trust that the user chose. Flags beat the environment, which beats `.env`, which beats the configuration file.
 * @throws ConfigError if one place chooses two kinds of trust, or for a file or fingerprint that cannot be used
 */
export function trustOf(settings: Settings): Trust {
  // CORE_INSECURE=0 in the environment overrides CORE_INSECURE=1 in .env.
  const isInsecure = settings.value(TRUST.insecure)
  for (const origin of ORIGINS) {
    const chosen = TRUST_FLAGS.flatMap(flag => {
      const setting = settings.from(flag, origin)
      return setting?.text && (flag !== 'insecure' || isInsecure) ? [{ flag, setting }] : []
    })
    if (chosen.length > 1)
      throw new ConfigError(
        `${chosen.map(({ setting }) => setting.label).join(' and ')} exclude each other: choose one`,
      )
    const [only] = chosen
    if (!only) continue
    if (only.flag === 'insecure') return { kind: 'insecure' }
    return only.flag === 'ca-file'
      ? { kind: 'ca', pem: certificates(only.setting) }
      : { kind: 'fingerprint', sha256: fingerprint(only.setting) }
  }
  return { kind: 'system' }
}

function certificates({ text, label }: Given): string {
  const pem = givenFile(text, `${label}: ${text} cannot be used`).toString('utf8')
  // TLS silently ignores the certificates of a bundle that it cannot read.
  const parts = pem.split(/(?=-----BEGIN CERTIFICATE-----)/).filter(part => part.startsWith('-'))
  try {
    if (!parts.length) throw new Error('none')
    for (const part of parts) new X509Certificate(part)
  } catch {
    throw new ConfigError(`${label}: ${text} cannot be used: it holds no certificate in PEM, or a broken one`)
  }
  return pem
}

function fingerprint({ text, label }: Given): string {
  const hex = text
    .replace(/^.*[=]|^sha-?256:/i, '')
    .replace(/[:\s]/g, '')
    .toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(hex))
    throw new ConfigError(`${label} must be a SHA-256 fingerprint: 64 hex digits, with or without colons`)
  return hex.match(/../g)?.join(':') ?? hex
}

/** Reads the control endpoint of a mock Core target. */
function controlOf(settings: Settings): ControlEndpoint | undefined {
  const setting = settings.get('control-url')
  if (!setting) return undefined
  const key = settings.secret('CORE_CONTROL_KEY')
  if (!key) throw new ConfigError(`${setting.label} needs the key that the mock Core printed, in CORE_CONTROL_KEY`)
  return { url: baseUrl(setting, 'http:').origin, key }
}

/** Reads the Core of a command; its `target` is undefined for the embedded mock Core. */
export function coreConfig(settings: Settings) {
  return {
    target: targetOf(settings),
    username: settings.value(USERNAME),
    password: settings.secret('CORE_PASSWORD'),
    control: controlOf(settings),
  }
}

/** Reads the settings that decide how a run goes, as the result records them. */
export function configurationOf(settings: Settings): ConfigurationRecord {
  const lifetime = settings.get('idle-lifetime')
  return { ...recordOf(each => settings.value(each)), ...(lifetime && { idleLifetimeFrom: lifetime.label }) }
}

/**
 * Returns the Core that a command talks to: the user's own, or without a target a mock Core in a child process.
 * @throws ConfigError if credentials are missing
 */
export async function coreUnderTest(
  config: ReturnType<typeof coreConfig> & ConfigurationRecord,
  terminal: Terminal,
): Promise<CoreUnderTest> {
  const { target, control, username, password, accessControl } = config
  if (!target) return embeddedMock(config)
  // An open Core needs no logon: the run tries one only where both were given, and asks for neither.
  if (accessControl === 'off')
    return ownCore({ ...target, username: username ?? '', password: password ?? '' }, control)
  if (username === undefined) throw new ConfigError('no user name: set CORE_USERNAME, or pass --username')
  const asked = password ?? (await askPassword(terminal, `Password of ${username}: `))
  return ownCore({ ...target, username, password: asked }, control)
}
