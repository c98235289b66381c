import type { Callback } from 'uvu'

/** Whether tests that take long are left out. */
export const isShort = process.env.TESTS === 'short'

/**
 * Marks tests that take more than some 0.8 s of processor time: `long(test)('name', …)`. `npm test` leaves them out, so that the
 * loop of a change stays short. `npm test -- --all`, which CI calls, and `npm test -- NAME` run them too. Each file keeps a test
 * that is not marked: a file that reports no tests fails.
 */
export function long<T>(test: (name: string, run: Callback<T>) => void): typeof test {
  return isShort ? () => {} : test
}
