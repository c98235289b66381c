/** The docs as their readers take them: a project in which this package is installed, and a mock Core. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startMockCore } from 'core-conformance'
import * as assert from 'uvu/assert'
import type { RunResult } from '../../dist/result.js'
import { inFolder } from './folder.js'

/** The folder of this package. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
/** The names of all pages. */
export const DOCS = readdirSync(join(PACKAGE, 'docs'))
  .filter(name => name.endsWith('.md'))
  .sort()

interface Block {
  language: string
  code: string
}

/** The code blocks of a page, those within a list too. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8')
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The block that begins with a comment of exactly this text. */
export function blockOf(page: string, first: string): string {
  const found = blocksOf(page).find(({ code }) => /^(?:#|\/\/) (.*)$/m.exec(code.split('\n')[0] ?? '')?.[1] === first)
  if (!found) throw new Error(`docs/${page} has no block '${first}'`)
  return found.code
}

/** The shell blocks of a page. */
export const shellOf = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code)

/** A project in which this package is installed, with an `npx` that knows it, and an `npm` that installs nothing. */
function makeProject(folder: string): Record<string, string> {
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'core-conformance'))
  const script = (name: string, body: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  const cheapSeal = join(import.meta.dirname, 'cheap-seal.mjs')
  const cli = `exec "${process.execPath}" --import "${cheapSeal}" "${join(PACKAGE, 'dist', 'cli.js')}" "$@"`
  script('npx', `[ "$1" = core-conformance ] || { echo "what is $1?"; exit 9; }\nshift\n${cli}`)
  script('npm', 'echo "npm $*" >> npm.log')
  return { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder }
}

/** Runs shell lines as a CI does, which ends at the first that fails. */
export function shell(
  code: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', code], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`hangs: ${code}\n${output}`))
    }, 120_000)
    child.on('close', ended => {
      clearTimeout(timer)
      resolve({ code: ended, output })
    })
  })
}

/** Runs shell lines that have to succeed; gives what they print. */
export async function succeeds(code: string, cwd: string, env: Record<string, string>): Promise<string> {
  const ended = await shell(code, cwd, env)
  assert.is(ended.code, 0, `${code}\n${ended.output}`)
  return ended.output
}

/** Some specs of every kind. */
const SOME =
  'logon-issues-token,logon-wrong-*,access-with*,access-unknown-token,host-missing-*,idle-expires*,idle-use-resets,revocation-rejects,observe'

/**
 * A project, and a mock Core that its variables name.
 * @param isWhole runs take the whole suite, not some specs of every kind
 */
export async function inProject(
  { idleLifetime = '1h', isVirtual = true, isWhole = false },
  use: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const core = await startMockCore({ idleLifetime })
  try {
    await inFolder(async folder => {
      const control = { CORE_CONTROL_URL: core.control.url, CORE_CONTROL_KEY: core.control.key }
      await use(folder, {
        ...makeProject(folder),
        CORE_URL: core.url,
        CORE_USERNAME: core.credentials.username,
        CORE_PASSWORD: core.credentials.password,
        CORE_FINGERPRINT: core.certificateFingerprint,
        CORE_IDLE_LIFETIME: idleLifetime,
        ...(isVirtual && control),
        // A few specs tell as much of a recipe.
        ...(!isWhole && { CORE_ONLY: isVirtual ? SOME : 'access-with*' }),
      })
    })
  } finally {
    await core.close()
  }
}

/** The result in a folder of a project. */
export const resultIn = (folder: string, out = 'reports') =>
  JSON.parse(readFileSync(join(folder, out, 'result.json'), 'utf8')) as RunResult

/** Waits until a detached run may be finished. */
export async function untilLastVisit(folder: string): Promise<void> {
  const { visits = [], verdict } = resultIn(folder)
  assert.is(verdict, 'pending')
  const at = Date.parse(visits.at(-1)?.fromAt ?? '')
  assert.ok(at > 0)
  await new Promise(resolve => setTimeout(resolve, Math.max(0, at - Date.now()) + 200))
}

/** For recipes that wait: few specs and a short lifetime, or every test would take an hour. */
export const SHORT = { idleLifetime: '8s', isVirtual: false }
export const FEW = { CORE_ONLY: 'access-with-token,idle-expires*' }
