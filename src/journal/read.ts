import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type { Reading } from '../core/exchange.js'
import type { TokenState } from '../core/token.js'
import { EXPLORED } from '../engine/explorer.js'
import type { EndState, Resumed, SurveyState, UnitState } from '../engine/journal.js'
import { readRegular, Unreadable } from '../ground/file.js'
import type { Exploration } from '../result.js'
import { type ChainEnd, follow, isCountLine, miscount, NO_LINES } from './chain.js'
import { JOURNAL_FILE, JOURNAL_VERSION, type Line, MOST_BYTES, type ProcessLine, type RunLine } from './line.js'
import { thisProcess } from './process.js'
import { type Seal, SealBroken } from './seal.js'

/** A journal that cannot be used. The message says what is wrong, where, and what to do. */
export class JournalError extends Error {}

/** The lines of a journal, as they stand in the file. Until {@link authenticate}, anybody may have written them. */
export interface OpenJournal {
  path: string
  run: RunLine
  /** The process that worked on it last. */
  process: ProcessLine
  /** All lines except the one with their number. */
  lines: Line[]
  /** Every whole line of the file, as text. */
  texts: string[]
}

/**
 * Reads the journal of a folder. A last line without its end is left out: a killed process wrote half of it.
 * @returns undefined where there is none, or none with a beginning: its process was killed before it sent anything
 * @throws JournalError
 */
