import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { Token } from '../core/token.js'
import type { EndState, Journal, Resumed, SurveyState, UnitState } from '../engine/journal.js'
import { ConfigError } from '../ground/config-error.js'
import type { Doubt, Exploration, RunEvent } from '../result.js'
import { type ChainEnd, chainLine, countLine, NO_LINES } from './chain.js'
import { JOURNAL_FILE, type Line, MOST_BYTES, type RunLine } from './line.js'
import { thisProcess } from './process.js'
import { authenticate, type OpenJournal, readJournal } from './read.js'
import type { Seal } from './seal.js'

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
  private chain: ChainEnd = NO_LINES
  /** Secrets that the next line brings along; at the latest they are written when the present event is over. */
  private secrets: Resumed['secrets'] = []
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
    // In one go: a journal without its process is none, and a kill may come at any moment.
    writer.append([
      { type: 'run', ...run },
      { type: 'process', ...thisProcess(runMs) },
    ])
    return writer
  }

  /**
   * Continues the journal of an earlier process.
   * @throws ConfigError where it is not as the run wrote it; Error of the file system
   */
  static goOn(folder: string, runMs: number, seal: Seal, onBroken: (error: Error) => void): JournalWriter {
    const journal: OpenJournal | undefined = readJournal(folder)
    if (!journal) throw new ConfigError(`${join(folder, JOURNAL_FILE)} is gone: nothing was sent`)
    const end = authenticate(journal, seal)
    const writer = new JournalWriter(openSync(journal.path, 'r+'), seal, onBroken)
    const [run = 0, ...others] = journal.texts.map(text => Buffer.byteLength(text) + 1)
    const size = others.reduce((total, bytes) => total + bytes, run)
    Object.assign(writer, { chain: end, size, countAt: run })
    // Half a line of the earlier process would join the next line.
    ftruncateSync(writer.file, size)
    writer.line({ type: 'process', ...thisProcess(runMs) })
    return writer
  }

  close(): void {
    this.flush()
    this.end()
  }

  private end(): void {
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

  readonly changed = ({ number, givenBack }: Token) => this.line({ type: 'token-changed', number, givenBack })
  readonly refusing = (spec: string) => this.line({ type: 'refused-logon', spec })
  readonly room = (tokens: number) => this.line({ type: 'room', tokens })
  readonly leaves = (specs: string[]) => this.line({ type: 'leaves', specs })
  readonly happened = (event: RunEvent) => this.line(this.sealed('happened', event))
  readonly explored = (found: Exploration) => this.line(this.sealed('explored', found))
  readonly doubted = (doubts: readonly Doubt[]) => this.line(this.sealed('doubted', doubts))
  readonly certificate = (fingerprint: string) => this.line({ type: 'certificate', fingerprint })

  surveyed(survey: SurveyState): void {
    const { exchanges, ...others } = survey
    this.line(this.sealed('survey', { ...others, exchanges: exchanges.map(this.shortened) }))
  }

  secret(value: string, label: string): void {
    if (value.length >= LONGEST_SECRET) return
    // An answer to a logon holds several, and its token makes a line of its own right away.
    if (this.secrets.push({ value, label }) === 1) setImmediate(() => this.flush())
  }

  issued(token: Token): void {
    const state = token.state()
    // This text holds only the token, so its compressed length reveals nothing else.
    const pack = () => this.seal.close(deflateRawSync(JSON.stringify(state)), 'token')
    const isLong = token.value.length >= LONGEST_SECRET
    this.line(isLong ? { type: 'token', packed: true, sealed: pack() } : this.sealed('token', state))
  }

  loggingOn(): () => void {
    const number = this.logons++
    this.line({ type: 'logon', number, wallMs: Date.now() })
    return () => this.line({ type: 'logon-answered', number })
  }

  waits(state: UnitState): void {
    const specs = state.specs.map(({ spec }) => spec)
    const kept = state.specs.map(spec => ({ ...spec, exchanges: spec.exchanges.map(this.shortened) }))
    this.line(this.sealed('waits', { ...state, specs: kept }, { specs }))
  }

  ended({ record, facts }: EndState): void {
    const { id: spec, outcome } = record
    const state: EndState = { record: { ...record, exchanges: record.exchanges.map(this.shortened) }, facts }
    this.line(this.sealed('ended', state, { spec, outcome }))
  }

  private sealed<const T extends Line['type'], M>(type: T, value: unknown, more = {} as M) {
    return { type, ...more, sealed: this.seal.close(JSON.stringify(value), type) }
  }

  private readonly shortened = <T extends LongExchange>(exchange: T): T => shortened(exchange, this.size)

  private line(line: Line): void {
    this.append([...this.secretLines(), line])
  }

  private flush(): void {
    const lines = this.secretLines()
    if (lines.length) this.append(lines)
  }

  private secretLines(): Line[] {
    const { secrets } = this
    if (!secrets.length) return []
    this.secrets = []
    return [this.sealed('secrets', secrets)]
  }

  /** Writes lines in one go, at most `MOST_AT_ONCE`. */
  private append(lines: Line[]): void {
    if (this.broken) return
    try {
      const [last] = lines.slice(-1)
      const isFirst = this.chain.lines === 0
      let chain = this.chain
      const texts: string[] = []
      for (const line of lines) {
        const next = chainLine(line, chain, this.seal)
        chain = next.end
        texts.push(next.text)
      }
      const isOver = this.size + Buffer.byteLength(texts.join('')) > MOST_BYTES - RESERVED_BYTES
      if (isOver && last?.type !== 'process' && last?.type !== 'full') {
        this.append([{ type: 'full' }])
        throw new Error(`it has grown to ${Math.round(this.size / 1e6)} MB, since this Core answers at length`)
      }
      this.chain = chain
      const count = countLine(chain, this.seal)
      if (isFirst) {
        // The number of lines is the second line, and is there from the start: without it there is no journal.
        this.countAt = Buffer.byteLength(texts[0] ?? '') + 1
        texts.splice(1, 0, count)
      }
      this.size += this.write(texts.map(each => `${each}\n`).join(''), this.size)
      if (!isFirst) this.write(count, this.countAt)
    } catch (error) {
      this.end()
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

/**
 * How much of an exchange is kept: characters of each text, and headers. At first this is more than reports ever show.
 * Where the journal is long already, its Core answers at length, and less is kept.
 */
const KEPT = [
  { untilBytes: 4_000_000, characters: 8192, headers: Number.POSITIVE_INFINITY },
  { untilBytes: 8_000_000, characters: 256, headers: 16 },
  { untilBytes: Number.POSITIVE_INFINITY, characters: 32, headers: 4 },
]

interface Headed {
  headers: [name: string, value: string][]
  body?: string
}

interface LongExchange {
  request: Headed
  response?: Headed
}

/** Shortens the texts of an exchange to what a journal has room for. @param journalBytes the size of the journal */
function shortened<T extends LongExchange>(exchange: T, journalBytes: number): T {
  const { characters: most = 0, headers = 0 } = KEPT.find(({ untilBytes }) => journalBytes <= untilBytes) ?? {}
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
