/** A client that logs on, uses and revokes tokens as a run does, on a simulated clock; what it sends becomes a history. */
import fc from 'fast-check'
import { randomFrom } from '../../../dist/ground/random.js'
import type { HistoryEntry, RequestKind } from '../../../dist/result.js'
import { Device, type DeviceAnswer, type DeviceRequest, type Fault, type Habits } from './device.js'

/** What the client does next. `which` chooses among its tokens, from the newest; `part` is a part of the lifetime. */
export type Action =
  | { do: 'log on'; times: number }
  | { do: 'log on wrongly'; times: number }
  | { do: 'use'; which: number; times: number }
  | {
      do: 'look at all' | 'use an unknown token' | 'change oddly' | 'leave Host out' | 'use a dead token'
      which: number
    }
  | { do: 'revoke'; which: number; looks: number }
  | { do: 'mix'; which: number }
  | { do: 'keep alive'; part: number }
  | { do: 'let expire'; which: number; looks: number }
  | { do: 'wait' | 'sleep'; part: number }

const which = fc.nat(20)
const part = fc.constantFrom(0.001, 0.05, 0.3, 0.5, 0.7, 0.85, 1.2, 1.6)
/** An action of a client. */
export const ACTION: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('log on' as const), times: fc.constantFrom(1, 1, 1, 2, 3) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('log on wrongly' as const), times: fc.constantFrom(1, 1, 1, 4) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('use' as const), which, times: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'look at all' as const,
        'look at all' as const,
        'use an unknown token' as const,
        'change oddly' as const,
        'leave Host out' as const,
        'use a dead token' as const,
      ),
      which,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('revoke' as const), which, looks: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mix' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('keep alive' as const), part: fc.constantFrom(0.2, 0.4, 0.6) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('let expire' as const), which, looks: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), part }) },
)

/** What happens on the way, and to the device. */
export interface World {
  seed: number
  /** The longest time that an answer takes, in milliseconds. */
  slowMs: number
  /** The part of the answers that are lost, and of those that are 500 or 502. */
  loses: number
  fails: number
  /** The device is restarted before the action of this number; its connections break off. */
  restarts?: readonly number[]
  /** Its clock is set before that action, by a part of the lifetime. */
  sets?: { at: number; part: number }
  tellsDate: boolean
}

/** A played history, with what shows in it by the books of the device. */
export interface Played {
  history: HistoryEntry[]
  /** How many times the fault showed in an answer, in a way that the client can know: in different tokens, logons or events. */
  shown: number
}

/** A client waits so long for an answer. */
const DEADLINE_MS = 1000
/** A lost request may still take effect so long after it was sent. */
const LATEST_MS = 3000
/** A client believes that it does so at the latest so long after it gave up. */
const LOST_MS = 60_000
const EPOCH_MS = 1_700_000_000_000
/** A look that is turned away is sent at most so many times. */
const TRIES = 4
/** No device bans for longer, in milliseconds. */
const BAN_MS = 11_000
/** More tokens than this are not held to count the room. */
const MOST_TOKENS = 9
/** Actions that are done after the first surprise, and after one more: what a run does to tell causes apart. */
const SURPRISES = 2

interface Known {
  token: string
  usedMs: number
  /** Whether the client cannot know whether it is valid. */
  isOpen: boolean
  /** How long the machine had slept when it was used last, and until when a lost request may still count as a use. */
  sleptMs?: number
  lostUntilMs?: number
}

/** Plays the actions of a client on a device. */
export function play(actions: readonly Action[], habits: Habits, world: World, fault?: Fault): Played {
  const client = new Client(habits, world, fault)
  for (const [index, action] of actions.entries()) {
    client.happens(index)
    client.act(action)
  }
  client.leave()
  return { history: client.history, shown: client.shown.size }
}

class Client {
  readonly history: HistoryEntry[] = []
  readonly shown = new Set<string>()
  private readonly random: () => number
  private readonly device: Device
  private readonly held: Known[] = []
  private readonly dead: Known[] = []
  private readonly late: { atMs: number; request: DeviceRequest }[] = []
  private nowMs = 0
  private sleptMs = 0
  private surprises = 0
  private isReacting = false
  private isCut = false

  constructor(
    private readonly habits: Habits,
    private readonly world: World,
    fault: Fault | undefined,
  ) {
    this.random = randomFrom(world.seed)
    this.device = new Device(habits, fault, this.random)
  }

