/** The consumers of contracts. Cheap to load, since every command's configuration needs it. */

/** What contracts demand of answers. */
export interface Demands {
  /** Demand the observed status, instead of any 2xx or any 4xx. */
  pinStatuses: boolean
  /** Demand the observed length and alphabet of tokens, instead of any text that a header can carry; default no. */
  strictToken?: boolean | undefined
  /**
   * The fields of successful answers that the client reads, by name, at any depth; `all` for every observed field; default
   * none.
   */
  fields?: readonly string[] | undefined
}

/** What is generated, and where it is written. */
export interface GenerateOptions extends Demands {
  consumers: string[]
  /** The folder, absolute or relative to the working directory; created when a contract is written. */
  dir: string
  /** Names of interactions; empty: all that the run proved. */
  interactions: string[]
}

/** Tells whether a name is usable for a consumer. It becomes part of a file name, and some systems reject a dot at the end. */
export function isConsumerName(name: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(name) && !name.includes('..')
}
