/**
 * A model of a device, written from the reference alone: it shares nothing with the judge, so that a mistake of one does not
 * hide one of the other. Habits are what the reference leaves open; a fault breaks it.
 */

/** A request as the device sees it. */
export interface DeviceRequest {
  kind: 'logon' | 'wrong logon' | 'use' | 'revocation' | 'no host' | 'odd change'
  token?: string
  backEnd: number
}

/** What a device answers; `status` is absent where it closes the connection. */
export interface DeviceAnswer {
  status?: number
  issued?: string
  asksToWait?: boolean
  /** What breaks the reference here, by the device's own books: a token, a logon, or the event that ended some tokens. */
  wrong?: string
}

/** How a device treats what the reference leaves open. Numbers of time are parts of the lifetime, or milliseconds. */
export interface Habits {
  lifetimeMs: number
  /** Its true lifetime, as a part of the stated one: within the tolerance. */
  lives: number
  /** The status of a refused use, and of wrong credentials. */
  refuses: number
  refusesLogons: number
  revokesDead: number
  /** It has room for so many tokens: a further logon is refused with this status, or ends the oldest or least used one. */
  room?: { tokens: number; full: 401 | 409 | 429 | 503 | 'oldest' | 'least used' }
  /** So many back ends that share no tokens. */
  backEnds?: number
  /** It takes so many logons, or requests, in a while, and then refuses with this status, or closes the connection. */
  rate?: { of: 'logons' | 'requests'; times: number; spanMs: number; status: 401 | 403 | 429 | 503 | undefined }
  /** After so many refusals in five seconds, it serves nothing for a while; `as a refusal`: as if the token were bad. */
  ban?: { refusals: number; forMs: number; as: 429 | 'closed' | 'as a refusal' }
  /** After so many wrong logons in a row, right credentials are refused for a while. */
  locks?: { after: number; forMs: number }
  /** Fresh tokens are refused for so long. */
  warmUpMs?: number
}

/** Where and how a device breaks the reference. */
export interface Fault {
  name: FaultName
  chance: number
  /** It takes the chance of this number, and no other. */
  only?: number
  /** How it does so, where there are several ways. */
  way: number
  /** A time, from 0 to 1. */
  time: number
}

export const FAULT_NAMES = [
  'refuses a good logon',
  'refuses a good logon beside an old token',
  'refuses a good logon beside a wrong one',
  'answers a good logon without a token',
  'issues a dead token',
  'ends a token at a logon',
  'ends a token at a wrong logon',
  'ends a token at a request without Host',
  'ends a token at a revocation of another',
  'issues a token twice',
  'accepts a revoked token',
  'accepts a revoked token for a while',
  'accepts a revoked token later',
  'accepts a revoked token after some looks',
  'refuses a revocation',
  'accepts a token that was never issued',
  'refuses a valid token once',
  'ends tokens early',
  'forgets a token',
  'accepts expired tokens',
  'revives an expired token that is used',
  'counts no use',
] as const
export type FaultName = (typeof FAULT_NAMES)[number]

interface Held {
  token: string
  backEnd: number
  issuedMs: number
  /** When it was used last, by the books of a good device, and by those of this one. */
  usedMs: number
  countedMs: number
  revokedMs?: number
  /** When it ends, or ended, without a revocation. */
  endsMs?: number
  /** The event of the fault that ended it; absent for a habit. */
  endedBy?: string
  looks: number
  /** Whether a revocation of it was refused, though it was valid. */
  isKept?: boolean
}

const REFUSALS_IN_MS = 5000

/** A device with its clock, which is set with each request. */
export class Device {
  private readonly held = new Map<string, Held>()
  private readonly served: { logon: number[]; any: number[] } = { logon: [], any: [] }
  private refusals: number[] = []
  private wrongInRow = 0
  private lockedMs = Number.NEGATIVE_INFINITY
  private bannedMs = Number.NEGATIVE_INFINITY
  private wrongMs = Number.NEGATIVE_INFINITY
  private made = 0
  private chances = 0
  /** The time by its clock is that of the world, and this. */
  private aheadMs = 0

