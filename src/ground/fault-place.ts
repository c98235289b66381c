import { readFileSync } from 'node:fs'

const PACKED = 'dist/program.cjs'
/** In the packed file, a line before each module names it. */
const MODULE = /^ *\/\/ ((?:dist|node_modules)\/\S+)$/

/**
 * Returns the place in this program where an error was thrown, for a report of the fault.
 * @param stack the stack of the error
 * @param packed the address of the packed program
 * @returns file, line and column; for the packed program also the module
 */
export function faultPlace(stack: string, packed: URL): string {
  const [place, file, line] = /(dist\/[^\s):]+):(\d+):\d+/.exec(stack) ?? []
  if (place === undefined) return 'an unknown place'
  const module = file === PACKED ? moduleAt(packed, Number(line)) : undefined
  return module ? `${module}, ${place}` : place
}

/** Returns the module at a line of the packed program. @param line counts from 1 */
function moduleAt(packed: URL, line: number): string | undefined {
  try {
    const before = readFileSync(packed, 'latin1').split('\n', line)
    return before.reduce<string | undefined>((found, text) => MODULE.exec(text)?.[1] ?? found, undefined)
  } catch {
    return undefined
  }
}
