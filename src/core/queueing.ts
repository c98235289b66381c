/** Finds out whether a Core lets requests wait for each other: it hashes slowly, or limits the rate. Pure: it reads no clock. */

/** An answer to a request that was under way while another was answered. */
interface Answer {
  /** How long it took. */
  tookMs: number
  /** The part of that after the answer before it: the time that the Core had for this one alone. */
  ownMs: number
}

/** So many answers in a row show that requests wait; fewer do, where each logon takes as long as one does alone. */
const ENOUGH = { logon: 8, any: 24 }
const ENOUGH_ALIKE = 2
/** By what part the time of each may differ from that of one alone. */
const ALIKE = 0.3
/** Requests wait where their answers take so many times as long as the answer to one alone. */
const LONGER = 1.6
/** What is faster than this hinders nobody. */
const SLOW_MS = { logon: 100, any: 15 }
/** No slow device takes so many times as long for one of several requests as for one alone: a limit does. */
const LIMITED = 3
/** The middle half of the times is no wider than this part of their median, where a limit gives each its turn: a busy machine does not. */
const EVEN = 0.5
/** So many requests alone show how long an answer takes. */
const ALONE = 2

/** Watches how long answers take, alone and beside others. */
export class Queueing {
  private readonly alone: number[] = []
  private beside: Answer[] = []
  private lastMs = Number.NEGATIVE_INFINITY

  /** @param kind of the requests that it watches */
  constructor(private readonly kind: 'logon' | 'any') {}

  /**
   * Notes an answer. Call it in the order in which answers come.
   * @param isEmpty whether it has no body: it may come sooner than the others, and tells nothing of how long those take
   * @returns the time between two requests with which none has to wait, in milliseconds; undefined where none waits
   */
  answered(sentMs: number, receivedMs: number, isEmpty = false): number | undefined {
    const { alone, lastMs, kind } = this
    this.lastMs = Math.max(receivedMs, lastMs)
    if (isEmpty) return undefined
    const tookMs = receivedMs - sentMs
    if (sentMs >= lastMs) {
      this.beside = []
      alone.push(tookMs)
      if (alone.length > ENOUGH.any) alone.shift()
      return undefined
    }
    if (alone.length < ALONE) return undefined
    this.beside.push({ tookMs, ownMs: receivedMs - lastMs })
    if (this.beside.length > ENOUGH[kind]) this.beside.shift()
    const { beside } = this
    // What a slow Core refuses at first sight is answered sooner than the rest.
    const usualMs = [...alone].sort((a, b) => a - b)[alone.length >> 2] ?? 0
    const own = beside.map(({ ownMs }) => ownMs)
    const isLonger = mean(beside.map(each => each.tookMs)) > usualMs * LONGER
    // A single stop of a Core, or of this machine, is no limit: the middle of many does not see it.
    const spacingMs = kind === 'logon' ? mean(own) : median(own)
    const isEven = kind === 'logon' || spread(own) < spacingMs * EVEN
    const isAlike = kind === 'logon' && own.every(ms => Math.abs(ms / usualMs - 1) < ALIKE)
    const isEnough = beside.length >= (isAlike ? ENOUGH_ALIKE : ENOUGH[kind])
    const isSlow = spacingMs > Math.max(SLOW_MS[kind], kind === 'any' ? usualMs * LIMITED : 0)
    return isEnough && isLonger && isSlow && isEven ? spacingMs : undefined
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

/** How wide the middle half of these is. */
function spread(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (sorted[(sorted.length * 3) >> 2] ?? 0) - (sorted[sorted.length >> 2] ?? 0)
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0
}
