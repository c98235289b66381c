/** Runs a step once for each variation of a family. Over 250 lines, since each answer decides whether the next is sent. */
import { alike, answerOf } from '../../core/answers.js'
import { type Exchange, isDelivered, refusesForm, summary } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import { turnsAway } from '../../core/pause.js'
import { LOCKING, refusedEveryMs } from '../../core/refused-logons.js'
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import { isSafe } from '../../ground/methods.js'
import { coverageOf } from '../../result/coverage.js'
import type { SendStep } from '../../suite/spec.js'
import { gotThrough } from '../got-through.js'
import { Interrupted } from '../schedule.js'
import { isSpecial } from '../send-specially.js'
import type { StepResult } from '../step-result.js'
import { type Ready, Variations } from '../variations.js'
import { LOOKS_AWAITED } from '../window.js'
import { lookAgain } from './after-miss.js'
import { Branches } from './branches.js'
import { isAgain, isIssued, judgeOpen, tryToRevoke } from './each-effects.js'
import { EachTally } from './each-tally.js'
import { logOnAs } from './logon-step.js'
import { isSilent, type Value } from './row-values.js'
import { Rows } from './rows.js'
import { Spares } from './spares.js'
import type { SpecTalk } from './spec-talk.js'
import { Twins } from './twins.js'
import { AWAY_MS, rest } from './wait-step.js'

/** Variations without an answer in a row that end the step: each takes its time, and further ones show no more. */
const MOST_HUNG = 3

/** Whether a request was turned away, as by a limit, which says nothing of its form. */
function isAway({ response }: Exchange): boolean {
  return !response || turnsAway(response.status)
}

/** Runs one step with `each`. */
export class EachRun {
  private readonly variations: Variations
  /** The rows of a step over several families; absent for one family. */
  private readonly rows: Rows | undefined
  private readonly twins: Twins
  private readonly tally: EachTally
  private readonly spares: Spares
  private readonly branches: Branches
  /** What was sent before its turn: variations, and the twins that prove a group of values. */
  private readonly ahead = new Map<Ready, ReturnType<Variations['put']>>()
  private readonly provenAhead = new Map<readonly Value[], Promise<boolean>>()
  /** How many of the latest variations got no answer in time. */
  private hung = 0
  /** So many values of a row fit in a request of this Core. */
  private mostInRow = Number.POSITIVE_INFINITY
  /** How often wrong credentials waited for a look at a token that expired. */
  private held = 0

  constructor(
    private readonly step: SendStep,
    private readonly talk: SpecTalk,
  ) {
    this.variations = new Variations(step, talk)
    this.rows =
      step.each?.dimensions &&
      new Rows(step, family => this.variations.valuesOf(family), this.variations.own, talk.context.shapes)
    this.twins = new Twins(this.variations)
    this.tally = new EachTally(step)
    this.spares = new Spares(this.variations)
    this.branches = new Branches(talk)
  }

  /** The names of the variations that were accepted. */
  readonly accepted: string[] = []

  /** Runs the step. @throws NotSent where no variation could be sent; Interrupted */
  async run(): Promise<StepResult> {
    try {
      return await this.inTurn()
    } finally {
      const { branches, ahead, provenAhead } = this
      const all = Promise.allSettled([...ahead.values(), ...provenAhead.values()])
      await branches.wait(all).finally(() => branches.end())
    }
  }

