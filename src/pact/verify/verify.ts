/** Verifies contracts on a live Core. One file, because all steps settle the same list of interactions. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Answers } from '../../core/answers.js'
import type { Redactor } from '../../core/redact.js'
import { redactorFor } from '../../core/redactor-for.js'
import type { Session } from '../../core/session.js'
import { type Survey, survey } from '../../core/survey.js'
import type { Token } from '../../core/token.js'
import type { Transport } from '../../core/transport.js'
import { count, numbered } from '../../ground/count.js'
import type { SpecRecord } from '../../result.js'
import { PactProcess } from '../process/process.js'
import { type Contract, type ContractInteraction, contractName } from '../read/contract-file.js'
import { openCoreSession } from './core-session.js'
import { Gateway } from './gateway.js'
import type { VerifyOptions } from './options.js'
import { type CoreRequests, coreRequests, Provider, StateError } from './provider.js'
import { recordOf, verdictOf } from './record.js'
import { type Situation, situationOf } from './situation.js'
import { redacted, type Verification } from './verification.js'
import { verifyOne } from './verify-one.js'

/** The message of an interaction without an outcome. */
export const INTERRUPTED = 'it was interrupted'
const QUICK = 'it is about an expired token, which --profile quick leaves out'

/** One interaction to verify. */
interface Work {
  contract: Contract
  area: string
  interaction: ContractInteraction
  situation: Situation | undefined
  /** Absent until it was verified. */
  record: SpecRecord | undefined
}

/**
 * Verifies contracts on a Core, each interaction by itself. Sets up its provider state; then Pact's Verifier sends its request
 * through the gateway and judges the answer. Does not throw for anything that the Core does. Every issued token is revoked.
 */
export function verifyContracts(options: VerifyOptions): Promise<Verification> {
  return new Run(options).run()
}

class Run {
  private readonly startedAt = new Date()
  private readonly redactor: Redactor
  private readonly pact = new PactProcess()
  private readonly requests: CoreRequests
  private readonly work: Work[]

  constructor(private readonly options: VerifyOptions) {
    const { contracts, meanings, target, probePath } = options
    this.redactor = redactorFor(target)
    for (const { value, label } of options.secrets ?? []) this.redactor.hide(value, label)
    this.requests = coreRequests(probePath)
    this.work = contracts.flatMap((contract, index) =>
      contract.interactions.map(interaction => {
        const area = areaOf(contracts, index)
        const found = interaction.request ? situationOf(interaction, meanings) : NOT_HTTP
        if (typeof found !== 'string') return { contract, area, interaction, situation: found, record: undefined }
        const record = recordOf(contract, area, interaction, { outcome: 'blocked', message: found })
        return { contract, area, interaction, situation: undefined, record }
      }),
    )
  }

  async run(): Promise<Verification> {
    const { session, transport } = await openCoreSession(this.options, this.requests, this.redactor)
    let untestable: Survey['untestable']
    try {
      untestable = await this.verify(session)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.end(this.options.signal.aborted ? INTERRUPTED : message)
    } finally {
      await session.giveBack(session.tokens, [])
      await this.pact.close()
    }
    return this.result(transport, session, untestable)
  }

  private async verify(session: Session): Promise<Survey['untestable']> {
    const { accessControl, tokenField, refused, target } = this.options
    this.leaveOut()
    if (!this.open().length) return undefined
    this.tell()
    const found = await survey({
      session,
      probe: this.requests.probe(),
      logon: this.requests.logon(target),
      endpoints: [],
      accessControl,
      tokenField,
      refused,
      needsHttp10: false,
    })
    if (!found.answers) {
      this.end(found.untestable?.reason ?? 'the survey found nothing')
      return found.untestable
    }
    const gateway = await Gateway.start()
    try {
      await this.verifyAll(session, gateway, found.answers.probe, found.dialect.sessions === 'many')
    } finally {
      await gateway.close()
    }
    return undefined
  }

  /** Waits once for all interactions about expired tokens, and verifies the others meanwhile. */
  private async verifyAll(session: Session, gateway: Gateway, answers: Answers, sideBySide: boolean): Promise<void> {
    const { target, accessControl } = this.options
    const provider = new Provider({
      session,
      requests: this.requests,
      credentials: { username: target.username, password: target.password },
      answers: accessControl === 'on' ? answers : undefined,
      placeholders: gateway.placeholders,
    })
    const waiting = this.open().filter(({ situation }) => situation?.token === 'expired')
    const others = this.open().filter(({ situation }) => situation?.token !== 'expired')
    // Where a logon ends earlier sessions, the token that is to expire must be the last.
    let expiring = waiting.length && sideBySide ? await this.mint(provider, waiting) : undefined
    for (const each of others) await this.verifyOne(each, provider, gateway)
    if (waiting.length && !sideBySide) expiring = await this.mint(provider, waiting)
    if (!expiring) return
    await this.expire(expiring, waiting.length)
    for (const each of waiting) await this.verifyOne(each, provider, gateway)
  }