  constructor(
    private readonly habits: Habits,
    private readonly fault: Fault | undefined,
    private readonly random: () => number,
  ) {}

  restart(): void {
    this.held.clear()
  }

  setClock(byMs: number): void {
    this.aheadMs += byMs
  }

  clock(worldMs: number): number {
    return worldMs + this.aheadMs
  }

  take(request: DeviceRequest, worldMs: number): DeviceAnswer {
    const nowMs = this.clock(worldMs)
    const hindrance = this.hindrance(request, worldMs)
    if (hindrance) return hindrance
    const answer = this.answer(request, nowMs)
    const { ban } = this.habits
    if (ban && (answer.status ?? 0) >= 400) {
      this.refusals = [...this.refusals, worldMs].filter(ms => worldMs - ms < REFUSALS_IN_MS)
      if (this.refusals.length >= ban.refusals) {
        this.bannedMs = worldMs + ban.forMs
        this.refusals = []
      }
    }
    return answer
  }

  private hindrance({ kind }: DeviceRequest, worldMs: number): DeviceAnswer | undefined {
    const { ban, rate, refuses, refusesLogons } = this.habits
    const isLogon = kind === 'logon' || kind === 'wrong logon'
    if (ban && worldMs < this.bannedMs) {
      if (ban.as === 'closed') return {}
      if (ban.as === 429) return { status: 429, asksToWait: true }
      return { status: isLogon ? refusesLogons : refuses }
    }
    if (rate && (rate.of === 'requests' || isLogon)) {
      const counted = rate.of === 'requests' ? this.served.any : this.served.logon
      const recent = counted.filter(ms => worldMs - ms < rate.spanMs)
      if (recent.length >= rate.times) {
        const { status } = rate
        return status === undefined ? {} : { status, ...((status === 429 || status === 503) && { asksToWait: true }) }
      }
      counted.push(worldMs)
    }
    return undefined
  }

  private answer(request: DeviceRequest, nowMs: number): DeviceAnswer {
    switch (request.kind) {
      case 'logon':
        return this.logOn(request, nowMs)
      case 'wrong logon':
        return this.logOnWrongly(nowMs)
      case 'use':
        return this.use(request, nowMs)
      case 'revocation':
        return this.revoke(request, nowMs)
      case 'no host':
        return this.refuseHostless(nowMs)
      case 'odd change':
        return this.changeOddly(request, nowMs)
    }
  }

  private logOn({ backEnd }: DeviceRequest, nowMs: number): DeviceAnswer {
    const { room, refusesLogons, locks, lifetimeMs } = this.habits
    const live = this.live(nowMs)
    if (nowMs < this.lockedMs) return { status: refusesLogons }
    if (room && typeof room.full === 'number' && live.length >= room.tokens) {
      const isLimit = room.full === 429 || room.full === 503
      return { status: room.full === 401 ? refusesLogons : room.full, ...(isLimit && { asksToWait: true }) }
    }
    const isBesideOld = live.some(({ issuedMs }) => nowMs - issuedMs > lifetimeMs * (0.05 + 0.25 * this.time))
    if (
      this.hits('refuses a good logon') ||
      (isBesideOld && this.hits('refuses a good logon beside an old token')) ||
      (nowMs - this.wrongMs < 50 && this.hits('refuses a good logon beside a wrong one'))
    )
      return { status: refusesLogons, wrong: `logon ${this.chances}` }
    if (this.hits('answers a good logon without a token')) return { status: 201, wrong: `logon ${this.chances}` }
    if (locks) this.wrongInRow = 0
    const again = live.at(-1)
    if (again && this.hits('issues a token twice')) return { status: 201, issued: again.token, wrong: again.token }
    const token = `token-${this.made++}-${Math.floor(this.random() * 1e9).toString(36)}`
    this.held.set(token, { token, backEnd, issuedMs: nowMs, usedMs: nowMs, countedMs: nowMs, looks: 0 })
    if (this.hits('issues a dead token')) this.end(this.held.get(token), nowMs, true)
    if (live.length && this.hits('ends a token at a logon')) this.endOne(live, nowMs)
    if (room && typeof room.full === 'string') {
      const now = this.live(nowMs)
      const by = room.full === 'oldest' ? 'issuedMs' : 'usedMs'
      for (const one of now.sort((a, b) => a[by] - b[by]).slice(0, Math.max(0, now.length - room.tokens)))
        this.end(one, nowMs, false)
    }
    return { status: 201, issued: token }
  }

