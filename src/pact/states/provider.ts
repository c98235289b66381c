/** A Core as the provider of contracts: the tokens and credentials of the interaction in progress. */
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import type { RunContext } from '../../engine/context.js'
import type { RunOptions } from '../../engine/options.js'
import { judgeStep, plannedRecords } from '../../engine/spec-end.js'
import { runStep } from '../../engine/steps/run-step.js'
import { sendAs } from '../../engine/steps/send-as.js'
import { SpecTalk } from '../../engine/steps/spec-talk.js'
import { spanMs } from '../../engine/window.js'
import type { Spec } from '../../suite/spec.js'
import type { State } from '../../suite/step-words.js'
import { roleOf } from '../read/contract-file.js'
import type { Value } from '../read/meanings.js'
import {
  credentialsOf,
  kindsOf,
  PAST_LIFETIME,
  refOf,
  specOf,
  stepOf,
  TOKEN,
  type TokenKind,
} from '../verify/situation.js'

/** A state cannot be set up now. Holds the time after which to ask again, in milliseconds. */
export class NotYetError extends NotSent {
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message)
  }
}

/** Verifiers give up after 5 s by default. A shorter wait is done within the request. */
const LONGEST_HELD_MS = 3000
/**
 * Number of states of one interaction that are held: an interaction has two or three, and some verifiers never say that they
 * are done.
 */
const MOST_HELD = 8

/** Sets up provider states one after another. What they issue lives until {@link Provider.begin}. */
export class Provider {
  /** The tokens of the interaction in progress. */
  private talk: SpecTalk
  /** Whether the logons of the interaction should be refused. */
  private isRefused = true
  /** Whether a request came since the last state: the next state then belongs to another interaction. */
  isUsed = false
  private wrongOnes = 0
  /** The token that expires; or a sentence on why there is none. */
  private expiring: SpecTalk | string = ''

  /** @param context of the run: what is asked of this provider is a task of its schedule */
  private constructor(
    readonly context: RunContext,
    private readonly run: RunOptions,
  ) {
    this.talk = this.begun()
  }

  /** Begins, with a token that is to expire. @throws NotSent where none is issued */
  static async begin(context: RunContext, run: RunOptions): Promise<Provider> {
    const made = new Provider(context, run)
    const { accessControl, profile } = run.configuration
    if (accessControl === 'off') made.expiring = 'no token is needed with access control off'
    else if (profile === 'quick') made.expiring = QUICK
    else if (context.dialect.sessions !== 'many') made.expiring = ONE_SESSION
    else {
      const talk = made.begun()
      await context.schedule.task(() => made.prepare(talk, 'expired'))
      made.expiring = talk
    }
    return made
  }

  /** Time until a token has expired, in milliseconds from now; undefined where none is waited for. */
  get expiryMs(): number | undefined {
    const { expiring, run } = this
    return typeof expiring === 'string' || run.clock.leap ? undefined : this.expiryLeftMs(expiring)
  }

  /**
   * Sets up a state.
   * @param words the state in the words of its contract
   * @throws NotSent where it cannot be set up
   */
  async setUp(state: State | undefined, words: string): Promise<Partial<Record<Value, string>>> {
    const { accessControl } = this.run.configuration
    const { token: kind, credentials } = kindsOf(state)
    if ((state === 'access control off') !== (accessControl === 'off') && state !== undefined)
      throw new NotSent(
        `'${words}' needs a Core with access control ${accessControl === 'on' ? 'off' : 'on'} (--access-control)`,
      )
    if (credentials === 'wrong' || credentials === 'unknown user') await this.countWrong()
    const token = await this.tokenOf(kind)
    if (credentials === 'right') this.isRefused = false
    return { ...credentialsOf(credentials, this.context.parts.variables), ...(token !== undefined && { token }) }
  }

