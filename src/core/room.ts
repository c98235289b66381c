/** Learns for how long a token that was given back still takes its room on a Core. Pure: it reads no clock. */
import { separate } from './rate-history.js'

/** How long a token may take its room after it was given back, in milliseconds. */
const HELD_MS = [250, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 30_000]
/** How much longer the run waits. */
const LONGER = 1.05
/** To believe it, so many logons have to be turned away. */
const FEWEST_AWAY = 4
/** At first it has to explain this part of them, and more of them than live tokens and a limit on logons do; later this part. */
const EXPLAINED = 0.8
const STILL_EXPLAINED = 0.5
/** How many of the latest logons and tokens are remembered. */
const REMEMBERED = 256

/** A token, or a logon that may give one. */
interface Place {
  fromMs: number
  /** When it was given back. */
  untilMs: number
}

/** What is believed: so many tokens find room, and each keeps its place for so long after it was given back. */
export interface Held {
  tokens: number
  heldMs: number
}

/** Finds out whether tokens that were given back explain which logons found no room. */
export class Room {
  /** Undefined where there is no reason to believe so. */
  belief: Held | undefined
  private readonly places: Place[] = []
  private readonly logons: { ms: number; isServed: boolean }[] = []

  /** Notes that a token was given back. @param issuedMs when its logon was sent */
  givenBack(issuedMs: number, nowMs: number): void {
    const place = this.places.find(({ fromMs }) => fromMs === issuedMs)
    if (place) place.untilMs = Math.min(place.untilMs, nowMs)
  }

  /**
   * Notes a logon with the right credentials that was answered.
   * @param byRate counts those that were turned away and that a limit on logons does not explain; called where enough were, since
   *   it takes long
   */
  logon(sentMs: number, isServed: boolean, byRate: () => number): void {
    const { logons, places } = this
    logons.push({ ms: sentMs, isServed })
    if (logons.length > REMEMBERED) logons.shift()
    if (isServed) {
      places.push({ fromMs: sentMs, untilMs: Number.POSITIVE_INFINITY })
      if (places.length > REMEMBERED) places.shift()
      return
    }
    this.belief = this.explaining(byRate)
  }

  /** Notes that something else explains which logons were turned away so far. */
  explained(): void {
    this.logons.length = 0
    this.belief = undefined
  }

  /** When the next logon finds room; now where that is not known. */
  openAtMs(nowMs: number): number {
    const { belief, places } = this
    if (!belief) return nowMs
    const ends = places.map(({ untilMs }) => untilMs + belief.heldMs * LONGER).filter(ms => ms > nowMs)
    // Where as many are live nobody knows when there will be room.
    const end = ends.sort((a, b) => b - a)[belief.tokens - 1] ?? nowMs
    return Number.isFinite(end) ? end : nowMs
  }

  private explaining(byRate: () => number): Held | undefined {
    const { logons } = this
    const away = logons.filter(({ isServed }) => !isServed).length
    if (away < FEWEST_AWAY) return undefined
    const explain = (heldMs: number) => ({ heldMs, ...separate(logons, this.use(heldMs)) })
    const found = HELD_MS.map(explain).reduce((best, each) => (each.wrong < best.wrong ? each : best))
    const isBest = this.belief
      ? found.wrong <= away * (1 - STILL_EXPLAINED)
      : found.wrong <= away * (1 - EXPLAINED) && found.wrong < Math.min(explain(0).wrong, byRate())
    return isBest && found.most > 0 ? { tokens: found.most, heldMs: found.heldMs } : undefined
  }

  /** How many places were taken with each logon, its own included. */
  private use(heldMs: number): number[] {
    return this.logons.map(
      ({ ms }) => this.places.filter(({ fromMs, untilMs }) => fromMs < ms && untilMs + heldMs > ms).length + 1,
    )
  }
}
