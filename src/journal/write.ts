import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Exchange } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import type { EndState, Journal, SurveyState, UnitState } from '../engine/journal.js'
import { JOURNAL_FILE, type Line, type RunLine } from './line.js'
import { thisProcess } from './process.js'
import type { Seal } from './seal.js'

/** What is kept of a body: far more than is ever shown of it. */
const KEPT_CHARACTERS = 65_536

/**
 * Appends to the journal of a run. Every line is handed to the system before the method returns, so that it outlives the
 * process. Where the file cannot be written any more, that is told once, and the run goes on without it.
 */
export class JournalWriter implements Journal {
  private logons = 0
  private broken = false

  private constructor(
    private readonly file: number,
    private readonly seal: Seal,
    private readonly onBroken: (error: Error) => void,
  ) {}

  /** Begins the journal of a new run. @param runMs the clock of the run. @throws Error of the file system */
  static begin(
    folder: string,
    run: RunLine,
    runMs: number,
    seal: Seal,
    onBroken: (error: Error) => void,
  ): JournalWriter {
    const writer = new JournalWriter(openSync(join(folder, JOURNAL_FILE), 'wx', 0o600), seal, onBroken)
    writer.line({ type: 'run', ...run })
    writer.line({ type: 'process', ...thisProcess(runMs) })
    return writer
  }

  /** Goes on with the journal of an earlier process. @param runMs the clock of the run. @throws Error of the file system */
  static goOn(folder: string, runMs: number, seal: Seal, onBroken: (error: Error) => void): JournalWriter {
    const path = join(folder, JOURNAL_FILE)
    const file = openSync(path, 'a', 0o600)
    // What the earlier process wrote half of would be one line with what comes now.
    ftruncateSync(file, readFileSync(path).lastIndexOf('\n') + 1)
    const writer = new JournalWriter(file, seal, onBroken)
    writer.line({ type: 'process', ...thisProcess(runMs) })
    return writer
  }

  close(): void {
    if (this.broken) return
    this.broken = true
    try {
      closeSync(this.file)
    } catch {
      // Every line is where it was written to; there is nothing to lose any more.
    }
  }

  surveyed(survey: SurveyState): void {
    const { exchanges, ...others } = survey
    this.line({ type: 'survey', sealed: this.sealed('survey', { ...others, exchanges: exchanges.map(shortened) }) })
  }

  secret(value: string, label: string): void {
    this.line({ type: 'secret', sealed: this.sealed('secret', { value, label }) })
  }

  issued(token: Token): void {
    this.line({ type: 'token', sealed: this.sealed('token', token.state()) })
  }

  changed({ number, givenBack }: Token): void {
    this.line({ type: 'token-changed', number, givenBack })
  }

  loggingOn(): () => void {
    const number = this.logons++
    this.line({ type: 'logon', number, wallMs: Date.now() })
    return () => this.line({ type: 'logon-answered', number })
  }

  refusing(spec: string): void {
    this.line({ type: 'refused-logon', spec })
  }

  room(tokens: number): void {
    this.line({ type: 'room', tokens })
  }

  waits(state: UnitState): void {
    const specs = state.specs.map(({ spec }) => spec)
    const kept = state.specs.map(spec => ({ ...spec, exchanges: spec.exchanges.map(shortened) }))
    this.line({ type: 'waits', specs, sealed: this.sealed('waits', { ...state, specs: kept }) })
  }

  leaves(specs: string[]): void {
    this.line({ type: 'leaves', specs })
  }

  ended({ record, facts }: EndState): void {
    const { id: spec, outcome } = record
    const state: EndState = { record: { ...record, exchanges: record.exchanges.map(shortened) }, facts }
    this.line({ type: 'ended', spec, outcome, sealed: this.sealed('ended', state) })
  }

  certificate(fingerprint: string): void {
    this.line({ type: 'certificate', fingerprint })
  }

  private sealed(context: Line['type'], value: unknown): string {
    return this.seal.close(JSON.stringify(value), context)
  }

  private line(line: Line): void {
    if (this.broken) return
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.file, bytes, done)
    } catch (error) {
      this.close()
      this.onBroken(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

function shortened<T extends Pick<Exchange, 'response'>>(exchange: T): T {
  const { response } = exchange
  if (!response || response.body.length <= KEPT_CHARACTERS) return exchange
  return { ...exchange, response: { ...response, body: response.body.slice(0, KEPT_CHARACTERS) } }
}
