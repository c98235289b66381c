/**
 * Makes the processes that the product forks cheap where the product runs within the process of a test: a start takes 0.3 s
 * of a processor for a mock Core and 0.6 s for Pact, and the tests make hundreds.
 *
 * A mock Core then runs within this process. Pact stays in a process of its own, which is lent to one command after the
 * other. What is sent goes through JSON in both cases, as between processes. What a process shows (a crash, a signal, an end
 * with its parent, what it loads) is proved by mock-fork.test and contract-process.test, by `inEarnest`, and wherever `cli` is told `isProcess`.
 */
import childProcess, { type ChildProcess, type ForkOptions, type Serializable } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MockCore, ForkOptions as MockOptions } from '../../dist/mock/index.js'

const { fork } = childProcess

abstract class LentChild extends EventEmitter {
  abstract readonly pid: number | undefined
  connected = true
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly channel = { ref() {}, unref() {} }

  ref(): void {}
  unref(): void {}

  abstract send(message: Serializable, sent?: (error: Error | null) => void): boolean

  disconnect(): void {
    this.leave(0, null)
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    this.leave(null, signal)
    return true
  }

  /** Gives back what was lent, and settles when that is done. */
  protected abstract release(): Promise<void>

  private leave(code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.connected) return
    this.connected = false
    void this.release().then(() => {
      this.exitCode = code
      this.signalCode = signal
      this.emit('exit', code, signal)
    })
  }
}

/** A mock Core of this process, behind the messages of one in a child. */
class MockWithin extends LentChild {
  readonly pid = process.pid
  private core: Promise<MockCore | undefined> = Promise.resolve(undefined)

  constructor(private readonly folder: string) {
    super()
  }

  override send(message: Serializable, sent: (error: Error | null) => void = () => {}): boolean {
    this.core = this.start(overWire(message) as MockOptions)
    setImmediate(sent, null)
    return true
  }

  protected override async release(): Promise<void> {
    await (await this.core)?.close()
  }

  private async start(options: MockOptions): Promise<MockCore | undefined> {
    try {
      const { start } = await import(pathToFileURL(join(this.folder, 'start.js')).href)
      const core: MockCore = await start(options)
      const { url, certificateFingerprint, certificatePem, control } = core
      this.emit('message', overWire({ done: { url, certificateFingerprint, certificatePem, control } }))
      return core
    } catch (error) {
      this.emit('message', { failed: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }
}

/** Processes of Pact that nobody uses, by the path of their program. */
const idle = new Map<string, ChildProcess[]>()

/** A process of Pact, lent until it is ended. One that is ended in the middle of a task is ended in earnest. */
class PactLent extends LentChild {
  private readonly child: ChildProcess
  private isAtWork = false

  constructor(
    private readonly path: string,
    options: ForkOptions,
  ) {
    super()
    // The folder of its first user is gone with that user.
    const cwd = () => mkdtempSync(join(tmpdir(), 'core-conformance-pact-'))
    this.child = idle.get(path)?.pop() ?? fork(path, [], { ...options, cwd: cwd() })
    this.child.ref()
    this.child.channel?.ref()
    this.child.on('message', this.onMessage).on('exit', this.onExit)
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  override send(message: Serializable, sent?: (error: Error | null) => void): boolean {
    this.isAtWork = true
    return this.child.send(message, sent)
  }

  protected override async release(): Promise<void> {
    const { child, isAtWork } = this
    child.off('message', this.onMessage).off('exit', this.onExit)
    child.unref()
    child.channel?.unref()
    if (isAtWork) child.kill('SIGKILL')
    else if (child.connected) idle.set(this.path, [...(idle.get(this.path) ?? []), child])
  }

  private readonly onMessage = (answer: unknown) => {
    this.isAtWork = false
    this.emit('message', answer)
  }

  private readonly onExit = (code: number | null, signal: NodeJS.Signals | null) => {
    this.connected = false
    this.exitCode = code
    this.signalCode = signal
    this.emit('exit', code, signal)
  }
}

/** How many ask for processes in earnest. */
let earnest = 0

/** While this goes on, what is forked is forked: for a mock Core that keeps its own time beside a busy test. */
export async function inEarnest<T>(use: () => Promise<T>): Promise<T> {
  earnest += 1
  try {
    return await use()
  } finally {
    earnest -= 1
  }
}

const overWire = (message: unknown): unknown => JSON.parse(JSON.stringify(message))

const MOCK = /[/\\]mock[/\\]child\.js$/
const PACT = /[/\\]pact[/\\]process[/\\]child\.js$/

childProcess.fork = ((path: string, args?: readonly string[], options?: ForkOptions) => {
  if (earnest > 0) return fork(path, args, options)
  if (MOCK.test(path)) return new MockWithin(path.replace(/[^/\\]+$/, ''))
  if (PACT.test(path)) return new PactLent(path, options ?? {})
  return fork(path, args, options)
}) as typeof fork
syncBuiltinESMExports()
