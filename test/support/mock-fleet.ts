/** Starts racks of mock Cores in a process of their own, with a configuration file that names them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { MockCoreOptions } from '../../dist/index.js'
import { inFolder } from './folder.js'

/** A Core of a rack: a mock Core, nothing at all, or a server that takes connections and never answers. */
export type RackCore = Omit<MockCoreOptions, 'log'> | { kind: 'gone' | 'silent' }

/** The address of a Core of a rack. */
export interface RackAddress {
  url: string
  fingerprint?: string
  control?: { url: string; key: string }
}

/** A rack, and a folder whose configuration file names its Cores. */
export interface Rack {
  folder: string
  cores: Record<string, RackAddress>
  /** The environment of a user: the password, and the keys of the clocks. */
  env: Record<string, string>
}

/** The password of every Core of a rack. It holds every kind of character that encodings change. */
export const RACK_PASSWORD = 'Kanari "pw" &<ä>/3'

/** Further settings of each Core in the configuration file, as YAML, by its name. */
type More = Record<string, string>

/**
 * Calls back with a rack.
 * @param settings `isVirtual`: the judging process advances the clocks; `more`: further settings of each Core in the
 * configuration file
 */
export async function withRack<T>(
  rack: Record<string, RackCore>,
  { isVirtual = false, more = {} }: { isVirtual?: boolean; more?: More },
  use: (rack: Rack) => Promise<T>,
): Promise<T> {
  const library = new URL('../../dist/index.js', import.meta.url).href
  const options = Object.entries(rack).map(([name, core]): [string, RackCore] => [
    name,
    'kind' in core ? core : { username: 'admin', password: RACK_PASSWORD, ...core },
  ])
  const script = new URL('mock-fleet-child.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [script, library, JSON.stringify(Object.fromEntries(options))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const cores = JSON.parse(line) as Record<string, RackAddress>
    return await inFolder(async folder => {
      writeFileSync(join(folder, 'core-conformance.config.yaml'), configOf(cores, isVirtual, more))
      const keys = Object.entries(cores).flatMap(([name, { control }]) =>
        isVirtual && control ? [[`CORE_CONTROL_KEY_${name.toUpperCase().replaceAll('-', '_')}`, control.key]] : [],
      )
      return await use({ folder, cores, env: { CORE_PASSWORD: RACK_PASSWORD, ...Object.fromEntries(keys) } })
    })
  } finally {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  }
}

function configOf(cores: Record<string, RackAddress>, isVirtual: boolean, more: More): string {
  const targets = Object.entries(cores).map(([name, { url, fingerprint, control }]) =>
    [
      `  ${name}:`,
      `    url: ${url}`,
      ...(fingerprint === undefined ? ['    insecure: true'] : [`    fingerprint: "${fingerprint}"`]),
      ...(isVirtual && control ? [`    control-url: ${control.url}`] : []),
      ...(more[name] === undefined ? [] : [`    ${more[name]}`]),
    ].join('\n'),
  )
  return `defaults:\n  username: admin\ntargets:\n${targets.join('\n')}\n`
}

/** Returns how many tokens are live on each Core of a rack. */
export async function liveTokens({ cores }: Rack): Promise<Record<string, number>> {
  const live: Record<string, number> = {}
  for (const [name, { control }] of Object.entries(cores)) {
    if (!control) continue
    const response = await fetch(`${control.url}/state`, { headers: { Authorization: `Bearer ${control.key}` } })
    live[name] = ((await response.json()) as { tokens: { live: number } }).tokens.live
  }
  return live
}
