/** Reads the selectors of consumer versions. */

/** A consumer version selector in the form of the broker. */
export type Selector = Readonly<Record<string, string | true>>

const WORDS: Record<string, Selector> = {
  main: { mainBranch: true },
  matching: { matchingBranch: true },
  deployed: { deployed: true },
  released: { released: true },
  'deployed-or-released': { deployedOrReleased: true },
  latest: { latest: true },
}

/** The spellings of selectors. */
export const SELECTORS: readonly string[] = [...Object.keys(WORDS), 'branch=NAME', 'environment=NAME', 'tag=NAME']

/**
 * Reads a selector such as `deployed` or `branch=feat consumer=web-app`.
 * @returns undefined when it is not a selector
 */
export function selectorOf(text: string): Selector | undefined {
  const [first = '', ...rest] = text.trim().split(/\s+/)
  const [, key, name = ''] = /^(branch|environment|tag)=(.+)$/.exec(first) ?? []
  // Without `latest`, a tag means every version that has it.
  const selector = WORDS[first] ?? (key && { [key]: name, ...(key === 'tag' && { latest: true as const }) })
  if (!selector) return undefined
  const [consumer, ...more] = rest.map(part => /^consumer=(.+)$/.exec(part)?.[1])
  if (more.length || (rest.length && consumer === undefined)) return undefined
  return { ...selector, ...(consumer !== undefined && { consumer }) }
}
