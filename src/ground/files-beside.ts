import { readFileSync } from 'node:fs'

/**
 * Reads text files that stand beside a module.
 * @param module the URL of the module
 * @returns the texts by file name
 */
export function filesBeside<const Name extends string>(module: string, names: readonly Name[]): Record<Name, string> {
  const texts = names.map(name => [name, readFileSync(new URL(name, module), 'utf8')])
  return Object.fromEntries(texts) as Record<Name, string>
}
