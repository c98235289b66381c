import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { clockOf } from '../../engine/clock.js'
import { count } from '../../ground/count.js'
import { Broker, BrokerError } from '../../pact/broker/broker.js'
import { publishedResult } from '../../pact/broker/publish.js'
import { type Contract, contractName } from '../../pact/read/contract-file.js'
import type { Verification } from '../../pact/verify/verification.js'
import { unobeyed } from '../../report/fence.js'
import { createProgress, type RunWait } from '../../report/index.js'
import { inert } from '../../report/inert.js'
import { writeWhole } from '../../report/write.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { coreUnderTest } from '../shared/core-under-test.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { checkFolder } from '../shared/folder.js'
import { readContracts } from './sources.js'
import { type ContractsVerifyConfig, contractsVerifyConfig } from './verify-config.js'

const REPORT = 'contracts.junit.xml'

/**
 * `core-conformance contracts verify`: verifies contracts on a Core, and writes the report.
 * @returns the exit code
 * @throws ConfigError before anything is sent
 */
export async function contractsVerify(settings: Settings, terminal: Terminal): Promise<number> {
  const config = contractsVerifyConfig(settings)
  const signal = untilSignal(terminal, 'Interrupted: revoking tokens. Once more stops at once.')
  const broker = config.broker && new Broker(config.broker, signal)
  const contracts = await readContracts(settings.operands, { ...config, broker, signal }, terminal)
  await checkFolder(config.outDir, [REPORT])
  const progress = createProgress(terminal.stderr, terminal.progress)
  signal.addEventListener('abort', () => progress.stop())
  const startedMs = Date.now()
  const total = contracts.flatMap(contract => contract.interactions).length
  const show = (done: number, endsMs: number, waits: RunWait[]) =>
    progress.show({ done, failed: 0, total, noun: 'interaction', startedMs, endsMs, waits })
  const { target, control, kind, close } = await coreUnderTest(config, terminal)
  let verification: Verification
  try {
    const { verifyContracts } = await import('../../pact/verify/verify.js')
    verification = await verifyContracts({
      ...config,
      contracts,
      secrets: config.broker?.secrets ?? [],
      target,
      targetKind: kind,
      clock: clockOf(control),
      signal,
      verified: done => show(done, Number.NaN, []),
      waiting: ({ untilMs, interactions: many }) => {
        const spec = count(many, 'interaction')
        show(total - many, untilMs, [{ spec, many, what: 'a token to expire', fromMs: Date.now(), untilMs }])
      },
    })
  } finally {
    progress.stop()
    await close()
  }
  const code = await report(verification, { ...config, isRead: settings.github() !== undefined }, terminal)
  if (!config.publish || !broker) return code
  const isPublished = await publish(broker, { ...config, ...config.publish }, contracts, verification, terminal)
  return isPublished ? code : code || EXIT_CODES.incomplete
}

/**
 * Publishes the result of each contract, and prints it.
 * @returns whether all results are published
 */
async function publish(
  broker: Broker,
  { provider, version, branch }: Pick<ContractsVerifyConfig, 'provider' | 'branch'> & { version: string },
  contracts: Contract[],
  verification: Verification,
  { stdout, stderr }: Terminal,
): Promise<boolean> {
  let isWhole = true
  const not = (name: string, why: string) => {
    isWhole = false
    stderr.write(`core-conformance: ${inert(`${name}: no result was published: ${why}`)}\n`)
  }
  try {
    if (branch !== undefined) await broker.nameBranch(provider, branch, version)
    for (const contract of contracts) {
      const name = contractName(contract)
      const specs = verification.specs.filter(({ file }) => file === contract.file)
      const result = publishedResult(contract, specs, version)
      if (contract.resultsUrl === undefined) not(name, 'it says no address for results, as one of a broker does')
      else if (typeof result === 'string') not(name, result)
      else {
        await broker.publish(contract.resultsUrl, result)
        const told = `${name} ${result.success ? 'holds' : 'does not hold'} on ${provider} ${version}`
        stdout.write(`Published: ${inert(told)}\n`)
      }
    }
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error
    not(provider, error.message)
  }
  return isWhole
}

async function report(
  verification: Verification,
  { outDir, isRead }: ContractsVerifyConfig & { isRead: boolean },
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr, color } = terminal
  const { renderContracts } = await import('../../report/contracts.js')
  stdout.write(unobeyed(renderContracts(verification, { columns: stdout.columns ?? 80, color }), isRead))
  const code = EXIT_CODES[verification.verdict]
  try {
    const { renderJunitOf } = await import('../../report/junit.js')
    const file = join(outDir, REPORT)
    await writeWhole(file, renderJunitOf(verification), '--out')
    stdout.write(`Report: ${inert(file)}\n`)
    return code
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return code || EXIT_CODES.incomplete
  }
}
