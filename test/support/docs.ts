/** Runs the docs as readers do: in a project in which this package is installed, with a mock Core. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startMockCore } from 'core-conformance'
import * as assert from 'uvu/assert'
import type { RunResult } from '../../dist/result.js'
import { controlVariablesOf, variablesOf } from '../../tools/mock-variables.js'
import { cli } from '../cli-support.js'
import { inFolder } from './folder.js'

/** The folder of this package. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
/** The names of all pages. */
export const DOCS = readdirSync(join(PACKAGE, 'docs'))
  .filter(name => name.endsWith('.md'))
  .sort()

/** Returns the text of a file of this package. */
export const read = (path: string) => readFileSync(join(PACKAGE, path), 'utf8')
/** The paths of all pages. */
export const PAGES = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'reports/README.md'],
  ...DOCS.map(name => `docs/${name}`),
]

/** Returns the links of a page to files of the tree: the path from the root, with the part after the `#`. */
export function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter(link => !/^[a-z]+:/.test(link))
    .map(link => {
      const [file = '', anchor] = link.split('#')
      return { path: file === '' ? page : normalize(join(dirname(page), file)), anchor }
    })
}

interface Block {
  language: string
  code: string
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8')
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** Returns the block whose first line is exactly this comment, but for what it is for: `…, for node --test`. */
export function blockOf(page: string, first: string): string {
  const found = blocksOf(page).find(({ code }) => /^(?:#|\/\/) (.*?)(?:, for .*)?\n/.exec(code)?.[1] === first)
  if (!found) throw new Error(`docs/${page} has no block '${first}'`)
  return found.code
}

/** Returns the shell blocks of a page. */
export const shellOf = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code)

/**
 * Makes a project in which this package is installed, with an `npx` that finds it and an `npm` that installs nothing.
 * @param port where {@link serveCommands} listens
 */
function makeProject(folder: string, port: number): Record<string, string> {
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'core-conformance'))
  const script = (name: string, body: string) =>
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${body}\n`, { mode: 0o755 })
  script('npx', npxScript(port))
  script('npm', 'echo "npm $*" >> npm.log')
  return { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder }
}

/**
 * Makes the script for `npx`. It lets the test process, which is already warm, run the command, then passes on its output and
 * exit code. A command gets a process of its own if it leaves a journal, reads from a pipe, or starts a process anyway.
 */
function npxScript(port: number): string {
  const cheapSeal = join(import.meta.dirname, 'cheap-seal.mjs')
  const program = join(PACKAGE, 'dist', 'bin.cjs')
  return `[ "$1" = --no ] && shift
[ "$1" = core-conformance ] || { echo "what is $1?"; exit 9; }
shift
if [[ " resume client " = *" $1 "* || " $* " = *" --detach "* || -n $CORE_DETACH || -p /dev/stdin || -f /dev/stdin ]]; then
  exec "${process.execPath}" --import "${cheapSeal}" "${program}" "$@"
fi
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } | base64 -w 0 >&3
echo >&3
read -r code told said <&3
base64 -d <<< "$said" >&2
base64 -d <<< "$told"
exit "$code"`
}

/** Runs the commands from the scripts of {@link npxScript} in this process. */
async function serveCommands(): Promise<Server> {
  const server = createServer(socket => {
    let asked = ''
    socket.on('error', () => {}) // the script is gone
    socket.setEncoding('latin1').on('data', text => {
      asked += text
      if (asked.endsWith('\n')) void answer(asked).then(answered => socket.end(answered))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

/**
 * Runs one command.
 * @param asked in base64: the folder, the number of arguments, the arguments, and the environment, each followed by a zero
 */
async function answer(asked: string): Promise<string> {
  const [cwd = '', count, ...texts] = Buffer.from(asked, 'base64').toString().split('\0').slice(0, -1)
  const [args, variables] = [texts.slice(0, Number(count)), texts.slice(Number(count))]
  const env = Object.fromEntries(
    variables.map(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
  const { code, stdout, stderr } = await cli(args, { cwd, env }).catch(error => ({
    code: 9,
    stdout: '',
    stderr: String(error),
  }))
  const coded = (text: string) => Buffer.from(text).toString('base64') || '='
  return `${code} ${coded(stdout)} ${coded(stderr)}\n`
}

/** Runs shell lines as CI does: it stops at the first failure. */
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
    }, 240_000)
    child.on('close', ended => {
      clearTimeout(timer)
      resolve({ code: ended, output })
    })
  })
}

/** Runs shell lines that must succeed, and returns their output. */
export async function succeeds(code: string, cwd: string, env: Record<string, string>): Promise<string> {
  const ended = await shell(code, cwd, env)
  assert.is(ended.code, 0, `${code}\n${ended.output}`)
  return ended.output
}

/** Ten specs, one or two of each kind. */
const SOME =
  'logon-issues-token,logon-wrong-password,access-with*,host-missing-logon*,idle-expires,revocation-rejects,observe-revoked-token'

interface ProjectOptions {
  idleLifetime?: string
  isVirtual?: boolean
  defect?: string
}

/**
 * Calls back with a project, and a mock Core in its variables.
 * @param defect the defect of the mock Core; absent: none
 */
export async function inProject(
  { idleLifetime = '1h', isVirtual = true, defect }: ProjectOptions,
  use: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const core = await startMockCore({ idleLifetime, ...(defect !== undefined && { defect }) })
  const commands = await serveCommands()
  try {
    await inFolder(async folder => {
      await use(folder, {
        ...makeProject(folder, (commands.address() as AddressInfo).port),
        ...variablesOf(core, core.credentials),
        CORE_IDLE_LIFETIME: idleLifetime,
        ...(isVirtual && controlVariablesOf(core)),
        // A few specs prove as much about a recipe.
        CORE_ONLY: isVirtual ? SOME : 'access-with*',
        CORE_EXPLORE: '0',
      })
    })
  } finally {
    commands.close()
    await core.close()
  }
}

/** Returns the result in a folder of a project. */
export const resultIn = (folder: string, out = 'reports') =>
  JSON.parse(readFileSync(join(folder, out, 'result.json'), 'utf8')) as RunResult

/** Waits until a detached run can be finished; `failed`: one in which something has failed already. */
export async function untilLastVisit(folder: string, how?: 'failed'): Promise<void> {
  const { visits = [], verdict } = resultIn(folder)
  assert.is(verdict, how ? 'nonconformant' : 'pending')
  const at = Date.parse(visits.at(-1)?.fromAt ?? '')
  assert.ok(at > 0)
  await new Promise(resolve => setTimeout(resolve, Math.max(0, at - Date.now()) + 200))
}

/** Options for recipes that wait: few specs and a short lifetime, since every test would take an hour otherwise. */
export const SHORT = { idleLifetime: '8s', isVirtual: false }
/** Variables for such a recipe: two kinds of specs, one that waits. */
export const FEW = { CORE_ONLY: 'access-with-token,idle-expires*' }

/** Options for recipes whose first part fails: a Core that does not revoke, and a waiting spec beside the failing one. */
export const FAILING = { ...SHORT, defect: 'revoke-does-nothing' }
/** Variables for such a recipe: the spec that fails, and the one that waits. */
export const FAILS = { CORE_ONLY: 'revocation-rejects,idle-expires' }
