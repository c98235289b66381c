/** Reads the table `states` of the configuration file: the meanings of a team's own words for provider states. */
import { MEANINGS, type Meaning, normalized, VALUES, type Value } from '../pact/read/meanings.js'
import { hint, type Problem, SuiteError } from '../suite/problem.js'

/**
 * States by words. The value is a state, or a list of meanings. Of a list, the first meaning counts whose parameters
 * all come with the words.
 */
export type StateTable = Record<
  string,
  string | { params?: Record<string, unknown>; means: string; gives?: Record<string, string> }[]
>

/**
 * Reads the table.
 * @param problemAt makes a problem of a place in the table and a message
 * @returns the meanings by normalized words
 * @throws SuiteError with every unknown name, and every repeated key
 */
export function statesOf(
  table: StateTable,
  problemAt: (path: (string | number)[], message: string) => Problem,
): Map<string, Meaning[]> {
  const problems: Problem[] = []
  const states = new Map<string, Meaning[]>()
  for (const [words, given] of Object.entries(table)) {
    const wrong = (path: (string | number)[], message: string) => problems.push(problemAt([words, ...path], message))
    const stateOf = (text: string, ...path: (string | number)[]) => {
      const state = normalized(text)
      if (!MEANINGS.includes(state))
        wrong(path, `'${text}' is no state that can be brought about${hint(state, MEANINGS)}`)
      return state
    }
    const valueNamed = (text: string, ...path: (string | number)[]): Value => {
      const value = VALUES.find(each => each === text)
      if (!value) wrong(path, `'${text}' is nothing that a state brings: it brings ${VALUES.join(', ')}`)
      return value ?? 'token'
    }
    const meanings =
      typeof given === 'string'
        ? [{ state: stateOf(given), params: {}, gives: {} }]
        : given.map(({ means, params = {}, gives = {} }, index) => ({
            state: stateOf(means, index, 'means'),
            params,
            gives: Object.fromEntries(
              Object.entries(gives).map(([name, value]) => [name, valueNamed(value, index, 'gives', name)]),
            ),
          }))
    if (states.has(normalized(words)))
      wrong([], `'${words}' stands here twice: neither capital letters nor spaces count`)
    states.set(normalized(words), meanings)
  }
  if (problems.length) throw new SuiteError(problems)
  return states
}
