/** Learns how many requests a Core serves at a time, where it turns away what comes beside them. Pure: it reads no clock. */
import { separate } from './rate-history.js'

/** How many of the latest requests are remembered: once it goes slower, few are turned away. */
const REMEMBERED = 512
/**
 * So many have to be turned away, and so many served beside no more than the limit, to believe in one; twice as many where it
 * is a single one, since that keeps specs from running.
 */
const FEWEST_AWAY = 4
const FEWEST_SERVED = 12
/** So many may contradict a limit, for each that was turned away: what has ended on one side may not have on the other. */
const CONTRADICTED = 0.2
/** So many that were turned away with fewer beside them contradict what is believed, where something else explains them. */
const GIVEN_UP_AFTER = 3

/** A request that was answered: when it was sent, and when its answer came. */
interface Answered {
  sentMs: number
  receivedMs: number
  isServed: boolean
}

/**
 * Remembers which requests were under way at the same time, and which were served. A limit serves as many as it takes beside each
 * that it turns away; a ban, or a limit of the rate, turns away those that come alone, too.
 */
export class Beside {
  private entries: Answered[] = []
  /** When the latest that was turned away was answered, where it was not looked at yet. */
  private awayMs: number | undefined
  /** How many are believed to be served at a time; undefined where there is no reason to. */
  most: number | undefined
  /** How many beliefs were given up. */
  private wrong = 0

  /**
   * Notes a request that was answered.
   * @param isElse whether something else may explain what was turned away
   * @returns whether another number is believed now
   */
  note(answered: Answered, isElse: () => boolean): boolean {
    const { entries, awayMs } = this
    entries.push(answered)
    if (entries.length > REMEMBERED) entries.shift()
    // What was under way beside it may have been answered later.
    const isOver = awayMs !== undefined && answered.sentMs > awayMs
    if (!answered.isServed) this.awayMs = Math.max(awayMs ?? 0, answered.receivedMs)
    if (!isOver) return false
    if (answered.isServed) this.awayMs = undefined
    const { most } = this
    if (most === undefined) this.most = this.explaining(isElse)
    else if (this.isContradicted(most) && isElse()) {
      this.most = undefined
      this.wrong++
    }
    if (this.most === most) return false
    this.entries = []
    return true
  }

  private isContradicted(most: number): boolean {
    const away = this.entries.filter(({ isServed }) => !isServed)
    return this.uses(away).filter(use => use <= most).length >= GIVEN_UP_AFTER
  }

  private explaining(isElse: () => boolean): number | undefined {
    const { entries, wrong: times } = this
    const away = entries.filter(({ isServed }) => !isServed).length
    if (away < FEWEST_AWAY * 2 ** times) return undefined
    const uses = this.uses(entries)
    const { wrong, most: served } = separate(entries, uses)
    const within = entries.filter(({ isServed }, at) => isServed && (uses[at] ?? 0) <= served).length
    // It serves as many as were seen beside what it turned away: of what was served some may have been beside more than is certain.
    const most =
      Math.min(
        ...entries.flatMap(({ isServed }, at) => (isServed ? [] : (uses[at] ?? 0))).filter(use => use > served),
      ) - 1
    const isEnough = within >= FEWEST_SERVED && (most > 1 || away >= FEWEST_AWAY * 2)
    return served >= 1 && isEnough && wrong <= away * CONTRADICTED && !isElse() ? most : undefined
  }

  /**
   * How many were served with each of these, itself included: beside what was served, those that were under way all the time, beside
   * what was turned away, all that were at any time.
   */
  private uses(of: readonly Answered[]): number[] {
    const served = this.entries.filter(({ isServed }) => isServed)
    return of.map(one => {
      const { sentMs, receivedMs, isServed } = one
      const isBeside = (other: Answered) =>
        isServed
          ? other.sentMs <= sentMs && other.receivedMs >= receivedMs
          : other.sentMs < receivedMs && other.receivedMs > sentMs
      return served.filter(other => other !== one && isBeside(other)).length + 1
    })
  }
}
