import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { Token } from '../core/token.js'
import type { EndState, Journal, SurveyState, UnitState } from '../engine/journal.js'
import type { Exploration } from '../result.js'
import { type ChainEnd, chainLine, countLine, NO_LINES } from './chain.js'
import { JOURNAL_FILE, type Line, MOST_BYTES, type RunLine } from './line.js'
import { thisProcess } from './process.js'
import { authenticate, JournalError, type OpenJournal, readJournal } from './read.js'
import type { Seal } from './seal.js'

/**
 * How much of an exchange is kept: characters of each text, and headers. At first this is more than reports ever show.
 * Where the journal is long already, its Core answers at length, and less is kept.
 */
const KEPT = [
  { untilBytes: 4_000_000, characters: 8192, headers: Number.POSITIVE_INFINITY },
  { untilBytes: 8_000_000, characters: 256, headers: 16 },
  { untilBytes: Number.POSITIVE_INFINITY, characters: 32, headers: 4 },
]

/** Room for the last lines of a full journal: that it is full, and the processes that work on its run. */
const RESERVED_BYTES = 500_000

/**
 * Longest secret that is written as such: longer ones are hidden by their kind (see the redactor). A longer token is
 * compressed, since it fills the journal.
 */
const LONGEST_SECRET = 4096

/**
 * Appends to the journal of a run. Each method hands its line to the system before it returns, so that the line
 * outlives the process. Where the file cannot be written any more, it calls `onBroken` once, and the run goes on
 * without a journal.
 */
export class JournalWriter implements Journal {
  private logons = 0
  private broken = false
  private end: ChainEnd = NO_LINES
  /** Where the next line goes (`size`), and where the line with the number of lines stands (`countAt`). */
  private size = 0
  private countAt = 0

  private constructor(
    private readonly file: number,
    private readonly seal: Seal,
    private readonly onBroken: (error: Error) => void,
  ) {}

  /** Begins the journal of a new run. @param runMs the clock of the run @throws Error of the file system */
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

  /**
   * Continues the journal of an earlier process.
   * @param runMs the clock of the run
   * @throws JournalError where it is not as the run wrote it; Error of the file system
   */
  static goOn(folder: string, runMs: number, seal: Seal, onBroken: (error: Error) => void): JournalWriter {
    const journal: OpenJournal | undefined = readJournal(folder)
    if (!journal) throw new JournalError(`${join(folder, JOURNAL_FILE)} is gone: nothing was sent`)
    const end = authenticate(journal, seal)
    const writer = new JournalWriter(openSync(journal.path, 'r+'), seal, onBroken)
    const [run = 0, ...others] = journal.texts.map(text => Buffer.byteLength(text) + 1)
    const size = others.reduce((total, bytes) => total + bytes, run)
    Object.assign(writer, { end, size, countAt: run })
    // Half a line of the earlier process would join the next line.
    ftruncateSync(writer.file, size)
    writer.line({ type: 'process', ...thisProcess(runMs) })
    return writer
  }

  close(): void {
    if (this.broken) return
    this.broken = true
    try {
      closeSync(this.file)
    } catch {
      // Every line was handed to the system already; nothing can be lost.
    }
  }

  /** Takes the key of the seal. @param sealed see `OwnKey` @returns whether it was written */
  key(sealed: string): boolean {
    this.line({ type: 'key', sealed })
    return !this.broken
  }

  surveyed(survey: SurveyState): void {
    const { exchanges, ...others } = survey
    this.line({
      type: 'survey',
      sealed: this.sealed('survey', { ...others, exchanges: exchanges.map(this.shortened) }),
    })
  }

  secret(value: string, label: string): void {
    if (value.length >= LONGEST_SECRET) return
    this.line({ type: 'secret', sealed: this.sealed('secret', { value, label }) })
  }

  issued(token: Token): void {
    if (token.value.length < LONGEST_SECRET) {
      this.line({ type: 'token', sealed: this.sealed('token', token.state()) })
      return
    }
    // This text holds only the token, so its compressed length reveals nothing else.
    const bytes = deflateRawSync(JSON.stringify(token.state()))
    this.line({ type: 'token', packed: true, sealed: this.seal.close(bytes, 'token') })
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
    const kept = state.specs.map(spec => ({ ...spec, exchanges: spec.exchanges.map(this.shortened) }))
    this.line({ type: 'waits', specs, sealed: this.sealed('waits', { ...state, specs: kept }) })
  }

  leaves(specs: string[]): void {
    this.line({ type: 'leaves', specs })
  }

  ended({ record, facts }: EndState): void {
    const { id: spec, outcome } = record
    const state: EndState = { record: { ...record, exchanges: record.exchanges.map(this.shortened) }, facts }
    this.line({ type: 'ended', spec, outcome, sealed: this.sealed('ended', state) })
  }

  explored(exploration: Exploration): void {
    this.line({ type: 'explored', sealed: this.sealed('explored', exploration) })
  }

  certificate(fingerprint: string): void {
    this.line({ type: 'certificate', fingerprint })
  }

  private sealed(context: Line['type'], value: unknown): string {
    return this.seal.close(JSON.stringify(value), context)
  }

  /** Shortens the texts of an exchange to what the journal has room for. */
  private readonly shortened = <T extends { request: Headed; response?: Headed }>(exchange: T): T => {
    const { characters: most = 0, headers = 0 } = KEPT.find(({ untilBytes }) => this.size <= untilBytes) ?? {}
    const cut = <P extends Headed>(part: P): P => ({
      ...part,
      headers: part.headers
        .slice(0, headers)
        .map(([name, value]): [string, string] => [name.slice(0, most), value.slice(0, most)]),
      ...(part.body !== undefined && { body: part.body.slice(0, most) }),
    })
    const { request, response } = exchange
    return { ...exchange, request: cut(request), ...(response && { response: cut(response) }) }
  }

  private line(line: Line): void {
    if (this.broken) return
    try {
      const { text, end } = chainLine(line, this.end, this.seal)
      const isOver = this.size + Buffer.byteLength(text) > MOST_BYTES - RESERVED_BYTES
      if (isOver && line.type !== 'process' && line.type !== 'full') {
        this.line({ type: 'full' })
        throw new Error(`it has grown to ${Math.round(this.size / 1e6)} MB, since this Core answers at length`)
      }
      const isFirst = this.end.lines === 0
      this.end = end
      // The first line and the number of lines are written together: without the number there is no journal.
      const lines = isFirst ? [text, countLine(end, this.seal)] : [text]
      if (isFirst) this.countAt = Buffer.byteLength(text) + 1
      this.size += this.write(lines.map(each => `${each}\n`).join(''), this.size)
      if (!isFirst) this.write(countLine(end, this.seal), this.countAt)
    } catch (error) {
      this.close()
      this.onBroken(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Writes a text at a place. @returns its number of bytes */
  private write(text: string, at: number): number {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(this.file, bytes, done, bytes.length - done, at + done)
    return bytes.length
  }
}

interface Headed {
  headers: [name: string, value: string][]
  body?: string
}