export function readJournal(folder: string): OpenJournal | undefined {
  const path = join(folder, JOURNAL_FILE)
  let text: string
  try {
    text = readRegular(path, MOST_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof Unreadable) throw new JournalError(`${path} ${error.message}: move it away`)
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new JournalError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}): mend that, or move it away`,
    )
  }
  const texts = text.split('\n').slice(0, -1)
  const [first, count] = texts
  if (first === undefined) return undefined
  const run = parse(first, `${path}:1`)
  if (run.type !== 'run') {
    throw new JournalError(`${path}:1 is not the beginning of a journal: the file was changed; remove it`)
  }
  if (run.version !== JOURNAL_VERSION) {
    throw new JournalError(
      `${path} was written by another version of core-conformance: finish it with that one, or remove it`,
    )
  }
  if (count === undefined) return undefined
  if (!isCountLine(count)) throw new JournalError(`${path}:2 does not count the lines: the file was changed; remove it`)
  const lines = [run, ...texts.slice(2).map((line, index) => parse(line, `${path}:${index + 3}`))]
  const process = lines.findLast(line => line.type === 'process')
  if (process?.type !== 'process') return undefined
  return { path, run, process, lines, texts }
}

/**
 * Checks that a journal is as the run wrote it: every line, in this order, with none missing.
 * @returns the end of its chain
 * @throws JournalError with the wrong line; also where the password is not that of the run
 */
export function authenticate({ path, run, texts }: OpenJournal, seal: Seal): ChainEnd {
  try {
    seal.open(run.check, 'check')
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new JournalError(`${path} was sealed with another password than this: set CORE_PASSWORD to that of the run`)
  }
  const changed = (number: number, why: string) =>
    new JournalError(
      `${path}:${number} ${why}. The file was changed, so the run cannot be resumed, and nothing was sent; remove the file`,
    )
  let end = NO_LINES
  const macs: string[] = []
  for (const [index, text] of texts.entries()) {
    if (index === COUNT_INDEX) continue
    const next = follow(text, end, seal)
    if (typeof next === 'string') throw changed(index + 1, next)
    end = next
    macs.push(end.mac)
  }
  const wrong = miscount(texts[COUNT_INDEX] ?? '', macs, seal)
  if (wrong) throw changed(COUNT_INDEX + 1, wrong)
  return end
}

/** Whether a journal could not hold all events of its run. */
export function isFull({ lines }: OpenJournal): boolean {
  return lines.some(({ type }) => type === 'full')
}

/** Index of the line with the number of lines. */
const COUNT_INDEX = 1

function parse(text: string, place: string): Line {
  try {
    const line = JSON.parse(text) as Line
    if (typeof line?.type === 'string') return line
  } catch {}
  throw new JournalError(`${place} is no line of a journal: the file was changed, and cannot be resumed; remove it`)
}

/** How far the wall clocks of two machines may differ, or that of one machine after a restart. */
const CLOCK_DOUBT_MS = 5000

/** Returns the present reading of a run's clock, computed from the last process's entry, and its possible error. */
export function runClock(last: ProcessLine): { nowMs: number; doubtMs: number } {
  const here = thisProcess(0)
  if (here.boot && here.boot === last.boot) {
    return { nowMs: last.runMs + here.machineMs - last.machineMs, doubtMs: 0 }
  }
  return { nowMs: last.runMs + Math.max(0, here.wallMs - last.wallMs), doubtMs: CLOCK_DOUBT_MS }
}

/** Returns when an unknown token of a logon at this time has certainly expired. */
export type LostAfter = (wallMs: number) => number

/**
 * Rebuilds the state of a run from its journal, which it authenticates first.
 * @param doubtMs possible error of the readings, see {@link runClock}
 * @throws JournalError, see {@link authenticate}
 */
export function replay(journal: OpenJournal, seal: Seal, doubtMs: number): Resumed {
  authenticate(journal, seal)
  const { path, run, lines } = journal
  const state = new Replay(path, seal, doubtMs)
  // The second line of the file is the number of lines.
  for (const [index, line] of lines.entries()) state.line(line, index + (index ? 2 : 1))
  return state.resumed(run)
}

class Replay {
  private survey: SurveyState | undefined
  private readonly secrets: Resumed['secrets'] = []
  private readonly tokens: TokenState[] = []
  private readonly logons = new Map<string, number>()
  private readonly ended = new Map<string, EndState>()
  private readonly waiting = new Map<string, UnitState>()
  /** The specs of refused logons since the start of the present process. `refused` counts those before. */
  private refusing: string[] = []
  private refused = 0
  private refunded = 0
  private room: number | undefined
  private certificateFingerprint: string | undefined
  private exploration: Exploration | undefined
  private processes = 0

  constructor(
    private readonly path: string,
    private readonly seal: Seal,
    private readonly doubtMs: number,
  ) {}

  line(line: Line, number: number): void {
    const open = <T>({ type, sealed, packed }: { type: string; sealed: string; packed?: true }): T => {
      try {
        const bytes = this.seal.openBytes(sealed, type)
        return JSON.parse((packed ? inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString()) as T
      } catch {
        throw new JournalError(`${this.path}:${number} was changed, so the run cannot be resumed; remove the file`)
      }
    }
    switch (line.type) {
      case 'process':
        this.processes++
        this.settle()
        break
      case 'survey':
        this.survey = open(line)
        break
      case 'secret':
        this.secrets.push(open(line))
        break
      case 'token':
        this.tokens.push(this.widened(open(line)))
        break
      case 'token-changed': {
        const token = this.tokens[line.number]
        if (token) token.givenBack = line.givenBack
        break
      }
      case 'logon':
        this.logons.set(`${this.processes} ${line.number}`, line.wallMs)
        break
      case 'logon-answered':
        this.logons.delete(`${this.processes} ${line.number}`)
        break
      case 'refused-logon':
        this.refusing.push(line.spec)
        break
      case 'room':
        this.room = line.tokens
        break
      case 'waits':
        this.waits(line.specs, open(line))
        break
      case 'leaves':
        this.waiting.delete(line.specs.join())
        break
      case 'ended':
        this.ended.set(line.spec, open(line))
        break
      case 'explored':
        this.exploration = open(line)
        break
      case 'certificate':
        this.certificateFingerprint = line.fingerprint
    }
  }

  resumed(run: RunLine): Resumed {
    const { idleLifetimeMs, idleTolerance } = run.configuration
    this.settle()
    const { survey, secrets, tokens, refused, refunded, room, ended, waiting } = this
    const { certificateFingerprint, exploration } = this
    return {
      startedAt: new Date(run.startedAt),
      ...(survey && { survey }),
      secrets,
      tokens,
      refusedLogons: refused,
      refunded,
      lostUntil: [...this.logons.values()].map(wallMs => wallMs + idleLifetimeMs * (1 + idleTolerance) + this.doubtMs),
      ...(room !== undefined && { room }),
      ended: [...ended.values()],
      waiting: [...waiting.values()],
      ...(certificateFingerprint !== undefined && { certificateFingerprint }),
      ...(exploration && { exploration }),
    }
  }

  /** Ends the account of a process. Specs without an outcome run again, and may send their refused logons once more. */
  private settle(): void {
    this.refused += this.refusing.length
    this.refunded += this.refusing.filter(spec => !this.ended.has(spec) && !spec.startsWith(EXPLORED)).length
    this.refusing = []
  }

  /** Takes over the tokens of a unit as they were when it began to wait. */
  private waits(specs: string[], state: UnitState): void {
    for (const [number, token] of Object.entries(state.tokens)) {
      const issued = this.tokens[Number(number)]
      if (issued) this.tokens[Number(number)] = this.widened({ ...token, value: issued.value })
    }
    this.waiting.set(specs.join(), state)
  }

  private widened(token: TokenState): TokenState {
    const { doubtMs } = this
    const wide = ({ sentAt, receivedAt, wall }: Reading): Reading => ({
      sentAt: sentAt - doubtMs,
      receivedAt: receivedAt + doubtMs,
      ...(wall && { wall: { sentAt: wall.sentAt - doubtMs, receivedAt: wall.receivedAt + doubtMs } }),
    })
    const { issued, certainUse, possibleUse } = token
    return { ...token, issued: wide(issued), certainUse: wide(certainUse), possibleUse: wide(possibleUse) }
  }
}