  private async inTurn(): Promise<StepResult> {
    const { tally, spares, step, rows, variations } = this
    const rowsOf = (each: Rows) => each.plan(this.talk.context.covering).map(values => variations.row(values))
    const all = this.toSend(rows ? rowsOf(rows) : variations.ready())
    const groups = rows?.groups(all.map(({ values }) => values)) ?? []
    if (step.bracket !== undefined && isSafe(variations.own.method) && rows) await this.prove(rows, groups)
    for (const [index, ready] of all.entries()) {
      // A family is long. A user who ends the run does not wait for all of it.
      if (this.talk.context.session.isEnding) throw new Interrupted()
      try {
        if (step.isSpread) await this.turn()
        if (!rows) this.keepWithinBudget(ready)
        this.sendAhead(all.slice(index + 1))
        const ended = await (rows ? this.row(rows, ready.values, ready) : this.one(ready))
        // The good logon before the next one tells whether that was a ban.
        if (ended?.outcome === 'missed window' && step.isSpread) tally.open.push({ name: ready.name, why: 'no answer' })
        else if (ended && step.isSpread) {
          tally.leaveOut(all.slice(index + 1).map(this.nameOf), `${ended.got}, which may be the first sign of a lock`)
          break
        } else if (ended) return ended
        await spares.lookInTime()
        await this.talk.keepAlive?.()
        this.talk.lease.yield()
        if (spares.isSpoilt) break
        if (this.hung >= MOST_HUNG) {
          tally.leaveOut(all.slice(index + 1).map(this.nameOf), `no answer came in time to ${MOST_HUNG} in a row`)
          break
        }
      } catch (error) {
        if (!(error instanceof NotSent) || tally.sent === 0) throw error
        tally.leaveOut(all.slice(index).map(this.nameOf), error.message)
        break
      }
    }
    this.noteUnsent()
    if (!tally.sent) throw new NotSent(`no variation of ${tally.family} makes sense on this Core`)
    if (step.expect.includes('open') && tally.open.length === tally.sent)
      throw new NotSent(`this Core takes no variation of ${tally.family}, and need not`)
    if (rows) {
      const record = rows.record()
      const covered = coverageOf([record])
      tally.coverage = { covered, rows: record }
      tally.covered = rows.told(covered)
    }
    const spoilt = this.step.spares && (await spares.ended(all, tally.many()))
    return tally.answered() ?? spoilt ?? tally.fine()
  }

  private readonly isRowTaken = async (values: readonly Value[]) =>
    (await this.twins.isTaken(this.variations.row(values))) === true

  /** The family that tells what the step sends; other dimensions only give it another form. */
  private get subject(): string {
    return this.step.each?.dimensions?.[0]?.name ?? this.tally.family
  }

  /** The name of a variation, or of what stands in each row. */
  private readonly nameOf = ({ name, values }: Ready) => values.find(value => this.rows?.isSubject(value))?.name ?? name

  /** Sends what is left of a row, now that more is known: it may hide nothing that stands beside what the Core does not take, or misses. */
  private async rest(rows: Rows, values: readonly Value[]): Promise<StepResult | undefined> {
    const left = rows.left(values) ?? []
    return left.length < values.length ? this.row(rows, left) : undefined
  }

  /**
   * Sends the next variations before their turn, where the Core is slow: those that change nothing, and say the same in any order
   * and on any connection. They are judged in their turn.
   */
  private sendAhead(next: readonly Ready[]): void {
    const { step, talk, ahead, rows, variations } = this
    const { lanes } = talk.context
    if (lanes === 1 || step.isSpread || step.role === 'logon' || step.expect.includes('open')) return
    let more = lanes - 1
    for (const ready of next) {
      if (more === 0) return
      const isWhole = !rows || rows.left(ready.values)?.length === ready.values.length
      const isAny = isSafe(ready.request.method) && !ready.before && !isSpecial(ready.step)
      if (!isWhole || !isAny) continue
      more--
      if (ahead.has(ready)) continue
      const sent = this.branches.run(on => variations.put(ready, on))
      if (!sent) return
      sent.catch(() => {})
      ahead.set(ready, sent)
    }
  }

  /** Finds out which values of the rows the Core takes: where it is slow, several groups of them at a time. */
  private async prove(rows: Rows, groups: readonly Value[][]): Promise<void> {
    const { talk, branches, variations, provenAhead } = this
    const left = [...groups]
    const isTaken = async (values: readonly Value[]) => {
      // There are dozens of groups, and on a slow Core a token may expire meanwhile.
      await this.spares.lookInTime()
      await talk.keepAlive?.()
      if (left[0] === values) left.shift()
      while (left[0]) {
        const [group] = left
        const sent = branches.run(on => new Twins(variations, on).isTaken(variations.row(group)))
        if (!sent) break
        left.shift()
        const proven = sent.then(isThrough => isThrough === true)
        proven.catch(() => {})
        provenAhead.set(group, proven)
      }
      const ahead = provenAhead.get(values)
      return ahead ? branches.wait(ahead) : this.isRowTaken(values)
    }
    await rows.prove(groups, isTaken)
  }