  /** Lets happen what is to happen before an action. */
  happens(index: number): void {
    const { restarts = [], sets } = this.world
    if (sets?.at === index) this.device.setClock(sets.part * this.habits.lifetimeMs)
    if (!restarts.includes(index)) return
    // Several tokens that were looked at right before and right after are what tells a restart.
    this.lookAtAll()
    const isYoung = ({ usedMs }: Known) => this.worldMs() - usedMs < this.habits.lifetimeMs * 0.8
    for (let tries = 0; tries < 3 && this.held.filter(isYoung).length < 2; tries++) this.logOn(2)
    this.lookAtAll()
    this.device.restart()
    this.isCut = true
    this.pause(5)
    this.lookAtAll()
  }

  act(action: Action): void {
    const known = 'which' in action ? this.held.at(-1 - (action.which % Math.max(1, this.held.length))) : undefined
    switch (action.do) {
      case 'log on':
        this.logOn(action.times)
        return
      case 'log on wrongly':
        for (let n = 0; n < action.times; n++) this.send([{ kind: 'wrong logon' }])
        return
      case 'use':
        if (known) this.use(Array.from({ length: action.times }, () => known))
        return
      case 'look at all':
        this.lookAtAll()
        return
      case 'use an unknown token':
        this.send([{ kind: 'use', token: `never-issued-${Math.floor(this.random() * 1e12).toString(36)}` }])
        return
      case 'use a dead token':
        for (const one of this.dead.slice(-1 - (action.which % 3))) this.send([{ kind: 'use', token: one.token }])
        return
      case 'leave Host out':
        this.send([{ kind: 'no host', ...(known && { token: known.token }) }])
        return
      case 'change oddly':
        if (known) known.isOpen = true
        this.send([{ kind: 'odd change', ...(known && { token: known.token }) }])
        return
      case 'revoke':
        if (known) this.revoke(known, action.looks)
        return
      case 'mix':
        this.mix(known)
        return
      case 'keep alive':
        for (let part = 0; this.held.length && part < 1.3; part += action.part) {
          this.pause(action.part * this.habits.lifetimeMs)
          this.lookAtAll()
        }
        return
      case 'let expire':
        this.pause(1.15 * this.habits.lifetimeMs)
        for (let look = 0; known && look < action.looks; look++) this.use([known])
        return
      case 'wait':
        this.pause(action.part * this.habits.lifetimeMs)
        return
      case 'sleep':
        this.sleptMs += action.part * this.habits.lifetimeMs
    }
  }

  /** Looks at each token once more, and gives it back, as a run does at its end. */
  leave(): void {
    this.lookAtAll()
    for (const one of this.held.slice()) this.revoke(one, 1)
  }

  private pause(ms: number): void {
    this.nowMs += ms
  }

  private logOn(times: number): boolean {
    const answers = this.send(Array.from({ length: times }, () => ({ kind: 'logon' as const })))
    const isRefused = answers.some(({ answer }) => answer === 'refused')
    for (const { issued, receivedAt } of answers)
      if (issued !== undefined && !this.held.some(({ token }) => token === issued))
        this.held.push({ token: issued, usedMs: receivedAt + this.sleptMs, isOpen: false, sleptMs: this.sleptMs })
    const fresh = this.held.filter(({ token }) => answers.some(({ issued }) => issued === token))
    if (fresh.length && this.random() < 0.8) this.use(fresh)
    if (isRefused && !this.isReacting) this.tryLogonAgain()
    return !isRefused
  }

  /** A logon that was refused is tried again: until it is refused once more, with fewer tokens, and a while later. */
  private tryLogonAgain(): void {
    this.isReacting = true
    for (let tries = 0, isTaken = true; isTaken && tries < MOST_TOKENS; tries++) isTaken = this.logOn(1)
    for (const some of [1, 2, MOST_TOKENS]) {
      for (const one of this.held.slice(-some)) this.revoke(one, 1)
      this.logOn(1)
    }
    this.logOn(1)
    this.pause(Math.min(70_000, this.habits.lifetimeMs * 0.3))
    this.logOn(1)
    this.isReacting = false
  }

  /** Looks at each token; a look that tells nothing is sent again. */
  private lookAtAll(): void {
    for (const one of this.held.slice()) for (let tries = 0; tries < TRIES && !this.use([one]); ) tries++
  }

  /** @returns whether the answers tell something */
  private use(those: readonly Known[]): boolean {
    const untilMs = this.habits.lifetimeMs * 0.9
    const good = new Set(those.filter(({ usedMs, isOpen }) => !isOpen && this.worldMs() - usedMs < untilMs))
    const answers = this.send(those.map(({ token }) => ({ kind: 'use' as const, token })))
    const byToken = new Map(those.map(one => [one.token, one]))
    let isSurprised = false
    for (const { token = '', answer, receivedAt } of answers) {
      const one = byToken.get(token)
      if (!one) continue
      if (answer === 'accepted') one.usedMs = Math.max(one.usedMs, receivedAt + this.sleptMs)
      if (answer !== 'refused') continue
      if (good.has(one) && !this.isReacting) isSurprised = true
      if (!good.has(one) || this.isReacting) this.bury(one)
    }
    if (isSurprised) this.react(those)
    return answers.every(({ answer }) => answer !== 'turned away')
  }

