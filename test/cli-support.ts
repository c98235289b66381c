/**
 * Runs the product as users do: with a command line, in a folder of its own, without this environment. `Cli` is a separate
 * process. `cli` runs the same `main` within this process, which costs a tenth, unless a test asks for a process.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import * as assert from 'uvu/assert'
import { main } from '../dist/cli.js'
import { unpacked } from '../dist/ground/shared-values.js'
import type { MockCore, MockCoreOptions } from '../dist/index.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { variablesOf } from '../tools/mock-variables.js'
import { inFolder } from './support/folder.js'
import { Screen } from './support/screen.js'
import { type CoreReply, type CoreRequest, type Reaction, WireCore } from './support/scripted-core.js'
import './support/cheap-fork.js'
import './support/cheap-seal.mjs'

export { inFolder, makeFolder } from './support/folder.js'
export type { CoreReply, CoreRequest } from './support/scripted-core.js'

/** A module that each process of the product loads. */
const CHEAP_SEAL = new URL('support/cheap-seal.mjs', import.meta.url).href
/** What is compiled of the program is kept for all tests, and not in the folder of each. So are keys of journals. */
const KEPT = fileURLToPath(new URL('../reports/kept', import.meta.url))
const CLI = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))

/** Far longer than any command here takes on a machine with ten other tasks; a longer process hangs. */
const DEADLINE_MS = 240_000
/** A server lives as long as the tests of its file, which have 900 s. */
const SERVER_DEADLINE_MS = 880_000

/** A few specs of every kind, for runs that do not test the suite. */
export const FEW =
  'access-with-token,access-unknown-token,host-missing-logon*,idle-expires,idle-use-resets,logon-issues-token,logon-wrong-password,revocation-rejects'

/**
 * The password, and the start of every token of a scripted Core. It holds every kind of character that encodings change, and
 * occurs nowhere else.
 */
export const PASSWORD = 'Kanari "pw" &<ä>/1'
const TOKEN = 'kanari-token-'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Options {
  cwd: string
  env?: Record<string, string>
  /** Runs it as a process: for signals, streams, and effects that only a process shows. */
  isProcess?: boolean
  /** Longest time, for commands that really take long. */
  deadlineMs?: number
  /** The exit code that it has to end with. */
  code?: number | undefined
}

/** A running process of the product. */
export class Cli {
  stdout = ''
  stderr = ''
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>

  constructor(args: string[], { cwd, env = {}, deadlineMs }: Options) {
    const { PATH = '' } = process.env
    const options = { cwd, env: { PATH, HOME: cwd, XDG_CACHE_HOME: KEPT, ...env } }
    this.child = spawn(process.execPath, ['--import', CHEAP_SEAL, CLI, ...args], options)
    this.child.stdin.end()
    this.child.stdout.setEncoding('utf8').on('data', chunk => {
      this.stdout += chunk
    })
    this.child.stderr.setEncoding('utf8').on('data', chunk => {
      this.stderr += chunk
    })
    this.ended = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.child.kill('SIGKILL')
          reject(new Error(`core-conformance ${args.join(' ')} hangs\n${this.stdout}\n${this.stderr}`))
        },
        deadlineMs ?? (args[0] === 'mock' ? SERVER_DEADLINE_MS : DEADLINE_MS),
      )
      this.child.once('close', (code, signal) => {
        clearTimeout(timer)
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }

  /** Waits for its end, which must have this exit code. */
  async ends(code: number): Promise<Ended> {
    return endedWith(code, await this.ended)
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (let over = false; ; ) {
      const found = pattern.exec(this.stdout) ?? pattern.exec(this.stderr)
      if (found) return found
      if (over) throw new Error(`ended without ${pattern}\n${this.stdout}\n${this.stderr}`)
      await Promise.race([
        new Promise(resolve => this.child.stdout.once('data', resolve)),
        new Promise(resolve => this.child.stderr.once('data', resolve)),
        this.ended.then(() => {
          over = true
        }),
      ])
    }
  }
}

/** The working folder of the commands within this process, and their number: a process can be in one folder only. */
const place = { cwd: '', before: '', running: 0 }

/**
 * Runs the product to its end, within this process where that shows the same. A journal that the command leaves belongs to this
 * running process; use a separate process if another command must continue it.
 */
export async function cli(args: string[], options: Options): Promise<Ended> {
  const ended = await endOf(args, options)
  return options.code === undefined ? ended : endedWith(options.code, ended)
}

function endedWith(code: number, ended: Ended): Ended {
  assert.is(ended.code, code, ended.stdout + ended.stderr)
  return ended
}

function endOf(args: string[], options: Options): Promise<Ended> {
  const { cwd, env = {}, isProcess = false } = options
  // The client's command takes over the streams of the process, and Node reads its variables only at the start.
  const needsProcess = args[0] === 'client' || Object.keys(env).some(name => name.startsWith('NODE_'))
  const isElsewhere = place.running > 0 && place.cwd !== cwd
  if (isProcess || needsProcess || isElsewhere) return new Cli(args, options).ended
  return runWithin(args, options)
}

async function runWithin(args: string[], { cwd, env = {}, deadlineMs = DEADLINE_MS }: Options): Promise<Ended> {
  if (place.running++ === 0) {
    Object.assign(place, { cwd, before: process.cwd() })
    process.chdir(cwd)
  }
  const stop = new AbortController()
  const [stdout, stderr] = [new Screen(), new Screen()]
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop.abort()
      reject(new Error(`core-conformance ${args.join(' ')} hangs\n${stdout.text}\n${stderr.text}`))
    }, deadlineMs)
  })
  try {
    const { PATH } = process.env
    const io = {
      stdin: Readable.from([]),
      stdout,
      stderr,
      env: { PATH, HOME: cwd, XDG_CACHE_HOME: KEPT, ...env },
      cwd,
      signal: stop.signal,
    }
    const code = await Promise.race([main(args, io), late])
    return { code, signal: null, stdout: stdout.text, stderr: stderr.text }
  } finally {
    clearTimeout(timer)
    if (--place.running === 0) process.chdir(place.before)
  }
}

