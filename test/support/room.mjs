/**
 * Runs test files in this process, one after another. Each file has a temporary folder of its own, and tells its own counts.
 * Arguments: what to write before each file, and after the last; then a folder and a file, and so on.
 */
import { pathToFileURL } from 'node:url'

// Else uvu runs by itself what is imported.
globalThis.UVU_DEFER = 1
const { exec } = await import('uvu')
const [begins, ends, ...places] = process.argv.splice(2)
for (let at = 0; at < places.length; at += 2) {
  const [folder, file] = places.slice(at, at + 2)
  process.stdout.write(begins)
  process.env.TMPDIR = folder
  process.argv[1] = file
  globalThis.UVU_QUEUE.splice(0, Number.POSITIVE_INFINITY, [null])
  await import(pathToFileURL(file).href)
  await exec()
  // The next one begins without it.
  if (at + 2 < places.length) process.exitCode = 0
}
process.stdout.write(ends)
