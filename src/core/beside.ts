/** Learns how many requests a Core serves at a time, where it turns away what comes beside them. Pure: it reads no clock. */

/** How many of the latest requests are remembered. */
const REMEMBERED = 128
/** So many have to be turned away, and so many served beside no more than the limit, to believe in one. */
const FEWEST_AWAY = 6
const FEWEST_SERVED = 12
/** A limit may contradict this part of what was turned away: a request may have ended on the Core, and not here. */
const CONTRADICTED = 0.1

/** Remembers how many requests were under way with each one, and whether it was served. */
export class Beside {
  private entries: { underWay: number; isServed: boolean }[] = []

  /**
   * Notes a request.
   * @param underWay how many were under way when it was sent, itself included
   * @returns how many the Core serves at a time, where that explains what was turned away; then it counts anew
   */
  note(underWay: number, isServed: boolean): number | undefined {
    this.entries.push({ underWay, isServed })
    if (this.entries.length > REMEMBERED) this.entries.shift()
    if (isServed) return undefined
    const away = this.entries.filter(each => !each.isServed)
    if (away.length < FEWEST_AWAY) return undefined
    const most = Math.min(...away.map(each => each.underWay)) - 1
    const served = this.entries.filter(each => each.isServed)
    const within = served.filter(each => each.underWay <= most).length
    if (most < 1 || within < FEWEST_SERVED || served.length - within > away.length * CONTRADICTED) return undefined
    this.entries = []
    return most
  }
}
