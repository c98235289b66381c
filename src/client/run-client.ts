import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DialectData,
  type FileRoute,
  type MockCore,
  makeCertificate,
  type RecordedRequest,
  startMockCore,
} from '../mock/index.js'
import { judge, verdictOf } from './judge-client.js'
import { makePassword, Printed } from './printed.js'
import { isLogon } from './requests.js'
import type { ClientEnd, ClientRecord, ClientResult, ScenarioResult } from './result.js'
import { type RunningCommand, runCommand, ScenarioRun } from './scenario-run.js'
import type { Scenario } from './scenarios.js'
import { trustFiles } from './trust.js'

/** Number of refused requests in a row after which the client is ended. */
const FLOOD = 50

/** Most requests in a record: more than any piece of work needs. */
const MOST_REQUESTS = 10_000

interface ClientOptions {
  command: readonly string[]
  scenarios: readonly Scenario[]
  /** The environment of the command. The variables that name the Core are added to it. */
  env: Readonly<Record<string, string>>
  /** Time after which the command is killed, for each scenario. */
  timeoutMs: number
  /** Delay of a late answer in the scenario `slow`; default 2 000. */
  slowMs?: number
  /** Longest time that a client may wait for the missing answer in the scenario `hang`; default 40 000. */
  hangMs?: number
  /** The ids of the rules that are left out. */
  ignore?: readonly string[]
  /** How the Core does what the reference leaves open. */
  dialect?: DialectData
  /** Authenticated endpoints, in addition to those of the reference. */
  routes?: readonly FileRoute[]
  /** Stops the run: the current scenario becomes inconclusive, and no other begins. */
  signal?: AbortSignal
  /** Gets what the command prints, on either of its streams, without passwords and tokens; absent: it is not shown. */
  output?: (text: string) => void
  starting?: (scenario: Scenario) => void
}

/** Runs a client's command in each scenario, one after the other, and judges the client. */
export async function runClient(options: ClientOptions): Promise<ClientResult> {
  const startedAt = new Date().toISOString()
  const startMs = performance.now()
  const scenarios: ScenarioResult[] = []
  const ignored = options.ignore ?? []
  for (const scenario of options.scenarios) {
    if (options.signal?.aborted) break
    options.starting?.(scenario)
    const record = await recordOf(scenario, options)
    scenarios.push(judge(scenario, record, ignored))
    // What does not start now starts in no other scenario.
    if (record.end.kind === 'not started') break
  }
  return {
    command: options.command,
    startedAt,
    durationMs: performance.now() - startMs,
    scenarios,
    ...verdictOf(scenarios),
    ignored,
  }
}

/** Runs a client's command in one scenario, against a new mock Core, and records what the client does. */
async function recordOf(scenario: Scenario, options: ClientOptions): Promise<ClientRecord> {
  const credentials = { username: 'client', password: makePassword() }
  const certificate = await makeCertificate()
  const password = () => randomBytes(12).toString('hex')
  // The host that a redirect leads to has the same certificate, knows no user, and records its requests.
  const elsewhere =
    scenario.name === 'redirect'
      ? await startMockCore({ username: 'nobody', password: password(), certificate })
      : undefined
  const requests: RecordedRequest[] = []
  const given = options.env
  let running: RunningCommand | undefined
  let hanging: NodeJS.Timeout | undefined
  let refusedInARow = 0
  const unused = { trusted: 0, untrusted: 0 }
  const connections: Promise<void>[] = []
  const printed = new Printed(credentials, options.output)
  const play = new ScenarioRun(scenario, () => core, elsewhere?.url.replace('127.0.0.1', 'localhost') ?? '')
  const core: MockCore = await startMockCore({
    username: credentials.username,
    password: scenario.wrongPassword ? password() : credentials.password,
    certificate,
    ...(options.dialect && { dialect: options.dialect }),
    connected: ended => {
      const presented = play.isUntrusted ? 'untrusted' : 'trusted'
      const counted = ended.then(hasRequest => {
        // A command that is killed in the middle of a handshake did not refuse the certificate.
        if (!hasRequest && !running?.isBeingEnded()) unused[presented] += 1
      })
      connections.push(counted)
    },
    issued: token => printed.hide(token, 'token'),
    stage: (request, hasNewest) => {
      const fate = play.meet(request, hasNewest)
      const isHanging = () =>
        requests.some(({ number, durationMs }) => number === request.number && durationMs === null)
      if (fate?.fate === 'never')
        hanging = setTimeout(() => isHanging() && running?.end('hang'), options.hangMs ?? 40_000)
      return fate
    },
    answered: request => {
      requests.push(request)
      if ((request.status ?? 0) < 400) refusedInARow = 0
      else if (!play.isHeld(request)) refusedInARow += 1
      if (refusedInARow >= FLOOD || requests.length >= MOST_REQUESTS) running?.end('flood')
      play.decided(request)
    },
  })
  for (const { method, path, answer } of options.routes ?? []) core.on(method, path, answer)
  const folder = await mkdtemp(join(tmpdir(), 'core-conformance-client-'))
  const interrupt = () => running?.end('interrupted')
  const startMs = performance.now()
  let end: ClientEnd
  try {
    const trusted = scenario.untrusted ? (await makeCertificate()).certificate : core.certificatePem
    const trust = await trustFiles(folder, trusted, given)
    scenario.prepare?.(core, options.slowMs ?? 2_000)
    const unproxied = [given.NO_PROXY ?? given.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',')
    const env = {
      ...given,
      // A proxy cannot reach the loopback address of this machine.
      NO_PROXY: unproxied,
      no_proxy: unproxied,
      ...trust,
      // The Core is named by the variables that the other commands read.
      CORE_URL: core.url,
      CORE_USERNAME: credentials.username,
      CORE_PASSWORD: credentials.password,
      CORE_SCENARIO: scenario.name,
    }
    running = runCommand(options.command, { env, timeoutMs: options.timeoutMs, printed })
    if (options.signal?.aborted) interrupt()
    options.signal?.addEventListener('abort', interrupt, { once: true })
    end = await running.ended
  } finally {
    clearTimeout(hanging)
    options.signal?.removeEventListener('abort', interrupt)
    await Promise.all([core.close(), elsewhere?.close()])
    // A command is often seen to end before its connections are.
    await Promise.all(connections)
    await rm(folder, { recursive: true, force: true })
  }
  const { issued, live } = core.state().tokens
  const { eventAfter, met } = play
  return {
    scenario: scenario.name,
    credentials,
    requests: requests.sort((a, b) => a.number - b.number),
    eventAfter,
    met: [...met].sort((a, b) => a - b),
    elsewhere: elsewhere?.requests ?? [],
    end,
    tokens: { issued: Math.max(issued, requests.filter(isLogon).filter(({ issued }) => issued !== null).length), live },
    unused,
    printed: printed.secrets,
    durationMs: performance.now() - startMs,
  }
}
