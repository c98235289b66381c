import { readFileSync } from 'node:fs'

const PACKED = 'dist/program.cjs'
/** In the packed file, a line before each module names it. */
const MODULE = /^ *\/\/ ((?:dist|node_modules)\/\S+)$/

/**
 * Where in this program an error was thrown, for whoever reports it.
 * @param stack as the error tells it
 * @param packed where the packed program is
 * @returns file, line and column; of the packed program the module, too
 */
export function faultPlace(stack: string, packed: URL): string {
  const [place, file, line] = /(dist\/[^\s):]+):(\d+):\d+/.exec(stack) ?? []
  if (place === undefined) return 'an unknown place'
  const module = file === PACKED ? moduleAt(packed, Number(line)) : undefined
  return module ? `${module}, ${place}` : place
}

/** @param line of the packed program, counted from 1 */
function moduleAt(packed: URL, line: number): string | undefined {
  try {
    const before = readFileSync(packed, 'latin1').split('\n', line)
    return before.reduce<string | undefined>((found, text) => MODULE.exec(text)?.[1] ?? found, undefined)
  } catch {
    return undefined
  }
}
