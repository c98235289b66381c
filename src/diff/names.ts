/** The names of facts: what was observed, a dot, and what of it. */

/** `access.no-token` and `status` of `access.no-token.status`. */
export function parts(subject: string): { first: string; last: string } {
  const dot = subject.lastIndexOf('.')
  return dot < 0 ? { first: subject, last: subject } : { first: subject.slice(0, dot), last: subject.slice(dot + 1) }
}
