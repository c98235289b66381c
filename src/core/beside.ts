/** Learns how many requests a Core serves at a time, where it turns away what comes beside them. Pure: it reads no clock. */
import { separate } from './rate-history.js'

/** How many of the latest requests are remembered: once it goes slower, few are turned away. */
const REMEMBERED = 512
/** So many have to be turned away, and so many served beside no more than the limit, to believe in one. */
const FEWEST_AWAY = 4
const FEWEST_SERVED = 12
/** So many may contradict a limit, for each that was turned away: what has ended on one side may not have on the other. */
const CONTRADICTED = 0.2

/** Remembers how many requests were under way with each one, and whether it was served. */
export class Beside {
  private entries: { underWay: number; isServed: boolean }[] = []

  /**
   * Notes a request.
   * @param underWay how many were under way from when it was sent until it was answered, itself included
   * @returns how many the Core serves at a time, where that explains what was turned away; then it counts anew
   */
  note(underWay: number, isServed: boolean): number | undefined {
    this.entries.push({ underWay, isServed })
    if (this.entries.length > REMEMBERED) this.entries.shift()
    if (isServed) return undefined
    const { entries } = this
    const away = entries.filter(each => !each.isServed).length
    if (away < FEWEST_AWAY) return undefined
    const { wrong, most } = separate(
      entries,
      entries.map(each => each.underWay),
    )
    const within = entries.filter(each => each.isServed && each.underWay <= most).length
    if (most < 1 || within < FEWEST_SERVED || wrong > away * CONTRADICTED) return undefined
    this.entries = []
    return most
  }
}
