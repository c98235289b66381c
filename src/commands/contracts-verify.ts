import { access, constants, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContractsVerifyConfig, contractsVerifyConfig } from '../config/contracts.js'
import { ConfigError } from '../config/error.js'
import type { Settings } from '../config/settings.js'
import { type Contract, parseContract } from '../contract/contract-file.js'
import { ContractError } from '../contract/problem.js'
import type { Verification } from '../contract/verification.js'
import { clockOf } from '../engine/clock.js'
import { count } from '../ground/count.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../ground/file.js'
import { unobeyed } from '../report/fence.js'
import { createProgress } from '../report/index.js'
import { inert } from '../report/inert.js'
import { createFolder, explained, writeWhole } from '../report/write.js'
import { systemReason } from '../suite/problem.js'
import { type Terminal, untilSignal } from '../terminal.js'
import { EXIT_CODES } from './conduct.js'
import { opponent } from './opponent.js'

const REPORT = 'contracts.junit.xml'

/**
 * `core-conformance contracts verify`: verifies contracts on a Core, and writes what came of it.
 * @returns the exit code
 * @throws ConfigError before anything is sent
 */
export async function contractsVerify(settings: Settings, terminal: Terminal): Promise<number> {
  const config = contractsVerifyConfig(settings)
  const contracts = await readContracts(settings.operands, terminal)
  await prepareFolder(config.outDir)
  const signal = untilSignal(terminal, 'Interrupted: revoking tokens. Once more stops at once.')
  const progress = createProgress(terminal.stderr, terminal.progress)
  signal.addEventListener('abort', () => progress.stop())
  const startedMs = Date.now()
  const { target, control, kind, close } = await opponent(config, terminal)
  let verification: Verification
  try {
    const { verifyContracts } = await import('../contract/verify.js')
    verification = await verifyContracts({
      ...config,
      contracts,
      target,
      targetKind: kind,
      clock: clockOf(control),
      signal,
      waiting: ({ untilMs, interactions }) => {
        const total = contracts.flatMap(contract => contract.interactions).length
        const wait = {
          spec: count(interactions, 'interaction'),
          what: 'a token to expire',
          fromMs: Date.now(),
          untilMs,
        }
        progress.show({ done: total - interactions, failed: 0, total, startedMs, endsMs: untilMs, waits: [wait] })
      },
    })
  } finally {
    progress.stop()
    await close()
  }
  return report(verification, { ...config, isRead: settings.github() !== undefined }, terminal)
}

async function report(
  verification: Verification,
  { outDir, isRead }: ContractsVerifyConfig & { isRead: boolean },
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr, color } = terminal
  const { renderContracts } = await import('../report/contracts.js')
  stdout.write(unobeyed(renderContracts(verification, { columns: stdout.columns ?? 80, color }), isRead))
  const code = EXIT_CODES[verification.verdict]
  try {
    const { renderJunitOf } = await import('../report/junit.js')
    const file = join(outDir, REPORT)
    await writeWhole(file, renderJunitOf(verification), '--out')
    stdout.write(`Report: ${inert(file)}\n`)
    return code
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return code || EXIT_CODES.incomplete
  }
}

/** Reads the contracts; what is a JSON Schema, as lies beside contracts in some folders, is told and left out. */
async function readContracts(files: string[], { stderr }: Terminal): Promise<Contract[]> {
  const contracts: Contract[] = []
  const twice = files.find((file, index) => files.indexOf(file) !== index)
  if (twice !== undefined) throw new ConfigError(`${inert(twice)} is named twice`)
  for (const file of files) {
    const text = textOf(file)
    try {
      const contract = parseContract(text, file)
      if (contract) contracts.push(contract)
      else stderr.write(`core-conformance: ${inert(file)} is a JSON Schema, and no contract: left out\n`)
    } catch (error) {
      throw error instanceof ContractError ? new ConfigError(error.message) : error
    }
  }
  if (!contracts.length) throw new ConfigError('none of the files is a contract')
  return contracts
}

function textOf(file: string): string {
  try {
    return readRegular(file, MOST_FILE_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof Unreadable) throw new ConfigError(`${inert(file)} ${error.message}`)
    throw new ConfigError(`${inert(file)} cannot be read: ${systemReason(error, 'file')}`)
  }
}

/** Sees to it that the report can be written, and takes that of an earlier run away. */
async function prepareFolder(outDir: string): Promise<void> {
  try {
    await createFolder(outDir, '--out')
    await access(outDir, constants.W_OK).catch(cause => {
      throw explained('Cannot write to', outDir, cause, '--out')
    })
    const file = join(outDir, REPORT)
    await rm(file, { force: true }).catch(cause => {
      throw explained('Cannot replace', file, cause, '--out')
    })
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
