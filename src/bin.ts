#!/usr/bin/env node
/**
 * Where the program starts: looks whether there is room to run in, before anything is loaded that would fail for want of it.
 * It imports next to nothing but Node at first, since the loader itself ends with a trace and exit 1 where it may open no more files.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { packageVersion } from './version.js'

/** The modules of the suite, four connections with their exchanges, reports and child processes. */
const FILES = 48
/** Of that, Node keeps 48 MB for what is young; a full run takes some 40 MB, and a Core may answer at length. */
const HEAP_MB = 100
/** The verdict of a run that could not be: see the README. */
const EXIT_UNTESTABLE = 3
/** Wrong usage: next to nothing of the program was compiled by then. */
const EXIT_USAGE = 2

/** Why nothing can be run here, and what to do. */
function want(): string | undefined {
  const heapMb = Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024)
  if (heapMb < HEAP_MB)
    return `Node may use ${heapMb} MB of memory here, and at least ${HEAP_MB} are needed: raise --max-old-space-size (NODE_OPTIONS), or give the machine more`
  const opened: number[] = []
  try {
    while (opened.length < FILES) opened.push(openSync(devNull, 'r'))
    return undefined
  } catch {
    return `of the ${FILES} files that are needed at the least, this process may open ${opened.length}: raise the limit (ulimit -n)`
  } finally {
    for (const file of opened) closeSync(file)
  }
}

function end(why: string): void {
  process.stderr.write(`core-conformance: ${why}\n`)
  process.exitCode = EXIT_UNTESTABLE
}

/** Tells the version where that is all that is asked for: the program need not be loaded. @returns whether that was it */
function tellVersion([word, ...more]: string[]): boolean {
  if ((word !== '--version' && word !== '-V') || more.length > 0) return false
  try {
    writeSync(process.stdout.fd, `${packageVersion()}\n`)
    return true
  } catch {
    return false // the program knows what to say of that
  }
}

const why = want()
if (why) {
  end(why)
} else if (!tellVersion(process.argv.slice(2))) {
  try {
    const { loadProgram } = await import('./packed/load.js')
    const { parts, keepCompiled } = loadProgram(process.env)
    await parts.start()
    // A container of a CI is gone after its job, and so would be what is kept there.
    if (process.argv[2] === 'run' && process.exitCode !== EXIT_USAGE && !process.env.CI) keepCompiled()
  } catch (error) {
    const { code = 'an error' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    end(`it cannot be loaded (${code}): install it again, and see that this user may read it and open files`)
  }
}
