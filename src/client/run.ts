import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DialectData, type MockCore, type RecordedRequest, startMockCore } from '../mock/index.js'
import { type RunningCommand, runCommand } from './command.js'
import { judge, verdictOf } from './judge.js'
import { makePassword } from './password.js'
import { isLogon, isWork } from './requests.js'
import type { ClientEnd, ClientRecord, ClientResult, ScenarioResult } from './result.js'
import type { Scenario } from './scenarios.js'

/** A client is ended after so many requests in a row that were refused: it will not come to its senses. */
const FLOOD = 50

/** More requests than any piece of work needs; a record is no place for more. */
const MOST_REQUESTS = 10_000

/** What is run. */
export interface ClientOptions {
  /** The client's command with its arguments. */
  command: readonly string[]
  scenarios: readonly Scenario[]
  /** The environment that the command gets, beside what tells it of the Core. */
  env: Readonly<Record<string, string>>
  /** For each scenario, after which the command is killed. */
  timeoutMs: number
  /** How long a late answer takes in the scenario `slow`; default 2 000. */
  slowMs?: number
  /** How the Core does what the reference leaves open. */
  dialect?: DialectData
  /** Ends everything: the scenario under way is inconclusive, and no other is begun. */
  signal?: AbortSignal
  /** Told before each scenario. */
  starting?: (scenario: Scenario) => void
}

/** Runs a client's command in each scenario, one after the other, and judges it. */
export async function runClient(options: ClientOptions): Promise<ClientResult> {
  const startedAt = new Date().toISOString()
  const startMs = performance.now()
  const scenarios: ScenarioResult[] = []
  for (const scenario of options.scenarios) {
    if (options.signal?.aborted) break
    options.starting?.(scenario)
    scenarios.push(judge(scenario, await recordOf(scenario, options)))
  }
  return {
    command: options.command,
    startedAt,
    durationMs: performance.now() - startMs,
    scenarios,
    ...verdictOf(scenarios),
  }
}

/** What a client does in one scenario, against a mock Core of its own. */
export async function recordOf(scenario: Scenario, options: ClientOptions): Promise<ClientRecord> {
  const credentials = { username: 'client', password: makePassword() }
  const requests: RecordedRequest[] = []
  let running: RunningCommand | undefined
  let eventAfter: number | null = null
  let refusedInARow = 0
  let failedHandshakes = 0
  const core: MockCore = await startMockCore({
    username: credentials.username,
    password: scenario.wrongPassword ? randomBytes(12).toString('hex') : credentials.password,
    ...(options.dialect && { dialect: options.dialect }),
    log: line => {
      if (/^\S+ not TLS: /.test(line)) failedHandshakes += 1
    },
    answered: request => {
      requests.push(request)
      const isAccepted = request.issued !== null || request.token?.state === 'valid'
      refusedInARow = isAccepted ? 0 : refusedInARow + 1
      if (refusedInARow >= FLOOD || requests.length >= MOST_REQUESTS) running?.end('flood')
      if (eventAfter === null && scenario.event && isWork(request) && request.token?.state === 'valid') {
        eventAfter = request.number
        scenario.event(core)
      }
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'core-conformance-client-'))
  const interrupt = () => running?.end('interrupted')
  const startMs = performance.now()
  let end: ClientEnd
  try {
    const caFile = join(folder, 'core.pem')
    await writeFile(caFile, `${core.certificatePem.trim()}\n`, { mode: 0o600 })
    scenario.prepare?.(core, options.slowMs ?? 2_000)
    running = runCommand(options.command, environment(core, credentials, caFile, scenario, options), options.timeoutMs)
    if (options.signal?.aborted) interrupt()
    options.signal?.addEventListener('abort', interrupt, { once: true })
    end = await running.ended
  } finally {
    options.signal?.removeEventListener('abort', interrupt)
    await core.close()
    await rm(folder, { recursive: true, force: true })
  }
  const { issued, live } = core.state().tokens
  return {
    scenario: scenario.name,
    credentials,
    requests: requests.sort((a, b) => a.number - b.number),
    eventAfter,
    end,
    tokens: { issued: Math.max(issued, requests.filter(isLogon).filter(({ issued }) => issued !== null).length), live },
    failedHandshakes,
    durationMs: performance.now() - startMs,
  }
}

/** What tells a command of the Core. The names are those that the rest of the product takes. */
function environment(
  core: MockCore,
  { username, password }: ClientRecord['credentials'],
  caFile: string,
  { name }: Scenario,
  { env }: ClientOptions,
): Record<string, string> {
  const loopback = ['127.0.0.1', 'localhost']
  const unproxied = [env.NO_PROXY ?? env.no_proxy, ...loopback].filter(Boolean).join(',')
  return {
    ...env,
    // A proxy could not reach the loopback host of this machine.
    NO_PROXY: unproxied,
    no_proxy: unproxied,
    // Added to what Node trusts; the variables of others replace what they trust.
    NODE_EXTRA_CA_CERTS: caFile,
    CORE_URL: core.url,
    CORE_USERNAME: username,
    CORE_PASSWORD: password,
    CORE_CA_FILE: caFile,
    CORE_SCENARIO: name,
  }
}
