import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runClient } from '../client/run.js'
import { clientConfig } from '../config/client.js'
import { ConfigError, type Settings } from '../config/settings.js'
import { loadDialect } from '../mock/index.js'
import { renderClientConsole } from '../report/client-console.js'
import { renderClientJunit } from '../report/client-junit.js'
import { inert } from '../report/inert.js'
import { createFolder, explained, writeWhole } from '../report/write.js'
import { type Terminal, untilSignal } from '../terminal.js'

/** The exit code of each verdict. */
const EXIT_CODES = { conformant: 0, nonconformant: 1, incomplete: 3 }

/** The file that CI reads. */
const JUNIT = 'client.junit.xml'

/**
 * `core-conformance client`: runs a client's command against a mock Core in each scenario, and judges what it did on the wire.
 * @returns the exit code
 * @throws ConfigError for what is wrongly set, before the command is run
 */
export async function client(settings: Settings, terminal: Terminal): Promise<number> {
  const { dialectFile, outDir, ...config } = clientConfig(settings)
  const { stdout, stderr, color } = terminal
  const tell = (text: string) => stderr.write(`core-conformance: ${inert(text)}\n`)
  const dialect =
    dialectFile === undefined
      ? undefined
      : await loadDialect(dialectFile, note => tell(`dialect: ${note}`)).catch((error: Error) => {
          throw new ConfigError(`${settings.get('dialect')?.label}: the file cannot be used:\n${error.message}`)
        })
  const junit = join(outDir, JUNIT)
  await prepare(outDir, junit)
  const signal = untilSignal(terminal, 'Interrupted: ending the client. Once more stops at once.')
  const result = await runClient({
    ...config,
    ...(dialect && { dialect }),
    signal,
    starting: ({ name, title }) => tell(`${name}: ${title}`),
  })
  stdout.write(renderClientConsole(result, { columns: stdout.columns ?? 80, color }))
  const code = signal.aborted && result.verdict === 'conformant' ? EXIT_CODES.incomplete : EXIT_CODES[result.verdict]
  try {
    await writeWhole(junit, renderClientJunit(result))
    stdout.write(`Report: ${junit}\n`)
    return code
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
    return code || EXIT_CODES.incomplete
  }
}

/**
 * Takes the report of an earlier run away, so that CI cannot take it for that of one that was killed.
 * @throws ConfigError where the new one could not be written
 */
async function prepare(outDir: string, junit: string): Promise<void> {
  try {
    await createFolder(outDir)
    await rm(junit, { force: true }).catch(cause => {
      throw explained('Cannot replace', junit, cause)
    })
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
