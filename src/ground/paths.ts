import { isAbsolute, relative, resolve, sep } from 'node:path'

/** Whether a path is a folder, or leads to something in it. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
