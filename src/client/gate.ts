/**
 * Time without a request after which the first refusals go out. On a busy machine, some of ten threads were seen to send 300 ms
 * after the others. A request that comes before the first refusal goes out cannot know of it.
 */
const QUIET_MS = 500

/** Longest time that a refusal is held. Clients have timeouts; the scenario `slow` asks them to wait for 2 s. */
const LONGEST_MS = 1_900

/**
 * Holds the first refusals until every request that was under way has arrived, then sends them together. This tells a client
 * with many threads, whose requests all carry the dead token, from a client that sends the dead token again.
 */
export class Gate {
  /** When the gate opened, by `performance.now()`; undefined while it is closed. */
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

  /** Whether a refusal goes out at once. */
  get isOpen(): boolean {
    return this.openedMs !== undefined
  }

  /** Notes a request that is to be refused. Settles when the refusal may go out; undefined if it may go out at once. */
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
