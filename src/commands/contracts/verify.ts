import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { Broker, BrokerError, fetched } from '../../pact/broker/broker.js'
import { publishedResult } from '../../pact/broker/publish.js'
import { type Contract, contractName, isUrl, parseContract } from '../../pact/read/contract-file.js'
import { inert, unobeyed } from '../../report/inert.js'
import { createProgress } from '../../report/progress.js'
import { VERDICTS } from '../../result/outcomes.js'
import type { RunResult } from '../../result.js'
import { listenerOf } from '../../runner/listener.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { checkFolder } from '../shared/folder.js'
import { givenFile } from '../shared/given.js'
import { publishFile } from '../shared/publish.js'
import { coreUnderTest } from '../shared/target.js'
import { type ContractsVerifyConfig, contractsRun, contractsVerifyConfig } from './verify-config.js'

const REPORT = 'contracts.junit.xml'

/** `core-conformance contracts verify`: verifies contracts on a Core, and writes the report. */
export async function contractsVerify(settings: Settings, terminal: Terminal): Promise<number> {
  const config = contractsVerifyConfig(settings)
  const signal = untilSignal(terminal, 'Interrupted: revoking tokens. Once more stops at once.')
  const broker = config.broker && new Broker(config.broker, signal)
  const contracts = await readContracts(settings.operands, { ...config, broker, signal }, terminal)
  await checkFolder(config.outDir, [REPORT])
  const progress = createProgress(terminal.stderr, terminal.progress)
  signal.addEventListener('abort', () => progress.stop())
  const core = await coreUnderTest(config, terminal)
  let verification: RunResult
  try {
    const { verifyContracts } = await import('../../pact/verify/verify.js')
    const run = await contractsRun(config, core)
    const listener = listenerOf(run.clock, activity => progress.show({ ...activity, noun: 'interaction' }))
    const { meanings } = config
    const secrets = config.broker?.secrets ?? []
    verification = await verifyContracts({ ...run, listener, signal }, { contracts, meanings, secrets })
  } finally {
    progress.stop()
    await core.close()
  }
  const code = await report(verification, { ...config, isRead: settings.github() !== undefined }, terminal)
  if (!config.publish || !broker) return code
  const isPublished = await publish(broker, { ...config, ...config.publish }, contracts, verification, terminal)
  return isPublished ? code : code || VERDICTS.incomplete.exitCode
}

/** Publishes the result of each contract, and prints it. @returns whether all results are published */
async function publish(
  broker: Broker,
  { provider, version, branch }: ContractsVerifyConfig & { version: string },
  contracts: Contract[],
  verification: RunResult,
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
  verification: RunResult,
  { outDir, isRead }: ContractsVerifyConfig & { isRead: boolean },
  terminal: Terminal,
): Promise<number> {
  const { stdout, color } = terminal
  const { renderContracts } = await import('../../report/contracts.js')
  stdout.write(unobeyed(renderContracts(verification, { columns: stdout.columns ?? 80, color }), isRead))
  const code = VERDICTS[verification.verdict].exitCode
  const { renderJunit } = await import('../../report/junit.js')
  const isWritten = await publishFile(join(outDir, REPORT), renderJunit(verification, []), terminal)
  return isWritten ? code : code || VERDICTS.incomplete.exitCode
}

/** The settings for reading contracts, with the broker that they come from; undefined: the user named none. */
type Sources = Omit<ContractsVerifyConfig, 'broker'> & { broker: Broker | undefined; signal: AbortSignal }

/** The text of a contract. */
interface Read {
  file: string
  text: string
  /** Whether the contract is pending: its interactions may fail. */
  pending: boolean
}

/**
 * Reads the contracts that the user named, else those that the broker selects. Leaves a JSON Schema out, with a message: some
 * folders hold one beside the contracts.
 * @throws ConfigError for a file that is no contract; Error for a URL that cannot be fetched, and if the broker selects nothing
 */
async function readContracts(named: string[], sources: Sources, { stderr }: Terminal): Promise<Contract[]> {
  const twice = named.find((file, index) => named.indexOf(file) !== index)
  if (twice !== undefined) throw new ConfigError(`${inert(twice)} is named twice`)
  const contracts: Contract[] = []
  const all = await (named.length ? readNamed(named, sources) : readSelected(sources)).catch(error => {
    throw error instanceof BrokerError ? new Error(error.message) : error
  })
  for (const read of all) {
    const contract = parsed(read)
    if (contract) contracts.push(contract)
    else stderr.write(`core-conformance: ${inert(read.file)} is a JSON Schema, and no contract: left out\n`)
  }
  if (!contracts.length) throw new ConfigError('none of the files is a contract')
  return contracts
}

async function readNamed(named: string[], { broker, signal }: Sources): Promise<Read[]> {
  const found: Read[] = []
  for (const file of named) {
    const url = isUrl(file) ? plain(file) : undefined
    // The broker fetches its own URLs: only there may its credentials go.
    const text = url
      ? await (broker?.owns(url) ? broker.ask('GET', url) : fetched(url, signal))
      : givenFile(file, `${inert(file)} cannot be read`).toString()
    found.push({ file, text, pending: false })
  }
  return found
}

async function readSelected({ broker, provider, selectors, branch }: Sources): Promise<Read[]> {
  const selected = (await broker?.select(provider, selectors, branch)) ?? []
  // Fail, as Pact's own verifier does: an empty selection is mostly a misspelt name.
  if (!broker || !selected.length)
    throw new Error(
      `the broker selects no contract of '${inert(provider)}', so nothing was verified: look at --provider and --selector`,
    )
  const found: Read[] = []
  for (const { url, pending } of selected) found.push({ file: url, text: await broker.ask('GET', url), pending })
  return found
}

function parsed({ file, text, pending }: Read): Contract | undefined {
  const contract = parseContract(text, file)
  if (!contract || !pending) return contract
  for (const interaction of contract.interactions) interaction.pending = true
  return { ...contract, pending }
}

/**
 * Checks that a URL holds no credentials, so that messages may repeat it.
 * @throws ConfigError for a URL with credentials, and a text that is no URL
 */
function plain(url: string): string {
  if (!URL.canParse(url)) throw new ConfigError(`${inert(url)} is no URL`)
  const { username, password } = new URL(url)
  if (username || password)
    throw new ConfigError(
      'the URL of a contract holds credentials: put them into PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD, name the broker with --broker, and give the plain URL',
    )
  return url
}
