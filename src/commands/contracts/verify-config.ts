import type { Settings } from '../../config/settings.js'
import { clockOf } from '../../engine/clock.js'
import type { RunOptions } from '../../engine/options.js'
import { ConfigError } from '../../ground/config-error.js'
import { SELECTORS, type Selector, selectorOf } from '../../pact/broker/selector.js'
import { MEANINGS, type Meanings, normalized } from '../../pact/read/meanings.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import { hint } from '../../suite/problem.js'
import { CONTRACTS_STATES, CONTRACTS_VERIFY, PROVIDER } from '../shared/declared.js'
import { configurationOf, coreConfig } from '../shared/target.js'

export type ContractsVerifyConfig = ReturnType<typeof contractsVerifyConfig>

export function contractsVerifyConfig(settings: Settings) {
  const broker = brokerOf(settings)
  const isUrl = settings.operands.some(operand => /^https?:/i.test(operand))
  if (!broker && !settings.operands.length)
    throw new ConfigError(`which contracts? Name files or URLs, or a broker with ${settings.label('broker')}`)
  for (const flag of ['selector', 'provider'] as const)
    if (!broker && settings.from(flag, 'flag'))
      throw new ConfigError(`--${flag} is about a broker: name it with --broker`)
  const { provider, selector, publish, version, branch, outDir } = settings.values(CONTRACTS_VERIFY.settings)
  if (publish && version === undefined)
    throw new ConfigError(`${settings.label('publish')} needs the version of the Core that was verified: add --version`)
  if (publish && !broker)
    throw new ConfigError(`${settings.label('publish')} needs the broker that results go to: name it with --broker`)
  if (publish && !isUrl && settings.operands.length > 0)
    throw new ConfigError(
      `${settings.label('publish')}: a file tells no place for its results; name its URL at the broker`,
    )
  const provided = providerConfig(settings)
  if (publish && !provided.target)
    throw new ConfigError(
      `${settings.label('publish')} needs a Core: name it with --target or CORE_URL; what holds on the embedded mock Core holds on no version of a Core`,
    )
  if (publish && provided.control)
    throw new ConfigError(
      `${settings.label('publish')} and ${settings.label('control-url')} exclude each other: a Core whose clock is advanced is a mock Core, and what holds there holds on no version of a Core`,
    )
  return {
    ...provided,
    broker,
    provider,
    selectors: selectorsOf(selector, branch, settings),
    publish: publish && version !== undefined ? { version } : undefined,
    branch,
    outDir,
  }
}

export function contractsStatesConfig(settings: Settings) {
  const { port = 0, json } = settings.values(CONTRACTS_STATES.settings)
  return { ...providerConfig(settings), port, json }
}

function providerConfig(settings: Settings) {
  const { maxRefusedLogons, refused, tokenField } = PROVIDER
  return {
    ...coreConfig(settings),
    ...configurationOf(settings),
    ...settings.values({ maxRefusedLogons, refused, tokenField }),
    meanings: meaningsOf(settings),
  }
}

/** Reads how to reach a broker, and the secrets in that, each with its name in reports. */
function brokerOf(settings: Settings) {
  const setting = settings.get('broker')
  if (!setting) return undefined
  const { text, label } = setting
  const wrong = (what: string) => new ConfigError(`${label} ${what}, such as https://broker.example`)
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw wrong('is not a URL: give the base URL of the broker')
  const url = new URL(text)
  if (url.username || url.password)
    throw wrong(
      'holds credentials: put them into PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD, and give the plain URL',
    )
  if (url.search || url.hash) throw wrong('must be the base URL, without a query')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const token = settings.secret('PACT_BROKER_TOKEN')
  const [username, password] = [settings.secret('PACT_BROKER_USERNAME'), settings.secret('PACT_BROKER_PASSWORD')]
  if (token !== undefined && username !== undefined)
    throw new ConfigError('PACT_BROKER_TOKEN and PACT_BROKER_USERNAME exclude each other: set one')
  // A secret from a file may end with a line break.
  if (token !== undefined && !/^[ -~]+$/.test(token))
    throw new ConfigError('PACT_BROKER_TOKEN has a character that no header can carry, such as a line break')
  if (token !== undefined)
    return { url, authorization: `Bearer ${token}`, secrets: [{ value: token, label: 'broker-token' }] }
  if (username === undefined) return { url, authorization: undefined, secrets: [] }
  const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
  return {
    url,
    authorization: `Basic ${basic}`,
    secrets: [
      ...(password ? [{ value: password, label: 'broker-password' }] : []),
      { value: basic, label: 'broker-credentials' },
    ],
  }
}

function selectorsOf(given: readonly string[], branch: string | undefined, settings: Settings): Selector[] {
  const label = settings.label('selector')
  const words = given.length ? given : ['main', 'deployed-or-released', ...(branch === undefined ? [] : ['matching'])]
  return words.map(text => {
    const selector = selectorOf(text)
    if (!selector)
      throw new ConfigError(
        `${label}: '${text}' selects nothing${hint(text, SELECTORS)}; write ${SELECTORS.join(', ')}`,
      )
    if (selector.matchingBranch && branch === undefined)
      throw new ConfigError(`${label}: 'matching' means the branch of the Core's version: add --branch`)
    return selector
  })
}

/**
 * Reads the meanings of provider states: `their words=valid token`, several separated by commas. A comma before the `=` belongs to the
 * words. Flags and variables beat the table in the configuration file.
 */
function meaningsOf(settings: Settings): Meanings {
  const label = settings.label('state')
  const given = new Map<string, string>()
  let words = ''
  for (const part of settings.value(PROVIDER.state)) {
    words = words ? `${words}, ${part}` : part
    const at = words.lastIndexOf('=')
    if (at < 0) continue
    const [from, to] = [normalized(words.slice(0, at)), normalized(words.slice(at + 1))]
    if (!from) throw new ConfigError(`${label}: no words stand before the '=' of '${words}'`)
    if (!MEANINGS.includes(to))
      throw new ConfigError(
        `${label}: '${to}' is no state that can be brought about${hint(to, MEANINGS)}; known: ${MEANINGS.join(', ')}`,
      )
    if ((given.get(from) ?? to) !== to) throw new ConfigError(`${label}: '${from}' is said to mean two things`)
    given.set(from, to)
    words = ''
  }
  if (words) throw new ConfigError(`${label}: '${words}' has no '=': write WORDS=STATE`)
  const meanings = [...given].map(([said, state]) => [said, [{ state, params: {}, gives: {} }]] as const)
  return new Map([...(settings.configFile?.states ?? []), ...meanings])
}

/** Returns the run in which contracts are verified, or their states served: it has no specs of the suite. */
export async function contractsRun(
  config: ReturnType<typeof providerConfig>,
  { target, control, kind }: CoreUnderTest,
): Promise<RunOptions> {
  return {
    suite: await loadSpecs([]),
    specs: [],
    configuration: config,
    target,
    targetKind: kind,
    tokenField: config.tokenField,
    clock: clockOf(control),
    advice: { patience: '--patience' },
  }
}
