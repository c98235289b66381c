/** For whom contracts are written; cheap to load, since every command's configuration needs it. */

/** What is generated, and where to. */
export interface GenerateOptions {
  consumers: string[]
  /** The folder, absolute or relative to the working directory; created when a contract is written. */
  dir: string
  /** Names of interactions; empty: all that the run proved. */
  interactions: string[]
  /** Hold answers to the status that was seen, instead of to any 2xx or any 4xx. */
  pinStatuses: boolean
  /** Hold tokens to the length and alphabet seen, instead of to a text that a header can carry; default no. */
  strictToken?: boolean
  /** The fields of successful answers that the client reads, by name, at whatever depth; `all` for every one seen; default none. */
  fields?: readonly string[]
}

/** The file of a consumer's contract with a Core. */
export function fileName(consumer: string): string {
  return `${consumer}-core.json`
}

/**
 * Whether a name can be one of a consumer: it becomes a part of a file name, also on systems that do not take a dot at an
 * end.
 */
export function isConsumerName(name: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(name) && !name.includes('..')
}