  /** Sends what is left of a row. @param whole the row as it was planned @throws NotSent; Interrupted */
  private async row(rows: Rows, row: readonly Value[], whole?: Ready): Promise<StepResult | undefined> {
    const left = rows.left(row)
    if (!left) return undefined
    if (left.length > this.mostInRow) return this.inParts(rows, left)
    const ready = whole && left.length === whole.values.length ? whole : this.variations.row(left)
    this.keepWithinBudget(ready)
    try {
      return await this.one(ready)
    } catch (error) {
      const special = left.find(value => isSpecial(this.variations.row([value]).step))
      if (!(error instanceof NotSent) || !special) throw error
      rows.leaveOut(special)
      return this.row(rows, row)
    }
  }

  /** Sends a row in two requests, since the Core finds one too large. */
  private async inParts(rows: Rows, row: readonly Value[]): Promise<StepResult | undefined> {
    const half = Math.ceil(row.length / 2)
    return (await this.row(rows, row.slice(0, half))) ?? this.row(rows, row.slice(half))
  }

  /** Returns the variations to send: where they are spread, those that other specs left out. @throws NotSent */
  private toSend(all: Ready[]): Ready[] {
    const unsent = this.step.isSpread && this.talk.context.unsent.get(this.subject)
    if (!unsent) return all
    if (!unsent.length) throw new NotSent(`every variation of ${this.subject} was sent before`)
    return all.filter(ready => unsent.includes(this.nameOf(ready)))
  }

  /** Notes which variations no spec has sent, for those that have time for them. */
  private noteUnsent(): void {
    const { tally, step } = this
    const { unsent } = this.talk.context
    if (step.each?.only || !step.expect.includes('nothing issued')) return
    const before = unsent.get(this.subject)
    unsent.set(this.subject, before ? tally.unsent.filter(name => before.includes(name)) : [...tally.unsent])
  }

  /** Waits until the next refused logon may be sent. @throws NotSent where there is no time or no budget for it */
  private async turn(): Promise<void> {
    const { talk } = this
    const { session, schedule, spreadLeft, lifetime } = talk.context
    if (session.refused.showsLock) throw new NotSent('there was a sign of a lock after a wrong logon')
    if (session.refused.leftPaced <= 0)
      throw new NotSent('the budget of refused logons is used up (--max-refused-logons)')
    if (spreadLeft() <= 0) throw new NotSent('the other refused logons are kept to explore')
    const everyMs = refusedEveryMs(lifetime.lifetimeMs)
    if (schedule.now() + everyMs > talk.startMs + lifetime.lifetimeMs)
      throw new NotSent(`there was no time left: they go out within a lifetime, ${duration(everyMs)} apart`)
    await rest(talk, everyMs)
    const quietMs = schedule.expiryWithin(lifetime.lifetimeMs * lifetime.tolerance)
    if (quietMs === undefined || this.held >= LOOKS_AWAITED) return
    this.held++
    await rest(talk, quietMs + everyMs)
  }

