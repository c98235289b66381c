import { basename } from 'node:path'

/**
 * Names packed modules as they are called once their folder is dist/. esbuild writes the path of each module into a comment, by
 * which the place of a fault is told, and the same sources are to give the same bytes.
 * @param text what esbuild wrote
 * @param folder the folder that the modules were read from
 */
export function asDist(text, folder) {
  return text.replaceAll(`${basename(folder)}/`, 'dist/')
}
