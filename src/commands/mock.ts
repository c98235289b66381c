import { rm, writeFile } from 'node:fs/promises'
import type { Settings } from '../config/settings.js'
import { ConfigError } from '../ground/config-error.js'
import { nearest } from '../suite/problem.js'
import { aborted, askPassword, type Terminal, untilSignal } from '../terminal.js'
import { MOCK } from './shared/declared.js'
import { mockFiles } from './shared/given.js'

/** `core-conformance mock`: serves a mock Core until the user stops it. */
export async function mock(settings: Settings, terminal: Terminal): Promise<number> {
  const given = settings.values(MOCK.settings)
  const { username, accessControl, timeScale, defect, certificate: certificateFile, json } = given
  const { stdout, stderr } = terminal
  const { isDefect, listDefects, startMockCore } = await import('../mock/index.js')
  const defects = given.defects || defect !== undefined ? await listDefects() : []
  if (given.defects) {
    const rows = defects.map(({ name, requirements, about }) => ({ name, broken: requirements.join(', '), about }))
    const width = (column: 'name' | 'broken') => Math.max(...rows.map(row => row[column].length))
    const [names, broken] = [width('name'), width('broken')]
    for (const row of rows) stdout.write(`${row.name.padEnd(names)}  ${row.broken.padEnd(broken)}  ${row.about}\n`)
    return 0
  }
  const names = defects.map(({ name }) => name)
  if (defect !== undefined && !(await isDefect(defect)))
    throw new ConfigError(
      `${settings.get('defect')?.label}: there is no defect '${defect}'${near(defect, names)}; --defects lists them`,
    )
  const { dialect, routes } = await mockFiles(settings, given.dialect, given.routes, terminal)
  const password =
    settings.secret('CORE_PASSWORD') ?? (await askPassword(terminal, `Password for the user ${username}: `))
  const signal = untilSignal(terminal)
  const core = await startMockCore({
    port: given.port ?? 0,
    controlPort: given.controlPort ?? 0,
    username,
    password,
    idleLifetimeMs: given.idleLifetime,
    accessControl,
    timeScale,
    ...(defect !== undefined && { defect }),
    dialect: {
      ...dialect,
      limits: {
        ...dialect?.limits,
        ...(given.maxTokens !== undefined && { tokens: given.maxTokens }),
        ...(given.connections !== undefined && { connections: { count: given.connections, beyond: 'wait' as const } }),
      },
    },
    log: line => (json ? stderr : stdout).write(`${line}\n`),
  })
  for (const { method, path, answer } of routes) core.on(method, path, answer)
  const { url, certificateFingerprint, certificatePem, control } = core
  if (certificateFile !== undefined)
    await writeFile(certificateFile, `${certificatePem.trim()}\n`).catch(async (error: NodeJS.ErrnoException) => {
      await core.close()
      throw new ConfigError(
        `${settings.get('certificate')?.label}: ${certificateFile} cannot be written: ${whyNotWritten(error)}`,
      )
    })
  const told = { url, username, certificate: certificatePem, certificateFingerprint, control }
  const text = `Mock Core    ${url}
Certificate  ${certificateFingerprint}
Control      ${control.url}
Control key  ${control.key}
`
  stdout.write(json ? `${JSON.stringify(told)}\n` : text)
  stderr.write(`Serving the user ${username} until stopped (Ctrl-C).\n`)
  await aborted(signal)
  await core.close()
  // The certificate is of no use now: each start makes a new one.
  if (certificateFile !== undefined) await rm(certificateFile, { force: true })
  return 0
}

function whyNotWritten({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such folder'
  if (code === 'EISDIR') return 'it is a folder'
  return code === 'EACCES' || code === 'EPERM' ? 'this user may not write there' : (code ?? message)
}

function near(name: string, names: string[]): string {
  const found = nearest(name, names)
  return found === undefined ? '' : `; did you mean '${found}'?`
}