  /**
   * Sends one variation.
   * @returns the result that ends the step: the Core is out of reach, or the answer decides nothing
   */
  private async one(ready: Ready): Promise<StepResult | undefined> {
    const { step, request, token, name } = ready
    if (step.expect.includes('revoked')) return this.revoked(ready)
    const known = this.talk.issued.length
    const { result, exchange } = await this.through(ready, await this.put(ready))
    this.tally.sent++
    const isAway =
      exchange.error?.kind === 'deadline' || (!step.expect.length && Number(exchange.response?.status) >= 500)
    this.hung = isAway ? this.hung + 1 : 0
    if (step.observe !== undefined && gotThrough(exchange, this.variations.own, this.talk.context))
      this.accepted.push(name)
    if (this.isOddlyMet(result, exchange)) return undefined
    if (result.outcome !== 'ok' && result.outcome !== 'miss') return { ...result, telling: [exchange] }
    if (step.isSpread && LOCKING.has(exchange.response?.status ?? 0))
      return { ...result, got: summary(exchange), telling: [exchange] }
    if (step.expect.includes('issued')) return this.issued(ready, exchange)
    if (step.expect.includes('open')) {
      await judgeOpen(this.variations, this.tally, ready, exchange)
      return undefined
    }
    // The step has room for one token, so it keeps none.
    for (const issued of this.talk.issued.slice(known)) await this.talk.giveBack(issued)
    const { rows } = this
    const isMiss = result.outcome === 'miss'
    // A row that changes nothing has a good twin, which tells more.
    const hasTwin = rows !== undefined && isSafe(request.method)
    if (isMiss && !hasTwin && (await this.twins.isTooLarge(ready, exchange))) {
      this.mostInRow = Math.min(this.mostInRow, Math.ceil(ready.values.length / 2))
      if (rows && ready.values.length > 1) return this.inParts(rows, ready.values)
      this.tally.open.push({ name, why: 'its size' })
      return undefined
    }
    if (isMiss && hasTwin && (await this.twins.isNotTaken(ready))) {
      const single = rows.unproven(ready.values).map(value => [value])
      await rows.prove(single, this.isRowTaken)
      return this.rest(rows, ready.values)
    }
    const mayRepeat = isSafe(request.method) || step.role === 'probe'
    if (result.outcome === 'miss' && (token || (rows && this.step.token)) && mayRepeat) {
      const why = await (token ? this.twins.openFor(ready, exchange, token) : this.twins.openWithout(ready))
      if (why !== undefined) {
        this.tally.open.push({ name, why })
        return undefined
      }
    }
    if (result.outcome === 'miss') {
      const { isCertain = false } = result
      // A request that is let in now and then is not let in because of its variation.
      const isOnce = isSafe(request.method) && isCertain && (await this.again(ready)).result.outcome === 'ok'
      const { tally } = this
      const missed = async (values: readonly Value[]) => {
        const before = this.talk.issued.length
        const again = await this.again(this.variations.row(values))
        for (const issued of this.talk.issued.slice(before)) await this.talk.giveBack(issued)
        return again.result.outcome === 'miss' ? again.exchange : undefined
      }
      const reduced = isOnce ? undefined : await rows?.reduce(ready.values, exchange, missed)
      const found = { name, exchange, ...reduced }
      if (rows && reduced && this.isTooMany(reduced)) return this.rest(rows, ready.values)
      const got = summary(found.exchange) + (isOnce ? ', once of twice' : '')
      tally.firstMiss ??= result
      tally.missed.push({ ...found, got, isCertain, isOnce })
      if (tally.missed.length === 1 && token) {
        const results = [result]
        await lookAgain(this.talk, step, results, exchange, token)
        tally.firstMiss = results[0]
      }
      return rows && this.rest(rows, ready.values)
    }
    // What refuses its form hides what stands beside it: wrong credentials are sent without it.
    if (step.expect.includes('nothing issued') && refusesForm(exchange) && rows?.setAside(ready.values)) {
      if (step.isSpread) await this.turn()
      return this.row(rows, ready.values)
    }
    if (rows) rows.judge(ready.values)
    else if (this.step.bracket !== undefined && isSafe(request.method)) await this.bracket(ready)
    return undefined
  }

  private async again(ready: Ready): ReturnType<Variations['put']> {
    return this.through(ready, await this.variations.put(ready))
  }

  /** Notes a miss where a success at another target is owed to a token that should open nothing. */
  private async through(ready: Ready, put: Awaited<ReturnType<Variations['put']>>): Promise<typeof put> {
    const { result, exchange } = put
    if (result.outcome !== 'ok' || !(await this.twins.isThroughByToken(ready, exchange))) return put
    return { exchange, result: { ...result, outcome: 'miss', got: summary(exchange), isCertain: true } }
  }

