/** Takes the names of facts apart. A name is the thing observed, a dot, and the part of it. */

/** Splits `access.no-token.status` into `access.no-token` and `status`. A name without a dot is both. */
export function parts(subject: string): { first: string; last: string } {
  const dot = subject.lastIndexOf('.')
  return dot < 0 ? { first: subject, last: subject } : { first: subject.slice(0, dot), last: subject.slice(dot + 1) }
}
