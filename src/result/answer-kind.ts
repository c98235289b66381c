/**
 * Returns the kind of an expectation or answer: its status or first words, without parts that vary between exchanges, and whether
 * it opened the API. A family of which every variation got through is of the kind of a single request that did.
 */
export function answerKind(text = ''): string {
  const [, ofEach] = /^each of \d+ (?:variations?|rows?) of [^:]+: (.+)$/s.exec(text) ?? []
  if (ofEach !== undefined) return answerKind(ofEach)
  const [, , every] = /^(\d+) of \1 got through: [^()]*\((\d{3})\b/.exec(text) ?? []
  const [status = every] = /^\d{3}\b/.exec(text) ?? []
  const isOpen = every !== undefined || text.includes('as a fresh token gets') || text.includes('with a token')
  return `${status ?? text.replace(/[:(,].*$/s, '').replace(/\d+/g, '#')}${isOpen ? ', accepted' : ''}`
}