  /** Whether a row met an odd answer, or none, as an odd request may well do: that says nothing of the others. Counts those without. */
  private isOddlyMet({ outcome }: StepResult, exchange: Exchange): boolean {
    const isUnanswered = exchange.error !== undefined
    const isOdd = outcome === 'unreachable' || (outcome === 'missed window' && isUnanswered)
    if (!this.rows || !isOdd || !isDelivered(exchange)) return false
    if (isUnanswered) this.tally.unanswered++
    return true
  }

  /** Sends a variation, and a logon that has to issue a token once more where it was turned away. */
  private async put(ready: Ready): ReturnType<Variations['put']> {
    const ahead = this.ahead.get(ready)
    if (ahead) return this.branches.wait(ahead)
    const first = await this.variations.put(ready)
    if (!this.step.expect.includes('issued') || !isAway(first.exchange)) return first
    await rest(this.talk, AWAY_MS)
    return this.variations.put(ready)
  }

  /** @throws NotSent where a logon that should be refused would use up the budget of other specs */
  private keepWithinBudget({ step, request }: Ready): void {
    // A step that names its variations does not range: it has the budget of any other step.
    if (this.step.each?.only || this.step.isSpread) return
    const { context, spec } = this.talk
    const { leftAtOnce } = context.session.refused
    const isToBeRefused = step.body !== undefined && step.expect.includes('nothing issued') && !request.omitHost
    if (isToBeRefused && leftAtOnce <= context.refusalsKept(spec))
      throw new NotSent(`${count(leftAtOnce, 'refused logon')} are left for other specs (--max-refused-logons)`)
  }

  /** Sends a variation with a good token too. Where that is not accepted, the variation shows nothing. */
  private async bracket(ready: Ready): Promise<void> {
    const isTaken = await this.twins.isTaken(ready)
    if (isTaken === undefined) return
    this.tally.bracketed++
    if (isTaken) this.tally.known++
  }

  /**
   * Whether a good request was refused for how many header fields it has, and notes that: how many a Core takes is its own affair. One that
   * loses some of them answers as to a request without a token, or to wrong credentials.
   */
  private isTooMany({ values, name, exchange }: Awaited<ReturnType<Rows['reduce']>>): boolean {
    const { step, tally } = this
    const { answers } = this.talk.context
    const isGood = (['accepted', 'issued', 'revoked'] as const).some(expected => step.expect.includes(expected))
    const isMany = values.length > 0 && values.every(({ listed }) => listed?.more !== undefined)
    if (!isGood || !isMany || answers.effectOf(exchange) === 'accepted') return false
    const answer = exchange.response && answerOf(exchange.response)
    if (answer && answers.of(exchange.request).refusals.some(each => alike(each, answer))) return false
    tally.open.push({ name, why: 'not taken' })
    return true
  }

  /** Sends what asks for nothing of a row whose form was refused, where that is less: nothing hides it then. */
  private async silent({ values }: Ready): Promise<StepResult | undefined> {
    const left = values.filter(isSilent)
    return this.rows && left.length && left.length < values.length ? this.row(this.rows, left) : undefined
  }

  /** Sends the halves of a row whose form was refused, so that nothing hides behind what this Core does not take. */
  private async halves({ name, values }: Ready): Promise<StepResult | undefined> {
    const { rows, tally } = this
    const middle = values.length >> 1
    if (rows && middle) return (await this.row(rows, values.slice(0, middle))) ?? this.row(rows, values.slice(middle))
    tally.open.push({ name, why: 'not taken' })
    return undefined
  }

