/**
 * How long the wire must be quiet before the first refusals go out. Of ten threads on a busy machine some were seen to come
 * 300 ms after the others; what comes before a refusal has gone out can know nothing of it.
 */
const QUIET_MS = 500

/** No refusal is held for longer, however much comes: clients have timeouts, none below the 2 s of `slow`. */
const LONGEST_MS = 1_900

/**
 * Holds the first refusals until every request that was under way has come, and lets them go together. So a client with many
 * threads, whose requests all carry the token that has just died, is told apart from one that sends it again.
 */
export class Gate {
  /** When it opened, by `performance.now()`; undefined as long as it is closed. */
  openedMs: number | undefined
  readonly #opened: Promise<void>
  #open: () => void = () => {}
  #firstMs: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.#opened = new Promise(resolve => {
      this.#open = () => {
        this.openedMs = performance.now()
        resolve()
      }
    })
  }

  /** Whether a refusal would go out at once. */
  get isOpen(): boolean {
    return this.openedMs !== undefined
  }

  /** Notes a request that is to be refused; settles when its refusal may go out. Undefined where that is at once. */
  pass(): Promise<void> | undefined {
    if (this.isOpen) return undefined
    const nowMs = performance.now()
    this.#firstMs ??= nowMs
    clearTimeout(this.#timer)
    const leftMs = this.#firstMs + LONGEST_MS - nowMs
    this.#timer = setTimeout(() => this.#open(), Math.max(0, Math.min(QUIET_MS, leftMs)))
    return this.#opened
  }
}