  private logOnWrongly(nowMs: number): DeviceAnswer {
    const { locks, refusesLogons } = this.habits
    this.wrongMs = nowMs
    this.wrongInRow++
    if (locks && this.wrongInRow >= locks.after) this.lockedMs = nowMs + locks.forMs
    const live = this.live(nowMs)
    if (live.length && this.hits('ends a token at a wrong logon')) this.endOne(live, nowMs)
    return { status: refusesLogons }
  }

  private refuseHostless(nowMs: number): DeviceAnswer {
    const live = this.live(nowMs)
    if (live.length && this.hits('ends a token at a request without Host')) this.endOne(live, nowMs)
    return { status: 406 }
  }

  private use({ token = '', backEnd }: DeviceRequest, nowMs: number): DeviceAnswer {
    const { refuses, lifetimeMs } = this.habits
    const held = this.held.get(token)
    if (!held)
      return this.hits('accepts a token that was never issued') ? { status: 200, wrong: token } : { status: refuses }
    if (this.isElsewhere(held, backEnd)) return { status: refuses }
    const isGood = this.isGood(held, nowMs)
    const isTaken = this.isTaken(held, nowMs)
    // Between these, the reference and the tolerance of a run leave open whether it is valid.
    const isDoubtful = Math.abs((nowMs - held.usedMs) / lifetimeMs - 1) < 0.1
    const isExpired = held.revokedMs === undefined && !isDoubtful && !isGood
    if (isTaken) held.countedMs = nowMs
    if (isGood) held.usedMs = nowMs
    if (isExpired && !isTaken && this.hits('revives an expired token that is used')) held.countedMs = nowMs
    held.looks++
    const isOdd = isTaken !== isGood || (isTaken && held.isKept === true)
    const isWrong = !isDoubtful && isOdd && !this.isHabit(held, nowMs)
    return { status: isTaken ? 200 : refuses, ...(isWrong && { wrong: held.endedBy ?? token }) }
  }

  private revoke({ token = '', backEnd }: DeviceRequest, nowMs: number): DeviceAnswer {
    const { revokesDead, refuses } = this.habits
    const held = this.held.get(token)
    if (!held || this.isElsewhere(held, backEnd)) return { status: revokesDead }
    if (this.isWarm(held, nowMs) && !this.isTaken(held, nowMs)) {
      if (this.isGood(held, nowMs)) held.revokedMs = nowMs
      return { status: revokesDead }
    }
    if (this.hits('refuses a revocation')) {
      held.isKept = true
      return { status: refuses }
    }
    held.revokedMs = nowMs
    held.looks = 0
    const live = this.live(nowMs).filter(one => one !== held)
    if (live.length && this.hits('ends a token at a revocation of another')) this.endOne(live, nowMs)
    return { status: 204 }
  }

  /** A change in a form that the reference does not show revokes the token or not, as it pleases. */
  private changeOddly({ token = '' }: DeviceRequest, nowMs: number): DeviceAnswer {
    const held = this.held.get(token)
    if (!held || this.random() < 0.5) return { status: 404 }
    held.revokedMs = nowMs
    return { status: 204 }
  }