/** Returns the result of a run in a folder. */
export function resultIn(folder: string, out = 'reports'): RunResult {
  return unpacked(JSON.parse(readFileSync(join(folder, out, 'result.json'), 'utf8')) as RunResult)
}

/** Returns the result of a run in a folder, and checks both report files. */
export function reportsIn(folder: string, out = 'reports'): RunResult & { texts: string } {
  const junit = readFileSync(join(folder, out, 'junit.xml'), 'utf8')
  assert.is(XMLValidator.validate(junit), true)
  const json = readFileSync(join(folder, out, 'result.json'), 'utf8')
  assert.equal(schemaErrors('result', JSON.parse(json)), [])
  return { ...resultIn(folder, out), texts: junit + json }
}

/** Returns every form in which a secret might show in a text. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // The part of base64 that does not depend on the text before and after the secret.
  const shifted = [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(shift ? 4 : 0, bytes.length % 3 ? -2 : undefined)
  })
  const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    xml,
    xml.replaceAll('"', '&quot;'),
    bytes.toString('hex'),
    ...shifted,
    ...shifted.map(text => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** Asserts that no text shows a secret in any form. */
export function assertSecretless(texts: string[], secrets: string[]): void {
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      for (const text of texts) assert.not(text.includes(form), `${form} (of ${secret}) shows in:\n${text}`)
    }
  }
}

/** Asserts the common form of exit code 2: one message, nothing on stdout, no stack trace. */
export function assertUsage({ code, stdout, stderr }: Ended, message: RegExp): void {
  assert.is(code, 2, stderr)
  assert.is(stdout, '')
  assert.match(stderr, message)
  assert.match(stderr, /^core-conformance: /)
  assert.is(stderr.match(/^core-conformance: (?!warning)/gm)?.length, 1, stderr)
  assert.not.match(stderr, /^ +at /m)
}

/** The deviations of a Core from a correct one. A test may change its `answer` while the Core serves. */
export interface Script {
  /** Replaces the correct answer. */
  answer?: (request: CoreRequest, body: string, right: () => CoreReply) => CoreReply | 'hang'
  /** Default: an hour. */
  lifetimeMs?: number
  /** Whether Node itself answers 400 to HTTP/1.1 without Host. */
  requireHostHeader?: boolean
}

/** A Core of the user anna that follows the reference unless its script deviates. */
export class ScriptedCore extends WireCore {
  override readonly username = 'anna'
  override readonly password = PASSWORD

  /** All tokens that it issued, and those that were neither revoked nor refused. */
  readonly tokens: string[] = []
  readonly live = new Set<string>()

  constructor(readonly script: Script) {
    super()
    this.idleMs = script.lifetimeMs ?? this.idleMs
    this.requireHostHeader = script.requireHostHeader ?? false
  }

  /** Returns the environment of a user who runs against it. */
  get env(): Record<string, string> {
    return {
      CORE_URL: this.url.origin,
      CORE_USERNAME: this.username,
      CORE_PASSWORD: PASSWORD,
      CORE_FINGERPRINT: this.fingerprint,
    }
  }

  /** Returns every text that must not show anywhere. */
  get secrets(): string[] {
    return [PASSWORD, ...this.tokens]
  }

  /** Goes away, so that nothing listens at its address. @returns a function that brings it back there */
  goAway(): () => Promise<void> {
    const away = this.stop()
    return async () => {
      await away
      await this.start(Number(this.url.port))
    }
  }

  override react(request: CoreRequest): Reaction {
    const right = () => super.react(request) as CoreReply
    const reply = this.script.answer?.(request, request.body, right) ?? right()
    if (reply === 'hang') return reply
    const { status, body = status === 204 ? undefined : '{}', headers } = reply
    return { ...reply, body, headers: { 'Content-Type': 'application/json', ...headers } }
  }

  override newToken(): string {
    const token = `${TOKEN}${super.newToken().slice(0, 24)}`
    this.tokens.push(token)
    this.live.add(token)
    return token
  }

  override issued(token: string): Reaction {
    return { status: 200, body: JSON.stringify({ session: { token } }) }
  }

  override accepts(token: string, request: CoreRequest): boolean {
    const isValid = super.accepts(token, request)
    if (!isValid) this.live.delete(token)
    return isValid
  }

  override revoke(token: string, request: CoreRequest): Reaction {
    this.live.delete(token)
    return super.revoke(token, request)
  }

  /** Takes every other path for that of the users. */
  override answer(): Reaction {
    return { status: 200, body: '[{"name":"anna"}]' }
  }
}

/** Calls back with a scripted Core and a folder; both are gone afterwards. */
export async function withCore<T>(script: Script, use: (core: ScriptedCore, folder: string) => Promise<T>): Promise<T> {
  const core = await new ScriptedCore(script).start()
  try {
    return await inFolder(folder => use(core, folder))
  } finally {
    await core.stop()
  }
}

/** Calls back with a mock Core of this process, a folder, and the variables of a user who runs against it; all are gone afterwards. */
export async function withMock<T>(
  options: MockCoreOptions,
  use: (core: MockCore, folder: string, env: Record<string, string>) => Promise<T>,
): Promise<T> {
  // Most files do without it.
  const { startMockCore } = await import('../dist/index.js')
  const core = await startMockCore(options)
  try {
    return await inFolder(folder => use(core, folder, variablesOf(core, core.credentials)))
  } finally {
    await core.close()
  }
}
