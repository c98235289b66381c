/** What the generators of families share. */

/** The material of a generator, from the present run. */
export interface Material {
  /** The token that the step names; empty where it names none. */
  token: string
  /** Its place among the tokens of the run, from 0. */
  place: number
  username: string
  password: string
  /** The path of the step's request, without its query. */
  path: string
  /** `host:port` of the Core. */
  authority: string
  /** The cookies that the token's logon set, `name=value` each; empty for none. */
  cookies: readonly string[]
}

/**
 * A variation that a generator made. Its parts replace those of the step, and are sent unchanged, without variables.
 * Where a part is absent, the step's own is sent.
 */
export interface Made {
  /** Its description, the same in every run on the same Core. It contains no secret. */
  name: string
  /** The text after `Bearer ` in the Authorization header. */
  token?: string
  method?: string
  http?: '1.0'
  connection?: 'new'
  path?: string
  headers?: Record<string, string>
  /** A text, sent as it is. */
  body?: string
  /** Its secrets: texts made from the password. */
  secrets?: string[]
}

/** Makes variations, the most telling first. The same material always gives the same variations. */
export type Generator = (material: Material) => Made[]

/** Returns the first of several variations that have a key in common. @param known keys that none may have */
export function distinct(made: readonly Made[], keysOf: (each: Made) => string[], known: string[] = []): Made[] {
  const seen = new Set(known)
  return made.filter(each => {
    const keys = keysOf(each)
    const isKnown = keys.some(key => seen.has(key))
    for (const key of keys) seen.add(key)
    return !isKnown
  })
}
