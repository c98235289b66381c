/**
 * Learns that a Core serves nothing for a moment after so many answers, however slowly they come: its worker starts anew, say. No pace
 * helps. Pure: it reads no clock.
 */

/** A moment in which nothing was served. */
interface Turn {
  /** How many were answered since the one before, and in what time. */
  answered: number
  spanMs: number
  /** How long it may have lasted, until something was served. */
  forMs: number
}

/** What is believed. */
export interface Turned {
  /** After this many answers nothing is served. */
  after: number
  /** For how long, in milliseconds, at most. */
  forMs: number
}

/** So many turns are remembered, and so many in a row at least have to begin after as many answers. */
const LATEST = 32
const ALIKE = 4
/** So likely it may be by chance that all of them do. */
const CHANCE = 0.01
/** Fewer answers are the burst of a limit. */
const FEW = 8
/** By how much the numbers may differ, as a part and at least: several requests are under way at a time. */
const SPREAD = 0.1
const UNDER_WAY = 2
/** A limit of a rate would have had room again in this many times the shortest turn. */
const LONGER = 2
/** So many turns in a row after fewer answers contradict it. */
const CONTRADICTED = 3

/** Counts answers from one moment without any to the next. */
export class Turnover {
  /** What is believed; undefined where there is no reason to. */
  belief: Turned | undefined
  private readonly turns: Turn[] = []
  private answered = 0
  /** When what was served since the latest turn began to be. */
  private sinceMs: number | undefined
  private open: { fromMs: number } | undefined
  private contradicted = 0
  /** When the latest that was answered had been sent. */
  private servedMs = Number.NEGATIVE_INFINITY

  /** Notes that a request was answered. @param sentMs when it was sent */
  served(sentMs: number, nowMs: number): void {
    const { open } = this
    if (open && sentMs > open.fromMs) {
      this.close({
        answered: this.answered,
        spanMs: open.fromMs - (this.sinceMs ?? open.fromMs),
        forMs: nowMs - open.fromMs,
      })
      this.open = undefined
      this.answered = 0
      this.sinceMs = nowMs
    }
    this.sinceMs ??= nowMs
    this.servedMs = Math.max(this.servedMs, sentMs)
    this.answered++
  }

  /** Notes that a request was not. @param nowMs when that was known */
  away(sentMs: number, nowMs: number): void {
    // What was under way when the Core stopped says nothing of the time since.
    if (sentMs >= this.servedMs) this.open ??= { fromMs: nowMs }
  }

  private close(turn: Turn): void {
    const { turns, belief } = this
    turns.push(turn)
    if (turns.length > LATEST) turns.shift()
    if (belief) {
      this.contradicted = turn.answered < belief.after * (1 - SPREAD) - UNDER_WAY ? this.contradicted + 1 : 0
      if (this.contradicted >= CONTRADICTED) this.belief = undefined
      return
    }
    const after =
      turns
        .slice(-ALIKE)
        .map(({ answered }) => answered)
        .sort((a, b) => a - b)[1] ?? 0
    if (after < FEW) return
    const last = turns.slice(turns.findLastIndex(({ answered }) => !isMultiple(answered, after)) + 1)
    if (last.length < ALIKE || chanceOf(last, after) > CHANCE) return
    const shortestMs = Math.min(...turns.filter(each => isMultiple(each.answered, after)).map(lengthOf))
    // What is counted in a while would have been forgotten in between.
    const longestMs = Math.max(...last.map(({ answered, spanMs }) => spanMs / Math.round(answered / after)))
    if (longestMs < shortestMs * LONGER) return
    this.contradicted = 0
    this.belief = { after, forMs: Math.min(...last.map(({ forMs }) => forMs)) }
  }
}

/** Whether these are as many answers, or a few times as many: nothing may be sent in such a moment. */
function isMultiple(answered: number, after: number): boolean {
  const times = Math.round(answered / after)
  return times > 0 && Math.abs(answered - times * after) <= spreadOf(times, after)
}

/** By how much so many times as many may differ. */
function spreadOf(times: number, after: number): number {
  return times * Math.max(UNDER_WAY, after * SPREAD)
}

/** How likely as many turns have such numbers by chance: of `after` numbers, these are alike. */
function chanceOf(turns: readonly Turn[], after: number): number {
  const each = turns.map(({ answered }) => 2 * spreadOf(Math.round(answered / after), after) + 1)
  return each.reduce((all, alike) => all * Math.min(alike / after, 1), 1)
}

function lengthOf({ spanMs, forMs }: Turn): number {
  return spanMs + forMs
}
