/**
 * Returns the kind of an expectation or answer: its status or first words, without parts that vary between exchanges, and whether
 * it opened the API.
 */
export function answerKind(text = ''): string {
  const [status] = /^\d{3}\b/.exec(text) ?? []
  const isOpen = text.includes('as a fresh token gets') || text.includes('with a token')
  return `${status ?? text.replace(/[:(,].*$/s, '').replace(/\d+/g, '#')}${isOpen ? ', accepted' : ''}`
}
