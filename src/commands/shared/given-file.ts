import { ConfigError } from '../../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { systemReason } from '../../suite/problem.js'

/**
 * Reads a file that the user names.
 * @param cannot how the message begins: `--key: attest.key cannot be used`
 * @throws ConfigError for a file that cannot be read
 */
export function givenFile(path: string, cannot: string): Buffer {
  try {
    return readRegular(path, MOST_FILE_BYTES)
  } catch (error) {
    const why = error instanceof Unreadable ? `it ${error.message}` : systemReason(error, 'file')
    throw new ConfigError(`${cannot}: ${why}`)
  }
}
