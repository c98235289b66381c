/**
 * Finds out whether what the judge doubts repeats, and after which requests: sends those of the history once more, with nothing else
 * under way, and leaves out what it can do without. What repeats each time accuses; what does not stays in doubt.
 */
import { NotSent } from '../core/not-sent.js'
import { grouped } from '../ground/grouped.js'
import type { HistoryEntry } from '../result.js'
import type { Contradiction, ContradictionKind } from '../run/judge/contradictions.js'
import type { Judged } from '../run/judge/judge.js'
import { livesOf } from '../run/judge/lives.js'
import type { Requirement } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { HistoryKeeper, Sent } from './keep-history.js'
import type { Attempt } from './phases/phase.js'
import { type Shown, TIMES, told } from './repeat-record.js'
import { type Played, Stage } from './stage.js'

/** About as many requests as a run sends in its specs: a fault is worth that, and more would keep its user waiting. */
const MOST_REQUESTS = 2000
/** Those are kept to see the last sequence again. */
const KEPT_REQUESTS = 200
/** So many requests are sent once more at a time, where nobody knows which of many it was. */
const AT_A_TIME = 24
/** Most requests that came before on a connection: a fault that counts beyond that has a spec of its own. */
const BEFORE = 20
/** Of contradictions that are told alike, the ones with the fewest requests to choose from tell as much as all. */
const OF_EACH = 2

/** A valid token that was refused, in one of three ways. Which it was is told by what the sequence does. */
const REFUSED: readonly ContradictionKind[] = ['died', 'came back', 'dead at birth']

/** What it works with. */
export interface RepeatMeans {
  context: RunContext
  history: HistoryKeeper
  requirements: ReadonlyMap<string, Requirement>
}

/** Repeats what the judge accuses. @returns a failed spec for each requirement that is broken each time */
export async function repeated(judged: readonly Judged[], means: RepeatMeans): Promise<Attempt[]> {
  const repetition = new Repetition(means)
  const attempts = new Map<string, Attempt>()
  try {
    const doubts = [...grouped(judged, ({ cause }) => cause.accuses ?? '')].filter(([accused]) => accused)
    for (const [, all] of doubts.sort(([a], [b]) => (a < b ? -1 : 1))) {
      const shown = await repetition.first(all.map(({ contradiction }) => contradiction))
      const requirement = shown && means.requirements.get(shown.breaks)
      if (shown && requirement && !attempts.has(shown.breaks)) attempts.set(shown.breaks, told(shown, requirement))
    }
  } finally {
    await repetition.end()
  }
  return [...attempts.values()]
}

class Repetition {
  private readonly stage: Stage
  private readonly sent: readonly Sent[]
  private left = MOST_REQUESTS
  /** Whether to wait a moment for what shows late: until it is known that it shows at once. */
  private waits = true

  constructor({ context, history }: RepeatMeans) {
    // One that was issued twice has no single life, and may be what is in doubt.
    const revoked = new Map(livesOf(history.entries).map(life => [life.token, life.revoked]))
    const issued = [...new Set(history.entries.flatMap(entry => entry.issued ?? []))]
    this.sent = history.sent.sort((a, b) => a.entry.sentAt - b.entry.sentAt)
    const tokens = issued.map(token => ({ token, revoked: revoked.get(token) }))
    this.stage = new Stage(context, history, tokens)
  }

  end(): Promise<void> {
    return this.stage.end()
  }

  /** Repeats the first of these that repeats; undefined where none does. */
  async first(contradictions: readonly Contradiction[]): Promise<Shown | undefined> {
    const byChoice = contradictions
      .map(contradiction => ({ contradiction, among: this.among(contradiction) }))
      .sort((a, b) => a.among.length - b.among.length)
    for (const { contradiction, among } of byChoice.slice(0, OF_EACH)) {
      for (const group of this.groups(contradiction, among)) {
        if (this.left < KEPT_REQUESTS) return undefined
        this.waits = true
        const played = await this.shows(group, contradiction)
        if (!played) continue
        this.waits = played.isLate
        const shown = await this.confirmed(await this.fewest(group, contradiction), contradiction)
        if (shown) return shown
      }
    }
    return undefined
  }

