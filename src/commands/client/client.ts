import { join } from 'node:path'
import { renderClientConsole } from '../../client/report/console.js'
import { renderClientJunit } from '../../client/report/junit.js'
import type { ClientResult } from '../../client/result.js'
import { runClient } from '../../client/run-client.js'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { DialectData } from '../../mock/index.js'
import { unobeyed } from '../../report/fence.js'
import { createProgress } from '../../report/index.js'
import { inert } from '../../report/inert.js'
import { writeWhole } from '../../report/write.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { checkFolder } from '../shared/folder.js'
import { mockFiles } from '../shared/mock-files.js'
import { type ClientConfig, clientConfig } from './config.js'

/** The file that CI reads. */
const JUNIT = 'client.junit.xml'

/**
 * `core-conformance client`: runs a client's command against a mock Core in each scenario, and judges its requests.
 * @returns the exit code
 * @throws ConfigError for a setting that cannot be used, and for a command that cannot be started
 */
export async function client(settings: Settings, terminal: Terminal): Promise<number> {
  const { dialectFile, routesFile, outDir, contracts, ...config } = clientConfig(settings)
  const { stdout, stderr, color } = terminal
  const tell = (text: string) => stderr.write(`core-conformance: ${inert(text)}\n`)
  const { dialect, routes } = await mockFiles(settings, dialectFile, routesFile, terminal)
  const junit = join(outDir, JUNIT)
  await checkFolder(outDir, [JUNIT])
  if (contracts.consumers.length) await (await import('../contracts/folder.js')).prepareContracts(contracts)
  const signal = untilSignal(terminal, 'Interrupted: ending the client. Once more stops at once.')
  // The client writes to stderr, too, so nothing is redrawn there.
  const progress = createProgress(stderr, { live: false })
  const startedMs = Date.now()
  const counts = {
    failed: 0,
    total: config.scenarios.length,
    noun: 'scenario',
    startedMs,
    endsMs: Number.NaN,
    waits: [],
  }
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
  const text = renderClientConsole(result, { columns: stdout.columns ?? 80, color })
  stdout.write(unobeyed(text, settings.github() !== undefined))
  const code = signal.aborted && result.verdict === 'conformant' ? EXIT_CODES.incomplete : EXIT_CODES[result.verdict]
  try {
    await writeWhole(junit, renderClientJunit(result), '--out')
    stdout.write(`Report: ${junit}\n`)
    if (signal.aborted || !contracts.consumers.length) return code
    const isWritten = await writeContracts(result, dialect, contracts, terminal, signal)
    return isWritten ? code : code || EXIT_CODES.incomplete
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
    return code || EXIT_CODES.incomplete
  }
}

/**
 * Writes the contract of the interactions that the client used, for each consumer.
 * @returns whether the contracts were written; else a message on stderr says why
 */
async function writeContracts(
  result: ClientResult,
  dialect: DialectData | undefined,
  contracts: ClientConfig['contracts'],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { usedInteractions } = await import('../../pact/make/client-use.js')
  const { writeContracts } = await import('../contracts/files.js')
  const { specs } = await loadSpecs([])
  const { pinStatuses, strictToken, fields } = contracts
  const used = () => usedInteractions(result, { dialect, specs, pinStatuses, strictToken, fields })
  const hasPassed = result.scenarios.some(({ outcome }) => outcome === 'passed')
  const unless = hasPassed ? 'nothing that the client sent can stand in one' : 'the client passed no scenario'
  return writeContracts(used, contracts, terminal, { signal, unless })
}
