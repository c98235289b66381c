/** Watches tokens that a step with `each` should leave alone, with every variation. */
import type { Exchange } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import { requestOf } from '../../suite/roles.js'
import { gotThrough } from '../got-through.js'
import { probeWith } from '../requests.js'
import { isSpecial } from '../send-specially.js'
import type { StepResult } from '../step-result.js'
import { type Ready, rowName, Variations } from '../variations.js'
import { gapSince, missedAlive, USED_EVERY } from '../window.js'
import { logOnAs } from './logon-step.js'
import { fewest, isCarrier } from './row-values.js'

/** So many tokens are made until one differs from its variation. One in sixteen ends with a hexadecimal digit twice. */
const FRESH_TRIES = 3

/** Looks at the tokens to spare, and at the other tokens of the spec. */
export class Spares {
  /** The rejected tokens. `lateLook` says why a rejection shows nothing, where the token was unused for too long. */
  private dead: string[] = []
  private lateLook: string | undefined
  /** The exchange that showed the first of them. */
  private telling: Exchange[] = []
  private lookedAtMs: number
  /** Whether its tokens are as fresh as they were before the last variation. */
  private isFresh = false

  /** The names of the tokens to spare. */
  private readonly names: readonly string[]

  constructor(private readonly variations: Variations) {
    this.names = variations.step.spares ?? []
    this.lookedAtMs = variations.talk.context.schedule.now()
  }

  /** Whether one of them was seen rejected. */
  get isSpoilt(): boolean {
    return this.dead.length > 0
  }

  /** Uses the other tokens of the spec when it is time, so that none of them expires meanwhile. */
  async lookInTime(): Promise<void> {
    const { lookedAtMs } = this
    const { step, talk } = this.variations
    const { context, named } = talk
    const { schedule, lifetime } = context
    if (schedule.now() - lookedAtMs < lifetime.lifetimeMs * USED_EVERY) return
    this.lookedAtMs = schedule.now()
    if (step.spares) this.dead = await this.findDead()
    else {
      for (const token of named.values()) {
        const isOver = this.lookedAtMs - token.possibleUse.sentAt >= lifetime.lifetimeMs * (1 - lifetime.tolerance)
        if (isOver || !token.isLive) continue
        const look = await talk.exchange(probeWith(context.parts, token.value))
        token.used(look, context.answers.probe.accepts(look))
      }
    }
  }

  /**
   * Checks whether the tokens to spare are alive. Where one is not, finds the variations that ended it: each is sent
   * once more, with fresh tokens where it uses them.
   */
  async ended(all: readonly Ready[], many: string): Promise<StepResult | undefined> {
    const { step, talk } = this.variations
    const [first] = this.dead.length ? this.dead : await this.findDead()
    if (first === undefined) return undefined
    const isLogon = step.role === 'logon'
    const expected = `${this.names.map(each => `token ${each}`).join(' and ')} accepted after ${many}`
    const tell = (outcome: StepResult['outcome'], got: string) => ({ outcome, expected, got, telling: this.telling })
    const late = () => tell('missed window', `token ${first} is rejected, but ${this.lateLook}`)
    if (this.lateLook !== undefined) return late()
    const found = `token ${first} is rejected afterwards`
    // Where a row carries the token as it should, or what the Core takes for it, it is no wonder that it ends one.
    const taken = isLogon
      ? []
      : await this.taken(all.map(({ values }) => values).filter(values => values.some(isCarrier)))
    const guilty: Ready['values'][] = []
    const isEnding = async (fewer: Ready['values']) => fewer.length > 0 && (await this.endsFresh(fewer)) === true
    // A Core with little room for tokens ends one at any logon, whatever its form.
    const plain: { values: Ready['values'] }[] = isLogon ? [{ values: [] }] : []
    for (const { values } of [...plain, ...all]) {
      // What ends a token in one row does so in another.
      if (taken.includes(values) || guilty.some(ending => ending.every(value => values.includes(value)))) continue
      const ends = await this.endsFresh(values)
      if (typeof ends === 'object') return ends
      if (ends && !values.length)
        return tell('unreachable', `${found}, and so is a fresh one after a logon in the plain form`)
      if (ends) guilty.push(await fewest(values, step, isEnding))
    }
    if (this.lateLook !== undefined) return late()
    const before: Ready['values'][] = []
    for (const values of guilty) if (await this.endsBefore(values)) before.push(values)
    const ending = guilty.filter(values => !before.includes(values))
    const named = (rows: readonly Ready['values'][]) => [...new Set(rows.map(rowName))].join('; ')
    if (ending.length) return tell('miss', `${found}; of ${all.length}, these end one: ${named(ending)}`)
    // A variation that is accepted as a token is a matter of the specs on access.
    const carriers = taken.map(values => values.filter(isCarrier))
    if (taken.length) return tell('unreachable', `${found}: accepted as a token: ${named(carriers)}`)
    // So is what another request ends, which comes before on the same connection.
    if (before.length) return tell('unreachable', `${found}: ended before: ${named(before)}`)
    const lost = talk.named.get(first)
    const got = `${found}; sent one by one, none of them ended a fresh token`
    // The tokens of logons were given back meanwhile: a revocation may have ended it.
    return { ...tell(isLogon ? 'unreachable' : 'miss', got), ...(lost && { dead: lost }) }
  }

