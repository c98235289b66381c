import type { Callback, Test } from 'uvu'

/**
 * Skips a test, or all tests of a file, where this machine lacks something. The test command shows the reason and counts a skip;
 * a skip without a reason fails.
 * @param reason what is skipped, and why
 */
export function skip<T>(test: Test<T>, reason: string): void {
  process.stdout.write(`skipped: ${reason}\n`)
  // uvu takes no name here, and only counts.
  test.skip()
}

/**
 * Marks tests of something that a machine may lack: `needs(test, hasPython, 'there is no python3')('name', …)`.
 * @param isThere whether this machine has it
 * @param why why the tests are skipped where it has not
 */
export function needs<T>(test: Test<T>, isThere: boolean, why: string): (name: string, run: Callback<T>) => void {
  return isThere ? test : name => skip(test, `${name}: ${why}`)
}
