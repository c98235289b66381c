/** Sends requests of the history once more, alone and in their order, beside tokens that they should leave alone. */
import type { ConnectionLease } from '../core/connections.js'
import type { Exchange, WireRequest } from '../core/exchange.js'
import { NotSent } from '../core/not-sent.js'
import { refusedEveryMs } from '../core/refused-logons.js'
import type { Token } from '../core/token.js'
import type { HistoryEntry } from '../result.js'
import { type Contradiction, contradictionsOf } from '../run/judge/contradictions.js'
import { livesOf } from '../run/judge/lives.js'
import type { RunContext } from './context.js'
import { EXPLORED } from './explorer.js'
import type { HistoryKeeper, Sent } from './keep-history.js'
import { withOther } from './let-in.js'
import { probeWith, roleRequest } from './requests.js'
import { waitAMoment } from './steps/wait-step.js'

/** The oldest, the newest, and one that is neither. */
const BYSTANDERS = 3
/** Its refused logons are counted as those of exploring: a resumed run does not get them back. */
const OWNER = `${EXPLORED}again`

/** What was seen as requests were sent once more. */
export interface Played {
  /** What contradicts the reference, in the order of sending. */
  contradictions: readonly Contradiction[]
  /** Whether nothing showed at once. */
  isLate: boolean
  /** The requests, with the looks at tokens. */
  exchanges: readonly Exchange[]
  looks: ReadonlySet<Exchange>
}

/** A token that the run was issued. */
export interface Issued {
  token: string
  /** The first plain revocation that was answered with success. */
  revoked?: HistoryEntry | undefined
}

/** Holds the tokens, and the connections. Give it back with {@link end}. */
export class Stage {
  private bystanders: Token[] = []
  private fromMs = 0
  private readonly looks: ConnectionLease

  /** @param issued what the requests may carry */
  constructor(
    private readonly context: RunContext,
    private readonly history: HistoryKeeper,
    private readonly issued: readonly Issued[],
  ) {
    this.looks = context.session.connections.lease()
  }

  /**
   * Sends these requests with tokens of its own in place of those that they carried. Each that was sent on a connection of its own is so
   * again. Then it looks at all tokens.
   * @param waits whether to look once more after a moment, where nothing shows at once
   * @throws NotSent where a token that it needs cannot be had, or a refused logon must not be sent
   */
  async play(requests: readonly Sent[], waits: boolean): Promise<Played> {
    const { schedule } = this.context
    await this.set()
    const since = schedule.now()
    const scene = new Scene(this.context, this.looks, this.issued)
    try {
      // All tokens first: a logon between two requests might hide what the one does to the other.
      for (const sent of requests) await scene.prepare(sent, requests)
      for (const sent of requests) await scene.send(sent)
      const all = () => [...this.bystanders, ...scene.tokens]
      for (const token of all()) await scene.look(token)
      const isLate = !this.seenSince(since).length
      if (isLate && waits) {
        await waitAMoment(this.context, schedule.now())
        for (const token of all()) await scene.look(token)
      }
      const contradictions = this.seenSince(since)
      if (contradictions.length) await this.end()
      return { contradictions, isLate, exchanges: scene.exchanges, looks: scene.seen }
    } finally {
      await scene.end()
    }
  }

  /** Gives the tokens and the connection back. */
  async end(): Promise<void> {
    await giveBack(this.bystanders.splice(0), this.context, this.looks)
  }

  private async set(): Promise<void> {
    if (this.bystanders.length) return
    this.fromMs = this.context.schedule.now()
    for (let number = 1; number <= BYSTANDERS; number++)
      this.bystanders.push(await issue(`bystander ${number}`, this.context, this.looks))
  }

  private seenSince(sinceMs: number): Contradiction[] {
    const entries = this.history.entries.filter(({ sentAt }) => sentAt >= this.fromMs)
    return contradictionsOf(entries, livesOf(entries), this.context.lifetime).filter(
      ({ entry }) => entry.sentAt >= sinceMs,
    )
  }
}

/** Logs on as the reference shows it, and sees that the token is accepted. @throws NotSent */
async function issue(label: string, context: RunContext, on: ConnectionLease): Promise<Token> {
  const { session, parts, answers } = context
  // Once: nobody waits here for the end of a lock or a limit.
  const logon = await session.exchange(roleRequest(parts, 'logon'), on, { isNew: true, isOnce: true })
  const token = session.take(logon, label)
  const look = token && (await lookAt(token, context, on))
  if (look && answers.probe.accepts(look)) return token
  await giveBack(token ? [token] : [], context, on)
  throw new NotSent('a logon gave no token')
}

