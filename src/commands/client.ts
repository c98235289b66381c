import { join } from 'node:path'
import { RULES } from '../client/judge-client.js'
import { clientReport } from '../client/report/blocks.js'
import { renderClientJunit } from '../client/report/junit.js'
import type { ClientResult } from '../client/result.js'
import { runClient } from '../client/run-client.js'
import { SCENARIOS, type Scenario } from '../client/scenarios.js'
import type { Settings } from '../config/settings.js'
import { ConfigError } from '../ground/config-error.js'
import type { DialectData } from '../mock/index.js'
import type { GenerateOptions } from '../pact/make/consumer.js'
import { inert, unobeyed } from '../report/inert.js'
import { createProgress } from '../report/progress.js'
import { renderTerminal } from '../report/terminal.js'
import { VERDICTS } from '../result/outcomes.js'
import { loadSpecs } from '../runner/choose-specs.js'
import type { ValuesOf } from '../settings/setting.js'
import { type Terminal, untilSignal } from '../terminal.js'
import { generateOptions } from './contracts/config.js'
import { CLIENT } from './shared/declared.js'
import { checkFolder } from './shared/folder.js'
import { mockFiles, refuseStranger } from './shared/given.js'
import { publishFile } from './shared/publish.js'

/** The file that CI reads. */
const JUNIT = 'client.junit.xml'

/**
 * `core-conformance client`: runs a client's command against a mock Core in each scenario, and judges its requests.
 * @throws ConfigError for a setting that cannot be used, and for a command that cannot be started
 */
export async function client(settings: Settings, terminal: Terminal): Promise<number> {
  const { dialectFile, routesFile, outDir, contracts, ...config } = clientConfig(settings)
  const { stdout, stderr, color } = terminal
  const tell = (text: string) => stderr.write(`core-conformance: ${inert(text)}\n`)
  const { dialect, routes } = await mockFiles(settings, dialectFile, routesFile, terminal)
  const junit = join(outDir, JUNIT)
  await checkFolder(outDir, [JUNIT])
  if (contracts.consumers.length) await (await import('./contracts/folder.js')).prepareContracts(contracts)
  const signal = untilSignal(terminal, 'Interrupted: ending the client. Once more stops at once.')
  // The client writes to stderr, too, so nothing is redrawn there.
  const progress = createProgress(stderr, { live: false })
  const total = config.scenarios.length
  const counts = { failed: 0, total, noun: 'scenario', startedMs: Date.now(), endsMs: Number.NaN, waits: [] }
  let done = 0
  const result = await runClient({
    ...config,
    ...(dialect && { dialect }),
    routes,
    signal,
    output: text => stderr.write(text),
    starting: ({ name, title }) => {
      tell(`${name}: ${title}`)
      progress.show({ ...counts, done: done++ })
    },
  }).finally(() => progress.stop())
  const [first] = result.scenarios
  if (first?.record.end.kind === 'not started')
    throw new ConfigError(`${first.message}: name a program after --, by its path or as PATH has it`)
  const text = renderTerminal(clientReport(result), { columns: stdout.columns ?? 80, color })
  stdout.write(unobeyed(text, settings.github() !== undefined))
  const code =
    signal.aborted && result.verdict === 'conformant' ? VERDICTS.incomplete.exitCode : VERDICTS[result.verdict].exitCode
  const isReported = await publishFile(junit, renderClientJunit(result), terminal)
  const isWanted = isReported && !signal.aborted && contracts.consumers.length > 0
  const isWhole = isWanted ? await writeContracts(result, dialect, contracts, terminal, signal) : isReported
  return isWhole ? code : code || VERDICTS.incomplete.exitCode
}

/**
 * Writes the contract of the interactions that the client used, for each consumer.
 * @returns whether the contracts were written; else a message on stderr says why
 */
async function writeContracts(
  result: ClientResult,
  dialect: DialectData | undefined,
  contracts: GenerateOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { usedInteractions } = await import('../pact/make/client-use.js')
  const { writeContracts } = await import('./contracts/files.js')
  const { specs } = await loadSpecs([])
  const { pinStatuses, strictToken, fields } = contracts
  const used = () => usedInteractions(result, { dialect, specs, pinStatuses, strictToken, fields })
  const hasPassed = result.scenarios.some(({ outcome }) => outcome === 'passed')
  const unless = hasPassed ? 'nothing that the client sent can stand in one' : 'the client passed no scenario'
  return writeContracts(used, contracts, terminal, { signal, unless })
}

export function clientConfig(settings: Settings) {
  const given = settings.values(CLIENT.settings)
  return {
    ...given,
    command: settings.operands,
    scenarios: scenariosOf(given, settings),
    hangMs: hangOf(given, settings),
    ignore: ignoredOf(given, settings),
    contracts: generateOptions(settings),
    env: settings.foreign(),
  }
}

type Given = ValuesOf<typeof CLIENT.settings>

function scenariosOf({ scenario: names, anyCertificate }: Given, settings: Settings): Scenario[] {
  const known = SCENARIOS.map(({ name }): string => name)
  refuseStranger(settings, 'scenario', names, [...known, 'all'], 'scenario')
  const chosen = SCENARIOS.filter(({ name }) => !names.length || names.includes('all') || names.includes(name))
  if (!anyCertificate) return chosen
  const left = chosen.filter(({ name }) => !CERTIFICATE_SCENARIOS.includes(name))
  if (left.length > 0) return left
  throw new ConfigError(
    `${settings.get('allow-any-certificate')?.label} leaves out ${CERTIFICATE_SCENARIOS.join(' and ')}: there is no other scenario in ${settings.get('scenario')?.label}`,
  )
}

/** Scenarios and the rule that are left out for a client that is meant to take any certificate. */
const CERTIFICATE_SCENARIOS: readonly string[] = ['untrusted-certificate', 'changed-certificate']
const CERTIFICATE_RULE = 'certificate'

function ignoredOf({ ignore: names, anyCertificate }: Given, settings: Settings): string[] {
  const known = RULES.map(({ id }) => id)
  refuseStranger(settings, 'ignore', names, known, 'rule')
  const all = [...names, ...(anyCertificate ? [CERTIFICATE_RULE] : [])]
  return [...new Set(all)].sort()
}

/**
 * Returns how long the client may wait for an answer, in milliseconds. If only the timeout is set, and is shorter than the
 * default, returns two thirds of it.
 * @throws ConfigError if the user sets a wait that is not less than the timeout
 */
function hangOf({ hangMs, timeoutMs }: Given, settings: Settings): number {
  if (hangMs < timeoutMs) return hangMs
  if (settings.get('hang') === undefined) return Math.round((timeoutMs * 2) / 3)
  throw new ConfigError(`${settings.get('hang')?.label} must be less than --timeout, which ends the command`)
}