  /** Sends a variation once more, with fresh tokens. Returns whether it ended one, or the result where that cannot be told. */
  private async endsFresh(values: Ready['values']): Promise<boolean | StepResult> {
    const { variations } = this
    const { step, talk } = variations
    // Made anew, since it may be made from a token that is fresh now.
    const fresh = new Variations(step, talk)
    let row: ReturnType<Variations['anew']>
    for (let tries = 0; !row && tries < FRESH_TRIES; tries++) {
      if (tries) this.isFresh = false
      const stale = await this.refresh()
      if (stale) return stale
      row = fresh.anew(values)
    }
    if (!row) return false
    const known = talk.issued.length
    const ordinary = row.filter(value => !isSpecial(fresh.row([value]).step))
    const send = (some: NonNullable<typeof row>) => sentOf(variations.put(fresh.row(some)))
    const result = (await send(row)) ?? (await send(ordinary))
    if (!result) return false
    if (result.outcome === 'unreachable' || result.outcome === 'limited') return result
    this.isFresh = (await this.findDead()).length === 0
    for (const issued of talk.issued.slice(known)) await talk.giveBack(issued)
    return !this.isFresh
  }

  /** Logs on again for the tokens that may be dead. @returns the result where that cannot be done */
  private async refresh(): Promise<StepResult | undefined> {
    const { step, talk } = this.variations
    for (const each of this.isFresh ? [] : new Set([...this.names, ...(step.token ? [step.token.name] : [])])) {
      const logon = await logOnAs(talk, each)
      if (logon.outcome !== 'ok') return { ...logon, outcome: 'unreachable' }
    }
    return undefined
  }

  /** Whether the request that comes before a row ends a token by itself. */
  private async endsBefore(values: Ready['values']): Promise<boolean> {
    if (!values.some(({ listed }) => listed?.after) || (await this.refresh())) return false
    const { step, talk } = this.variations
    const { before } = new Variations(step, talk).row(values)
    if (before) await talk.exchange(before)
    this.isFresh = (await this.findDead()).length === 0
    return !this.isFresh
  }

  /**
   * Returns the variations that the Core accepts as a token. A revocation with one of them only does what it should.
   */
  private async taken(all: readonly Ready['values'][]): Promise<Ready['values'][]> {
    const { step, talk } = this.variations
    const { context } = talk
    if (all.length && step.token) await logOnAs(talk, step.token.name)
    const request = requestOf(context.parts.requests, 'probe')
    const looking = new Variations({ ...step, request, role: 'probe' }, talk)
    const taken: Ready['values'][] = []
    for (const values of all) {
      const row = looking.anew(values)
      // What this token cannot be told from is taken for it.
      if (!row || gotThrough(await talk.exchange(looking.row(row).request), looking.own, context)) taken.push(values)
    }
    return taken
  }

  /** Returns the tokens to spare that the Core rejects. */
  private async findDead(): Promise<string[]> {
    const { talk } = this.variations
    const { context, named } = talk
    const dead: string[] = []
    for (const name of this.names) {
      const token = named.get(name)
      if (!token) continue
      const look = await talk.exchange(probeWith(context.parts, token.value))
      const late = missedAlive(gapSince(token.certainUse, look), context.lifetime)
      token.used(look, context.answers.probe.accepts(look))
      if (!context.answers.probe.rejects(look)) continue
      // A connection that refuses everybody from now on ended no token.
      const again = await talk.exchange(look.request, { isNew: true })
      token.used(again, context.answers.probe.accepts(again))
      if (context.answers.probe.accepts(again)) continue
      this.lateLook ??= late
      token.rejected(look)
      dead.push(name)
      if (!this.telling.length) this.telling = [look]
    }
    return dead
  }
}

/** Returns the result of a row; undefined where its special connection is not possible. */
async function sentOf(row: ReturnType<Variations['put']>): Promise<StepResult | undefined> {
  try {
    return (await row).result
  } catch (error) {
    if (error instanceof NotSent) return undefined
    throw error
  }
}
