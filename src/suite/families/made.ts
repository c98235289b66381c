/** What variations are made of and what they are: shared by the generators of families. */

/** What a generator has to work with, all of the run at hand. */
export interface Material {
  /** The token that the step names; empty where it names none. */
  token: string
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
 * A variation that a generator made: what goes on the wire in the place of what the step says, as it is, with no variables in
 * it. An absent part stays as the step has it.
 */
export interface Made {
  /** Says what it is, the same in every run of the same Core; no secret is in it. */
  name: string
  /** What stands after `Bearer ` in the Authorization header. */
  token?: string
  path?: string
  headers?: Record<string, string>
  /** A text is sent as it is. */
  body?: string
  /** What is in it that nobody is to read: what is made of the password. */
  secrets?: string[]
}

/** Makes variations, the most telling first. Pure: the same material gives the same ones. */
export type Generator = (material: Material) => Made[]