  /** Whether a good device would accept the token, as far as the reference says. */
  private isGood({ revokedMs, usedMs }: Held, nowMs: number): boolean {
    return revokedMs === undefined && nowMs - usedMs <= this.habits.lifetimeMs * this.habits.lives
  }

  /** Whether this one accepts it. */
  private isTaken(held: Held, nowMs: number): boolean {
    const { lifetimeMs, lives } = this.habits
    const { revokedMs, endsMs, issuedMs, countedMs } = held
    if (!this.isWarm(held, nowMs)) return false
    if (revokedMs !== undefined) {
      const sinceMs = nowMs - revokedMs
      if (this.is('accepts a revoked token') && this.takes(held.token)) return true
      if (this.is('accepts a revoked token for a while') && this.takes(held.token))
        return sinceMs < 50 + 950 * this.time
      if (this.is('accepts a revoked token later') && this.takes(held.token))
        return sinceMs > 100 + lifetimeMs * 0.1 * this.time
      if (this.is('accepts a revoked token after some looks') && this.takes(held.token))
        return held.looks >= 1 + ((this.fault?.way ?? 0) % 3)
      return false
    }
    if (endsMs !== undefined && nowMs >= endsMs) return false
    if (this.is('refuses a valid token once') && this.hits('refuses a valid token once')) return false
    if (this.is('forgets a token') && held.looks > 0 && this.isGood(held, nowMs) && this.hits('forgets a token')) {
      this.end(held, nowMs, true)
      return false
    }
    const unusedMs = nowMs - (this.is('counts no use') ? issuedMs : countedMs)
    const part = this.is('ends tokens early')
      ? 0.1 + 0.65 * this.time
      : this.is('accepts expired tokens')
        ? 1.3 + 20 * this.time
        : lives
    return unusedMs <= lifetimeMs * part
  }

  /** Whether it refuses the token for a habit. */
  private isHabit(held: Held, nowMs: number): boolean {
    const { endsMs, endedBy } = held
    const isEnded = endsMs !== undefined && nowMs >= endsMs
    return (isEnded && endedBy === undefined) || !this.isWarm(held, nowMs)
  }

  private isWarm({ issuedMs }: Held, nowMs: number): boolean {
    return this.habits.warmUpMs === undefined || nowMs - issuedMs >= this.habits.warmUpMs
  }

  private isElsewhere(held: Held, backEnd: number): boolean {
    return this.habits.backEnds !== undefined && held.backEnd !== backEnd
  }

  private live(nowMs: number): Held[] {
    return [...this.held.values()].filter(
      held => this.isGood(held, nowMs) && !(held.endsMs !== undefined && nowMs >= held.endsMs),
    )
  }

  /** Ends one or all of these tokens, at once or within a second. */
  private endOne(live: readonly Held[], nowMs: number): void {
    const way = this.fault?.way ?? 0
    const at = nowMs + (way & 4 ? this.time * 1000 : 0)
    const chosen = [live.at(0), live.at(-1), live[Math.floor(this.random() * live.length)]][way & 3]
    for (const one of (way & 3) === 3 ? live : [chosen]) this.end(one, at, true)
  }

  private end(held: Held | undefined, atMs: number, isWrong: boolean): void {
    if (held) Object.assign(held, { endsMs: atMs, ...(isWrong && { endedBy: `event ${this.chances}` }) })
  }

  private get time(): number {
    return this.fault?.time ?? 0
  }

  private is(name: FaultName): boolean {
    return this.fault?.name === name
  }

  /** Whether the fault of this name takes its next chance. */
  private hits(name: FaultName): boolean {
    if (!this.fault || !this.is(name)) return false
    const { only, chance } = this.fault
    const number = this.chances++
    return only === undefined ? this.random() < chance : number === only
  }

  /** Whether the fault concerns this token, the same at every look. */
  private takes(token: string): boolean {
    const number = Number(token.split('-')[1])
    const { only, chance = 0 } = this.fault ?? {}
    return only === undefined ? ((number * 7919) % 101) / 101 < chance : number === only
  }
}
