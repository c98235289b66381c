/**
 * Starts the program. First checks that there are enough memory and file descriptors to run. This file imports almost nothing
 * but Node: where no more files can be opened, the module loader itself fails with a stack trace and exit code 1.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { optimizeLater } from './ground/optimize-later.js'

/** File descriptors needed: for the modules of the suite, four connections, reports and child processes. */
const FILES = 48
/** Heap needed for objects that stay, in megabytes: a full run takes some 45 MB, and answers may be long. */
const HEAP_MB = 52
/** Exit code for a run that is not possible: see the README. */
const EXIT_UNTESTABLE = 3
/** Exit code for wrong usage. Hardly any code was compiled by then, so there is nothing to keep. */
const EXIT_USAGE = 2

/**
 * Returns how much heap objects that stay may take, in megabytes. The limit that V8 tells includes the space of young objects, which differs
 * between its versions (48 to 192 MB). A flag that bounds the others says more, the last one where there are several.
 */
function heapLimitMb(): number {
  const limitMb = Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024)
  const flags = `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`
  const given = [...flags.matchAll(/--max[-_]old[-_]space[-_]size=(\d+)/g)].at(-1)?.[1]
  return Math.min(limitMb, Number(given ?? limitMb))
}

/** Returns why the program cannot run here, and what to do; undefined where it can. */
function shortage(): string | undefined {
  const heapMb = heapLimitMb()
  if (heapMb < HEAP_MB)
    return `Node may use ${heapMb} MB of memory here, and at least ${HEAP_MB} are needed: raise --max-old-space-size (NODE_OPTIONS), or give the machine more`
  const opened: number[] = []
  try {
    while (opened.length < FILES) opened.push(openSync(devNull, 'r'))
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ACCESS_DENIED')
      return 'Node may not read files (--permission): start it with --allow-fs-read=*, or without --permission'
    return `this process may open ${opened.length} files, and at least ${FILES} are needed: raise the limit (ulimit -n)`
  } finally {
    for (const file of opened) closeSync(file)
  }
}

function end(why: string): void {
  process.stderr.write(`core-conformance: ${why}\n`)
  process.exitCode = EXIT_UNTESTABLE
}

/** Starts the program, where there is room for it. Never throws. */
export async function startProgram(): Promise<void> {
  const why = shortage()
  if (why) return end(why)
  try {
    optimizeLater()
    const { loadProgram } = await import('./packed.js')
    const { parts, keepCompiled } = loadProgram(process.env)
    await parts.start()
    // A CI container is removed after its job, and compiled code with it.
    if (process.argv[2] === 'run' && process.exitCode !== EXIT_USAGE && !process.env.CI) keepCompiled()
  } catch (error) {
    const { code = 'an error' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    end(`it cannot be loaded (${code}): install it again, and see that this user may read it and open files`)
  }
}