  private bury(one: Known): void {
    const at = this.held.indexOf(one)
    if (at < 0) return
    this.held.splice(at, 1)
    this.dead.push(one)
  }

  /** A good token was refused: it is looked at again, then all others, then what may have ended it is done again. */
  private react(those: readonly Known[]): void {
    this.isReacting = true
    const all = this.held.slice()
    this.use(those)
    this.lookAtAll()
    const buried = () => all.filter(one => !this.held.includes(one) && this.dead.includes(one))
    if (!this.held.length) {
      this.pause(BAN_MS)
      this.lookOnceMore(buried())
    }
    if (this.surprises++ < SURPRISES) {
      const doAgain: (() => void)[] = [
        () => void this.logOn(1),
        () => void this.send([{ kind: 'wrong logon' }]),
        () => {
          const newest = this.held.at(-1)
          if (newest) this.revoke(newest, 1)
        },
        () => this.pause(this.habits.lifetimeMs * 0.25),
      ]
      this.logOn(1)
      this.logOn(1)
      for (const again of [...doAgain, ...doAgain]) {
        again()
        this.lookAtAll()
        if (this.held.length < 2) this.logOn(1)
      }
    }
    this.lookOnceMore(buried())
    this.isReacting = false
  }

  /** What was refused may be accepted a while later. */
  private lookOnceMore(refused: readonly Known[]): void {
    for (const one of refused) {
      if (one.isOpen) continue
      let answer: HistoryEntry | undefined
      for (let tries = 0; tries < TRIES && (answer?.answer ?? 'turned away') === 'turned away'; tries++)
        [answer] = this.send([{ kind: 'use', token: one.token }])
      if (answer?.answer !== 'accepted') continue
      one.usedMs = answer.receivedAt + this.sleptMs
      this.dead.splice(this.dead.indexOf(one), 1)
      this.held.push(one)
    }
  }

  private revoke(one: Known, looks: number): void {
    const at = this.held.indexOf(one)
    if (at >= 0) this.held.splice(at, 1)
    this.dead.push(one)
    // An answer that is lost leaves open whether it was done.
    const [answer] = this.send([{ kind: 'revocation', token: one.token }])
    if (answer?.answer === 'turned away') one.isOpen = true
    let isTaken = false
    for (let look = 0; look < looks || (isTaken && look < looks + 3); look++) {
      const [seen] = this.send([{ kind: 'use', token: one.token }])
      if (seen?.answer !== 'turned away') isTaken = seen?.answer === 'accepted'
      this.pause(isTaken ? 600 : look % 2 ? this.habits.lifetimeMs * 0.04 : 20)
    }
    if (this.random() < 0.6) this.lookAtAll()
  }

  /** Several requests at the same time. */
  private mix(known: Known | undefined): void {
    const other = this.held.find(one => one !== known)
    if (known) {
      known.isOpen = true
      this.held.splice(this.held.indexOf(known), 1)
      this.dead.push(known)
    }
    const answers = this.send([
      { kind: 'logon' },
      { kind: 'wrong logon' },
      ...(known
        ? [
            { kind: 'use' as const, token: known.token },
            { kind: 'revocation' as const, token: known.token },
          ]
        : []),
      ...(other ? [{ kind: 'use' as const, token: other.token }] : []),
      { kind: 'logon' },
    ])
    for (const { issued, receivedAt } of answers)
      if (issued !== undefined)
        this.held.push({ token: issued, usedMs: receivedAt + this.sleptMs, isOpen: false, sleptMs: this.sleptMs })
    this.lookAtAll()
    if (answers.some(({ kind, answer }) => kind === 'logon' && answer === 'refused') && !this.isReacting)
      this.tryLogonAgain()
  }

  private worldMs(): number {
    return this.nowMs + this.sleptMs
  }