  /** Checks that a logon issued a token. Where it did not, checks whether a logon in the plain form does. */
  private async issued(ready: Ready, exchange: Exchange): Promise<StepResult | undefined> {
    const { talk, tally, rows, variations } = this
    if (await isIssued(talk, exchange)) {
      rows?.judge(ready.values)
      return undefined
    }
    // One in an odd form may be refused. One that gets a token gets a new one that opens the API.
    const hasToken = talk.issued.some(({ issued }) => issued.sentAt === exchange.sentAt)
    if (this.step.isAssumed && !hasToken && !(await this.twins.isMistaken(ready, exchange))) return this.silent(ready)
    if (refusesForm(exchange) || !(await this.isChunkTaken(ready))) return this.halves(ready)
    const control = await logOnAs(talk, `control-${tally.sent}`)
    if (control.outcome !== 'ok') return control
    const token = talk.issued.at(-1)
    // A Core that has one token for a user gives it in every form.
    if (token && isAgain(talk, token)) return undefined
    if (token) await talk.giveBack(token)
    const refused = async (one: Ready) => {
      const { exchange: again } = await this.put(one)
      return (await isIssued(talk, again, true)) ? undefined : again
    }
    // The control may have been one logon too many for now: each by itself, this one is refused for its form, and a plain one is not.
    const isTaken = async (one: Ready) => {
      await rest(talk, AWAY_MS)
      return isIssued(talk, (await variations.put(one)).exchange, true)
    }
    if (!(await refused(ready))) return undefined
    // To see that takes seconds: where one form is refused, the next one is, too.
    const isShown = tally.missed.length > 0
    if (!isShown && ((await isTaken(ready)) || !(await isTaken(variations.row([]))))) return undefined
    const reduced = await rows?.reduce(ready.values, exchange, values => refused(variations.row(values)))
    if (reduced && this.isTooMany(reduced)) return undefined
    const found = { name: ready.name, exchange, ...reduced }
    const issued = talk.issued.find(each => each.issued.sentAt === found.exchange.sentAt)
    const again = issued && isAgain(talk, issued) ? ', with a token that had been issued before' : ''
    tally.missed.push({ ...found, got: summary(found.exchange) + again, isCertain: false })
    return undefined
  }

  /** Whether a logon that was sent in several chunks gets a token in a single one, since no Core need take chunks. True for any other. */
  private async isChunkTaken(ready: Ready): Promise<boolean> {
    const { request } = ready
    if (request.chunks === undefined) return true
    const { exchange } = await this.put({ ...ready, request: { ...request, chunks: 'one' } })
    return isIssued(this.talk, exchange, false)
  }

  /** Checks that a request revokes a token that was just issued. @returns the result that ends the step */
  private async revoked(ready: Ready): Promise<StepResult | undefined> {
    const { talk, step, tally, rows, variations } = this
    const tried = await tryToRevoke(variations, ready.values)
    tally.sent++
    if ('result' in tried) {
      const telling = tried.exchange ?? talk.exchanges.at(-1)
      if (telling && this.isOddlyMet(tried.result, telling)) return undefined
      return { ...tried.result, ...(telling && { telling: [telling] }) }
    }
    const { exchange, isAlive } = tried
    if (!isAlive) {
      rows?.judge(ready.values)
      return undefined
    }
    const isMistaken = async () => (await this.isAnsweredAsEver(exchange)) || this.twins.isMistaken(ready, exchange)
    if (step.isAssumed && !(await isMistaken())) return this.silent(ready)
    if (refusesForm(exchange)) return this.halves(ready)
    const kept = async (values: readonly Value[]) => {
      const again = await tryToRevoke(variations, values)
      return 'isAlive' in again && again.isAlive ? again.exchange : undefined
    }
    const reduced = await rows?.reduce(ready.values, exchange, kept)
    if (reduced && this.isTooMany(reduced)) return undefined
    const found = { name: ready.name, exchange, ...reduced }
    tally.missed.push({ ...found, got: `${summary(found.exchange)}, and the token is still accepted`, isCertain: true })
    return undefined
  }

  /** Whether a revocation was answered as one in its plain form is, which is sent for that. */
  private async isAnsweredAsEver({ response }: Exchange): Promise<boolean> {
    const plain = await tryToRevoke(this.variations, [])
    return 'isAlive' in plain && plain.exchange.response?.status === response?.status
  }
}