  /** Returns the value of a token of a kind; undefined where the state has none. Revokes the oldest tokens where there are many. */
  private async tokenOf(kind: TokenKind): Promise<string | undefined> {
    if (kind === 'as written') return undefined
    const talk = kind === 'expired' ? await this.expired() : this.talk
    if (kind !== 'expired') await this.prepare(talk, kind)
    const { issued } = this.talk
    await this.giveBack(issued.splice(0, issued.length - MOST_HELD))
    return talk.valueOf(refOf(kind))
  }

  /** Begins another interaction: revokes the tokens of the last one. */
  async begin(): Promise<void> {
    await this.giveBack(this.talk.issued)
    this.talk = this.begun()
    this.isRefused = true
    this.isUsed = false
  }

  /** Passes a request on to the Core, and notes the tokens that it issues and revokes. @throws NotSent */
  async send(request: WireRequest): Promise<Exchange> {
    const { session, parts } = this.context
    const sent = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1].replace(/^\S+ +/, '')
    // Some clients send their old token with a logon. The answer says nothing about that token.
    const token = roleOf(request) === 'logon' ? undefined : session.tokens.findLast(({ value }) => value === sent)
    const credentials = this.isRefused ? 'as written' : 'right'
    const { exchange } = await sendAs(
      this.talk,
      stepOf(request, { token: 'as written', credentials }, parts.requests),
      request,
      token,
    )
    this.talk.lease.give()
    return exchange
  }

  private begun(): SpecTalk {
    return new SpecTalk(this.context, this.specOf('as written'))
  }

  private specOf(token: TokenKind): Spec {
    const words = { id: 'states', area: '', title: '', file: '', line: 0 }
    const { accessControl } = this.run.configuration
    return specOf(words, { token, credentials: 'right', accessControl }, ANY, this.context.parts.requests)
  }

  /** Brings about that there is a token. @throws NotSent where that fails */
  private async prepare(talk: SpecTalk, kind: TokenKind): Promise<void> {
    const spec = this.specOf(kind)
    const records = plannedRecords(spec, this.context)
    for (const [index, step] of spec.given.entries()) {
      const [record, result] = [records[index], await runStep(talk, step, 'given')]
      if (record && result.outcome !== 'ok') throw new NotSent(judgeStep(record, result).message)
    }
    talk.lease.give()
    if (kind === 'revoked' && !talk.token(TOKEN).givenBack) throw new NotSent('a token could not be revoked')
  }

  private giveBack(tokens: SpecTalk['issued']): Promise<void> {
    return this.context.session.giveBack(tokens, [])
  }

  /** Counts a wrong password. Between two of them a logon always succeeds, since accounts may lock. */
  private async countWrong(): Promise<void> {
    const { maxRefusedLogons } = this.run.configuration
    if (this.wrongOnes >= maxRefusedLogons)
      throw new NotSent(
        `wrong credentials were handed out ${maxRefusedLogons} times, and the account might lock (--max-refused-logons)`,
      )
    if (this.wrongOnes++ === 0) return
    const talk = this.begun()
    await this.prepare(talk, 'valid')
    await this.giveBack(talk.issued)
  }

  /** Waits until the token has expired. @throws NotSent where that takes long, or where there is none */
  private async expired(): Promise<SpecTalk> {
    const { expiring } = this
    if (typeof expiring === 'string') throw new NotSent(expiring)
    const leftMs = this.expiryLeftMs(expiring)
    if (leftMs > LONGEST_HELD_MS && !this.run.clock.leap)
      throw new NotYetError(
        `no token has expired yet: ask again after ${new Date(Date.now() + leftMs).toISOString()}`,
        leftMs,
      )
    await runStep(expiring, PAST_LIFETIME, 'given')
    return expiring
  }

  private expiryLeftMs(talk: SpecTalk): number {
    const { lifetime, schedule } = this.context
    return talk.token(TOKEN).possibleUse.receivedAt + spanMs('past lifetime', lifetime) - schedule.now()
  }
}

const ANY = { method: 'GET', path: '/' }
const QUICK = '--profile quick leaves out what needs waiting'
const ONE_SESSION =
  'a logon ends the session before it on this Core, so a token is ended before it can expire: use contracts verify, which puts it last'
