/** For whom contracts are written; cheap to load, since every command's configuration needs it. */

/** What is generated, and where to. */
export interface GenerateOptions {
  consumers: string[]
  /** The folder, absolute or relative to the working directory; created when a contract is written. */
  dir: string
  /** Names of interactions; empty: all that the run proved. */
  interactions: string[]
  /** Hold refusals to the status that was seen, instead of to any 4xx. */
  pinStatuses: boolean
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