  /** Returns what may have caused it: what was under way since the token was valid. */
  private among({ entry, before }: Contradiction): Sent[] {
    const fromMs = before?.sentAt ?? entry.sentAt
    return this.sent.filter(each => each.entry.receivedAt >= fromMs && each.entry.sentAt <= entry.receivedAt)
  }

  /** Returns what to send once more, one after another: the request itself, then all of them, the latest first. */
  private groups({ entry }: Contradiction, among: readonly Sent[]): Sent[][] {
    const groups = [this.withBefore(among.filter(each => each.entry === entry))]
    for (let until = among.length; until > 0; until -= AT_A_TIME)
      groups.push(this.withBefore(among.slice(Math.max(0, until - AT_A_TIME), until)))
    return groups
  }

  /** Returns requests with those before them on their connections. */
  private withBefore(group: readonly Sent[]): Sent[] {
    const earlier = group.flatMap(({ connection, entry }) => {
      const same = this.sent.filter(each => connection > 0 && each.connection === connection)
      return same.filter(each => each.entry.sentAt < entry.sentAt).slice(-BEFORE)
    })
    const all = new Set([...earlier, ...group])
    return this.sent.filter(each => all.has(each))
  }

  /** Leaves out as many requests as it can, the earliest first. */
  private async fewest(group: readonly Sent[], contradiction: Contradiction): Promise<Sent[]> {
    let left = [...group]
    for (let size = Math.ceil(left.length / 2); size > 0; ) {
      const { length } = left
      for (let from = 0; from < left.length && left.length > 1; ) {
        const fewer = [...left.slice(0, from), ...left.slice(from + size)]
        if (this.left < KEPT_REQUESTS) return left
        if (fewer.length && (await this.shows(fewer, contradiction))) left = fewer
        else from += size
      }
      // One that was needed beside another may not be without it.
      if (size > 1) size >>= 1
      else if (left.length === length) break
    }
    return left
  }

  /** Sees it as often as it has to show, and in between that nothing shows where none of the requests is sent. */
  private async confirmed(group: readonly Sent[], { kind }: Contradiction): Promise<Shown | undefined> {
    let shown: Shown | undefined
    for (let times = 0; times < TIMES; times++) {
      const nothing = await this.play([])
      const played = await this.play(group)
      const contradiction = played?.contradictions.find(each => isLike(each.kind, kind))
      const breaks = contradiction && brokenBy(contradiction, group)
      if (!played || !contradiction || !breaks || !nothing || nothing.contradictions.length) return undefined
      shown = { ...played, contradiction, breaks }
    }
    return shown
  }

  private async shows(group: readonly Sent[], { kind }: Contradiction): Promise<Played | undefined> {
    const played = await this.play(group)
    return played?.contradictions.some(each => isLike(each.kind, kind)) ? played : undefined
  }

  /** Sends requests once more; undefined where that was not possible. */
  private async play(group: readonly Sent[]): Promise<Played | undefined> {
    try {
      const played = await this.stage.play(group, this.waits)
      this.left -= played.exchanges.length
      return played
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      // What is missing for one, such as room for a token, is missing for all.
      this.left = 0
      return undefined
    }
  }
}

/** Whether two contradictions show the same. */
function isLike(one: ContradictionKind, other: ContradictionKind): boolean {
  return one === other || (REFUSED.includes(one) && REFUSED.includes(other))
}

/** Returns the id of the requirement that a shortest sequence breaks; undefined where it sends what the reference does not show. */
function brokenBy({ kind }: Contradiction, group: readonly Sent[]): string | undefined {
  const last = group.at(-1)?.entry
  if (!last || group.some(({ entry }) => entry.kind === 'odd change')) return undefined
  switch (kind) {
    case 'died':
      return endedBy(last)
    case 'came back':
      return 'ACCESS-2'
    case 'kept alive':
    case 'revocation refused':
      return 'REVOKE-1'
    case 'outlived':
    case 'revived':
      return 'IDLE-1'
    case 'unknown accepted':
      return 'ACCESS-1'
    default:
      return 'LOGON-1'
  }
}

function endedBy({ kind }: HistoryEntry): string {
  if (kind === 'no host') return 'HOST-2'
  if (kind === 'logon' || kind === 'wrong logon') return 'LOGON-4'
  return kind === 'revocation' ? 'REVOKE-2' : 'IDLE-3'
}
