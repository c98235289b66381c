/** The current activity of a run. */
export interface RunActivity {
  /** How many specs have their outcome. */
  done: number
  /** How many of those failed. */
  failed: number
  /** How many specs there are. */
  total: number
  /** What is counted, where that is not specs: `interaction`. */
  noun?: string
  /** When the run started, in epoch milliseconds. */
  startedMs: number
  /** When the plan of the run ends, in epoch milliseconds; NaN as long as the waits have not begun. */
  endsMs: number
  /** The waits of specs, earliest end first. */
  waits: RunWait[]
  /** How many requests were sent, and about how many will be before the waits; absent where nobody knows. */
  requests?: { sent: number; expected: number }
  /** How long the run takes from now on, in milliseconds, between these bounds; absent where nobody knows, or `endsMs` says it. */
  leftMs?: readonly [fewestMs: number, mostMs: number]
}

/** One wait of a spec. */
export interface RunWait {
  /** The id of the spec that waits. */
  spec: string
  /** How many wait, where that is not one. */
  many?: number
  /** The purpose of the wait: `token a, unused for 1 h 3 min`. */
  what: string
  /** When the wait began and when it ends, epoch milliseconds. */
  fromMs: number
  untilMs: number
}
