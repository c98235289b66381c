/** Over how long a Core may count logons, in milliseconds: a few in some seconds, or more in a minute. */
export const LOGON_SPANS_MS = [1000, 2000, 3000, 4000, 5000, 8000, 10_000, 15_000, 30_000, 60_000]