  /** Sends requests at the same time, and returns what came back. */
  private send(requests: readonly Omit<DeviceRequest, 'backEnd'>[]): HistoryEntry[] {
    const { random, nowMs, world } = this
    const isAlone = requests.length === 1
    const sent = requests.map((request, index) => {
      const sentAt = nowMs + index
      const tookMs = 1 + random() * (random() < 0.1 ? world.slowMs : Math.min(20, world.slowMs))
      const isCut = this.isCut && index === 0 && random() < 0.7
      const isLost = isCut || random() < world.loses
      const isDone = !isCut && (!isLost || random() < 0.6)
      const atMs = sentAt + (isLost && isDone && random() < 0.3 ? random() * LATEST_MS : random() * tookMs)
      const backEnd = Math.floor(random() * (this.habits.backEnds ?? 1))
      return {
        request: { ...request, backEnd },
        sentAt,
        receivedAt: isCut ? sentAt + tookMs : isLost ? sentAt + DEADLINE_MS : sentAt + tookMs,
        atMs,
        isLost,
        isDone,
        isFailing: random() < world.fails,
      }
    })
    this.isCut = false
    const entries = [...sent]
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ request, sentAt, receivedAt, atMs, isLost, isDone, isFailing }) => {
        const carried = this.knownOf(request)
        if (isFailing && carried) carried.lostUntilMs = receivedAt
        if (isFailing) return this.entry(request, { status: random() < 0.5 ? 500 : 502 }, sentAt, receivedAt)
        if (!isLost) return this.entry(request, this.served(request, atMs, isAlone), sentAt, receivedAt)
        if (isDone) this.late.push({ atMs, request })
        const known = this.knownOf(request)
        if (known && request.kind === 'revocation') known.isOpen = true
        if (known) known.lostUntilMs = receivedAt + LOST_MS
        return this.entry(request, {}, sentAt, receivedAt)
      })
    this.nowMs = Math.max(...sent.map(({ receivedAt }) => receivedAt)) + (random() < 0.3 ? 0 : random() * 30)
    entries.sort((a, b) => a.receivedAt - b.receivedAt)
    this.history.push(...entries)
    return entries
  }

  private knownOf({ token }: DeviceRequest): Known | undefined {
    return token === undefined ? undefined : [...this.held, ...this.dead].find(one => one.token === token)
  }

  private served(request: DeviceRequest, atMs: number, isAlone: boolean): DeviceAnswer {
    const due = this.late.filter(one => one.atMs <= atMs).sort((a, b) => a.atMs - b.atMs)
    for (const one of due) {
      this.late.splice(this.late.indexOf(one), 1)
      this.device.take(one.request, one.atMs + this.sleptMs)
    }
    const answer = this.device.take(request, atMs + this.sleptMs)
    const known = this.knownOf(request)
    // A token that outlives its lifetime shows where the client knows how long it was not used.
    const isTimed = known?.lostUntilMs === undefined || this.nowMs > known.lostUntilMs + 1.1 * this.habits.lifetimeMs
    const isAwake = (known?.sleptMs ?? this.sleptMs) === this.sleptMs
    if (answer.status === 200 && known) known.sleptMs = this.sleptMs
    if (answer.wrong !== undefined && answer.status === 200 && known && !(isTimed && isAwake)) known.isOpen = true
    // Beside others, or where it is open what became of the token, nobody but the device knows that this is wrong.
    if (answer.wrong !== undefined && isAlone && !known?.isOpen) this.shown.add(answer.wrong)
    return answer
  }

  /** Reads an answer as a run does, which has learned from the survey what it means. */
  private entry(request: DeviceRequest, answer: DeviceAnswer, sentAt: number, receivedAt: number): HistoryEntry {
    const { kind, token } = request
    const { status, issued, asksToWait } = answer
    const isOdd = kind === 'odd change'
    const worldMs = (receivedAt + sentAt) / 2 + this.sleptMs
    const dateMs = EPOCH_MS + this.device.clock(worldMs)
    return {
      sentAt,
      receivedAt,
      wallMs: EPOCH_MS + sentAt + this.sleptMs,
      ...(this.world.tellsDate && status !== undefined && { dateMs: Math.floor(dateMs / 1000) * 1000 }),
      kind,
      ...(token !== undefined && (isOdd ? { mayCarry: [token] } : { token })),
      ...(issued !== undefined && { issued }),
      answer: this.meaning(kind, answer),
      ...(status !== undefined && { status }),
      ...(asksToWait && { asksToWait: true as const }),
      told: `${kind}: ${status ?? 'no answer'}`,
    }
  }

  private meaning(kind: RequestKind, { status, asksToWait }: DeviceAnswer): HistoryEntry['answer'] {
    if (status === undefined || asksToWait || status >= 500) return 'turned away'
    if (kind === 'use') return status === 200 ? 'accepted' : status === this.habits.refuses ? 'refused' : 'turned away'
    return status >= 400 ? 'refused' : 'accepted'
  }
}