  private async mint(provider: Provider, waiting: Work[]): Promise<Token | undefined> {
    try {
      return await provider.mintForExpiry([])
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      for (const each of waiting) this.settle(each, error.message)
      return undefined
    }
  }

  private async expire(token: Token, interactions: number): Promise<void> {
    const { clock, idleLifetimeMs, idleTolerance, signal, waiting } = this.options
    const untilMs = token.possibleUse.receivedAt + idleLifetimeMs * (1 + idleTolerance) + MARGIN_MS
    const leftMs = Math.max(untilMs - clock.now(), 0)
    signal.throwIfAborted()
    if (clock.leap) return clock.leap(leftMs)
    waiting?.({ untilMs: Date.now() + leftMs, interactions })
    await sleep(leftMs, undefined, { signal })
  }

  private async verifyOne(work: Work, provider: Provider, gateway: Gateway): Promise<void> {
    const { deadlineMs, signal, clock } = this.options
    signal.throwIfAborted()
    if (!work.situation) return
    const at = clock.now()
    const { contract, area, interaction } = work
    const ended = await verifyOne({
      interaction,
      situation: work.situation,
      provider,
      gateway,
      pact: this.pact,
      redact: text => this.redactor.text(text),
      deadlineMs,
      signal,
    })
    signal.throwIfAborted()
    // The whole body was judged; the record keeps only what a report can show.
    for (const { response } of [...(ended.given ?? []), ...(ended.exchanges ?? [])])
      if (response) response.body = response.body.slice(0, KEPT_CHARACTERS)
    work.record = recordOf(contract, area, interaction, ended, { atMs: at, durationMs: clock.now() - at })
    this.tell()
  }

  private tell(): void {
    this.options.verified?.(this.work.length - this.open().length)
  }

  /** Leaves out interactions that this Core or this profile cannot verify. */
  private leaveOut(): void {
    const { accessControl, profile } = this.options
    for (const each of this.open()) {
      const { situation } = each
      if (situation && situation.accessControl !== accessControl)
        this.settle(each, `it needs a Core with access control ${situation.accessControl} (--access-control)`)
      else if (situation?.token === 'expired' && profile === 'quick') this.settle(each, QUICK, 'skipped')
    }
  }

  private open(): Work[] {
    return this.work.filter(({ record }) => !record)
  }

  private settle(work: Work, message: string, outcome: 'blocked' | 'skipped' = 'blocked'): void {
    work.record = recordOf(work.contract, work.area, work.interaction, { outcome, message })
  }

  /** Ends all open interactions with one message. */
  private end(message: string): void {
    for (const each of this.open()) this.settle(each, message)
  }

  private result(transport: Transport, session: Session, untestable: Survey['untestable']): Verification {
    const { target, targetKind, clock, signal } = this.options
    this.end(INTERRUPTED)
    const specs = this.work.flatMap(({ record }) => record ?? [])
    const { certificateFingerprint } = transport
    const { left } = session
    const notices = left
      ? [
          `${count(left, 'token')} could not be revoked: ${numbered(left, 'it stays live until it has been unused for its lifetime', 'they stay live until they have been unused for their lifetime')}`,
        ]
      : []
    const verification: Verification = {
      target: { url: target.url.origin, kind: targetKind, ...(certificateFingerprint && { certificateFingerprint }) },
      startedAt: this.startedAt.toISOString(),
      durationMs: Date.now() - this.startedAt.getTime(),
      time: clock.leap ? 'virtual' : 'real',
      ...verdictOf(specs, untestable, signal.aborted),
      tokens: { issued: new Set(session.tokens.map(({ value }) => value)).size, left },
      notices,
      specs,
    }
    return redacted(verification, text => this.redactor.text(text))
  }
}

/** Longest kept part of a body, in characters; far longer than reports show. */
const KEPT_CHARACTERS = 65_536

const NOT_HTTP = 'it is not about HTTP, and a Core speaks nothing else'

/** Allowance for rounding of clocks, in milliseconds. */
const MARGIN_MS = 50

/** Names a contract in reports: by its file name, or by the whole path where two have the same name. */
function areaOf(contracts: Contract[], index: number): string {
  const names = contracts.map(contractName)
  const name = names[index] ?? ''
  return names.filter(other => other === name).length > 1 ? (contracts[index]?.file ?? name) : name
}
