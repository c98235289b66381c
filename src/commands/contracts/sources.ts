/** Reads the contracts to verify: from files, from URLs, or those that a broker selects. */
import { ConfigError } from '../../config/error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { type Broker, BrokerError, fetchContract } from '../../pact/broker/broker.js'
import type { Selector } from '../../pact/broker/selector.js'
import { type Contract, isUrl, parseContract } from '../../pact/read/contract-file.js'
import { ContractError } from '../../pact/read/problem.js'
import { inert } from '../../report/inert.js'
import { systemReason } from '../../suite/problem.js'
import type { Terminal } from '../../terminal.js'

/** The broker that contracts come from, and the settings for reading them. */
export interface Sources {
  /** Undefined: the user named no broker. */
  broker: Broker | undefined
  /** The name of the Core at the broker. */
  provider: string
  selectors: readonly Selector[]
  branch: string | undefined
  signal: AbortSignal
}

/** The text of a contract. */
interface Read {
  /** Its file or URL. */
  file: string
  text: string
  /** Whether the contract is pending: its interactions may fail. */
  pending: boolean
}

/**
 * Reads the contracts that the user named, else those that the broker selects. Leaves a JSON Schema out, with a message: some
 * folders hold one beside the contracts.
 * @param named files and URLs
 * @throws ConfigError for a file that is no contract; Error for a URL that cannot be fetched, and if the broker selects nothing
 */
export async function readContracts(named: string[], sources: Sources, { stderr }: Terminal): Promise<Contract[]> {
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
    const text = isUrl(file) ? await fetched(plain(file), broker, signal) : textOf(file)
    found.push({ file, text, pending: false })
  }
  return found
}

/** Fetches a contract. Uses the broker for its own URLs: only there may the broker's credentials go. */
function fetched(url: string, broker: Broker | undefined, signal: AbortSignal): Promise<string> {
  return broker?.owns(url) ? broker.contract(url) : fetchContract(url, signal)
}

async function readSelected({ broker, provider, selectors, branch }: Sources): Promise<Read[]> {
  const selected = (await broker?.select(provider, selectors, branch)) ?? []
  // Fail, as Pact's own verifier does: an empty selection is mostly a misspelt name.
  if (!broker || !selected.length)
    throw new Error(
      `the broker selects no contract of '${inert(provider)}', so nothing was verified: look at --provider and --selector`,
    )
  const found: Read[] = []
  for (const { url, pending } of selected) found.push({ file: url, text: await broker.contract(url), pending })
  return found
}

function parsed({ file, text, pending }: Read): Contract | undefined {
  try {
    const contract = parseContract(text, file)
    if (!contract || !pending) return contract
    for (const interaction of contract.interactions) interaction.pending = true
    return { ...contract, pending }
  } catch (error) {
    throw error instanceof ContractError ? new ConfigError(error.message) : error
  }
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

function textOf(file: string): string {
  try {
    return readRegular(file, MOST_FILE_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof Unreadable) throw new ConfigError(`${inert(file)} ${error.message}`)
    throw new ConfigError(`${inert(file)} cannot be read: ${systemReason(error, 'file')}`)
  }
}
