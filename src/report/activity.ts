/** What a run is doing now. */
export interface RunActivity {
  /** Specs that have their outcome, how many of those failed, and all specs. */
  done: number
  failed: number
  total: number
  /** When the run started, and when by its plan it will have ended; epoch milliseconds. */
  startedMs: number
  endsMs: number
  /** What waits for time to pass, the earliest end first. */
  waits: RunWait[]
}

/** One wait of a spec. */
export interface RunWait {
  /** The id of the spec that waits. */
  spec: string
  /** What the wait is for: `token a, unused for 1 h 3 min`. */
  what: string
  /** When it began and when it ends, epoch milliseconds. */
  fromMs: number
  untilMs: number
}