/** Looks whether a token is accepted, on a connection of its own: what came before on one may be what matters. */
async function lookAt(token: Token, { session, parts, answers }: RunContext, on: ConnectionLease): Promise<Exchange> {
  const look = await session.exchange(probeWith(parts, token.value), on, { isNew: true })
  // It holds none while others are in use.
  on.give()
  token.used(look, answers.probe.accepts(look))
  return look
}

function giveBack(tokens: Token[], { session }: RunContext, on: ConnectionLease): Promise<void> {
  return session.giveBack(tokens, [], on).finally(() => on.give())
}

/** The tokens and connections of requests that are sent once more. */
class Scene {
  readonly exchanges: Exchange[] = []
  /** Those that are looks. */
  readonly seen = new Set<Exchange>()
  /** The tokens that the requests carry, or were issued. */
  readonly tokens: Token[] = []
  /** What stands for each token of before. */
  private readonly stands = new Map<string, Token>()
  private readonly leases = new Map<number, ConnectionLease>()

  constructor(
    private readonly context: RunContext,
    private readonly looks: ConnectionLease,
    private readonly issued: readonly Issued[],
  ) {}

  /** The label of its next token: as in a spec, and with a number where there are more than letters. */
  private get nextLabel(): string {
    const { length } = this.tokens
    return `token ${String.fromCharCode(97 + (length % 26))}${length < 26 ? '' : Math.floor(length / 26)}`
  }

  /** Gets the tokens in the place of those that a request carries, but for those that one of these requests is issued. */
  async prepare({ entry, request }: Sent, requests: readonly Sent[]): Promise<void> {
    for (const one of this.carriedBy(request))
      if (!requests.some(({ entry: { issued } }) => issued === one.token)) await this.have(one, entry)
  }

  async send({ entry, request, connection }: Sent): Promise<void> {
    const { session } = this.context
    const carried = this.carriedBy(request)
    const made = carried.reduce((changed, { token }) => {
      const stand = this.stands.get(token)
      return (stand && withOther(changed, token, stand.value)) ?? changed
    }, request)
    const on = this.leaseOf(connection)
    const exchange =
      entry.kind === 'wrong logon' ? await this.refused(made, on) : await session.exchange(made, on, { isOnce: true })
    this.exchanges.push(exchange)
    for (const { token } of carried) this.note(this.stands.get(token), entry, exchange)
    if (request.method !== 'POST' || !exchange.response || exchange.response.status >= 400) return
    const token = session.take(exchange, this.nextLabel)
    if (!token) return
    this.tokens.push(token)
    if (entry.issued !== undefined) this.stands.set(entry.issued, token)
    // One that was dead at birth is not to be told as one that died of what follows.
    await this.look(token)
  }

  /** Sends a logon that should be refused; after as much time as others leave, where no more may follow at once. */
  private async refused(request: WireRequest, on: ConnectionLease): Promise<Exchange> {
    const { session, schedule, lifetime } = this.context
    const isPaced = session.refused.leftAtOnce <= 0
    if (isPaced) {
      const dueMs = schedule.now() + refusedEveryMs(lifetime.lifetimeMs)
      await schedule.until(dueMs, { spec: '', what: 'until another logon may be refused' })
    }
    return session.wrongLogon(request, { owner: OWNER, on, isPaced })
  }

  async look(token: Token): Promise<void> {
    const look = await lookAt(token, this.context, this.looks)
    this.exchanges.push(look)
    this.seen.add(look)
  }

  async end(): Promise<void> {
    for (const lease of this.leases.values()) lease.give()
    await giveBack(this.tokens, this.context, this.looks)
  }

  private carriedBy({ headers, path, body }: WireRequest): Issued[] {
    const text = JSON.stringify([headers, path, body])
    return this.issued.filter(({ token }) => text.includes(token))
  }

  /** Gets a token in the place of one that the requests carry, in the state that it was in. */
  private async have({ token: before, revoked }: Issued, { sentAt }: HistoryEntry): Promise<void> {
    if (this.stands.has(before)) return
    const token = await issue(this.nextLabel, this.context, this.looks)
    if (revoked && revoked.receivedAt <= sentAt) await giveBack([token], this.context, this.looks)
    this.tokens.push(token)
    this.stands.set(before, token)
  }

  private note(token: Token | undefined, { kind }: HistoryEntry, exchange: Exchange): void {
    if (kind === 'revocation' && this.context.answers.effectOf(exchange) === 'accepted') token?.revoked(exchange)
  }

  /** Returns the connection that stands for one of before. No more are open than this Core serves beside the one for looks. */
  private leaseOf(connection: number): ConnectionLease {
    const { connections } = this.context.session
    const found = this.leases.get(connection) ?? connections.lease()
    // The one that was used last comes last.
    this.leases.delete(connection)
    this.leases.set(connection, found)
    for (const [number, lease] of this.leases) {
      if (this.leases.size < Math.max(connections.capacity, 2)) break
      lease.give()
      this.leases.delete(number)
    }
    return found
  }
}
