/** Rebuilds the state of a run from the lines of its journal. */
import { inflateRawSync } from 'node:zlib'
import type { Reading } from '../core/exchange.js'
import type { TokenState } from '../core/token.js'
import { EXPLORED } from '../engine/explorer.js'
import type { EndState, Resumed, UnitState } from '../engine/journal.js'
import { ConfigError } from '../ground/config-error.js'
import type { Doubt } from '../result.js'
import { type Line, MOST_BYTES, type RunLine } from './line.js'
import { authenticate, type OpenJournal } from './read.js'
import type { Seal } from './seal.js'

/**
 * Rebuilds the state of a run from its journal, which it authenticates first.
 * @param doubtMs possible error of the readings, see {@link runClock}
 */
export function replay(journal: OpenJournal, seal: Seal, doubtMs: number): Resumed {
  authenticate(journal, seal)
  const { path, run, lines } = journal
  const state = new Replay(path, seal, doubtMs)
  // The second line of the file is the number of lines.
  for (const [index, line] of lines.entries()) state.line(line, index + (index ? 2 : 1))
  return state.resumed(run)
}

/** Opens what is sealed in a line. @throws ConfigError */
type Open = <T>(line: { type: string; sealed: string; packed?: true }) => T

class Replay {
  private readonly state: Omit<Resumed, 'startedAt' | 'lostUntil' | 'ended' | 'waiting'> = {
    secrets: [],
    tokens: [],
    refusedLogons: 0,
    refunded: 0,
    events: [],
    doubts: [],
  }
  private readonly logons = new Map<string, number>()
  private readonly ended = new Map<string, EndState>()
  private readonly waiting = new Map<string, UnitState>()
  /** The specs of refused logons since the start of the present process. The state counts those before. */
  private refusing: string[] = []
  private processes = 0

  constructor(
    private readonly path: string,
    private readonly seal: Seal,
    private readonly doubtMs: number,
  ) {}

  line(line: Line, number: number): void {
    const open: Open = ({ type, sealed, packed }) => {
      try {
        const bytes = this.seal.openBytes(sealed, type)
        return JSON.parse((packed ? inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString())
      } catch {
        throw new ConfigError(`${this.path}:${number} was changed, so the run cannot be resumed; remove the file`)
      }
    }
    const take = this.takes[line.type] as ((line: Line, open: Open) => void) | undefined
    take?.(line, open)
  }

  /** What a line of each kind does to the state; the others say nothing that a run goes on with. */
  private readonly takes: { [T in Line['type']]?: (line: Extract<Line, { type: T }>, open: Open) => unknown } = {
    process: () => {
      this.processes++
      this.settle()
    },
    survey: (line, open) => (this.state.survey = open(line)),
    secrets: (line, open) => this.state.secrets.push(...open<Resumed['secrets']>(line)),
    token: (line, open) => this.state.tokens.push(this.widened(open(line))),
    'token-changed': ({ number, givenBack }) => {
      const token = this.state.tokens[number]
      if (token) token.givenBack = givenBack
    },
    logon: ({ number, wallMs }) => this.logons.set(`${this.processes} ${number}`, wallMs),
    'logon-answered': ({ number }) => this.logons.delete(`${this.processes} ${number}`),
    'refused-logon': ({ spec }) => this.refusing.push(spec),
    room: ({ tokens }) => (this.state.room = tokens),
    waits: (line, open) => this.waits(line.specs, open(line)),
    leaves: ({ specs }) => this.waiting.delete(specs.join()),
    ended: (line, open) => this.ended.set(line.spec, open(line)),
    happened: (line, open) => this.state.events.push(open(line)),
    explored: (line, open) => (this.state.exploration = open(line)),
    doubted: (line, open) => this.state.doubts.push(...open<Doubt[]>(line)),
    certificate: ({ fingerprint }) => (this.state.certificateFingerprint = fingerprint),
  }

  resumed(run: RunLine): Resumed {
    const { idleLifetimeMs, idleTolerance } = run.configuration
    this.settle()
    return {
      ...this.state,
      startedAt: new Date(run.startedAt),
      lostUntil: [...this.logons.values()].map(wallMs => wallMs + idleLifetimeMs * (1 + idleTolerance) + this.doubtMs),
      ended: [...this.ended.values()],
      waiting: [...this.waiting.values()],
    }
  }

  /** Ends the account of a process. Specs without an outcome run again, and may send their refused logons once more. */
  private settle(): void {
    this.state.refusedLogons += this.refusing.length
    this.state.refunded += this.refusing.filter(spec => !this.ended.has(spec) && !spec.startsWith(EXPLORED)).length
    this.refusing = []
  }

  /** Takes over the tokens of a unit as they were when it began to wait. */
  private waits(specs: string[], state: UnitState): void {
    const { tokens } = this.state
    for (const [number, token] of Object.entries(state.tokens)) {
      const issued = tokens[Number(number)]
      if (issued) tokens[Number(number)] = this.widened({ ...token, value: issued.value })
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
