/** The reports: one run result in; console, JUnit, JSON and HTML out. */
import { join } from 'node:path'
import type { RunResult } from '../result.js'
import { createFolder, writeWhole } from './write.js'

export { type ConsoleOptions, renderConsole } from './console.js'
export { createProgress, type Progress, type ProgressStream, type RunActivity } from './progress.js'

/** A format that a run result is written in. */
export interface Reporter {
  /** What it is for, in a few words, as `--help` shows it. */
  summary: string
  /** The file it writes in the output folder; absent for the one that goes to stdout, see `renderConsole`. */
  file?: { name: string; render(result: RunResult): Promise<string> }
}

/** Every reporter by its name. Each is loaded when it is first asked for. */
export const REPORTERS = {
  console: { summary: 'for people, to stdout' },
  junit: {
    summary: 'for CI, to junit.xml',
    file: { name: 'junit.xml', render: async result => (await import('./junit.js')).renderJunit(result) },
  },
  json: {
    summary: 'the whole run result, to result.json',
    file: { name: 'result.json', render: async result => (await import('./json.js')).renderJson(result) },
  },
  html: {
    summary: 'a page for people, to report.html',
    file: { name: 'report.html', render: async result => (await import('./html/render.js')).renderHtml(result) },
  },
} as const satisfies Record<string, Reporter>

/** A name in {@link REPORTERS}. */
export type ReporterName = keyof typeof REPORTERS

/** Where reports are written, and which. */
export interface ReportOptions {
  /** The folder, absolute or relative to the working directory; created when a file is to be written. */
  outDir: string
  reporters: readonly ReporterName[]
}

/**
 * Writes the reports that are files. All of them are rendered before the first is written, and each is written whole or not
 * at all. `console` and repeated names write nothing.
 * @returns the paths written, in the order of `reporters`
 * @throws Error that says what could not be written, where, why, and what to do
 */
export async function writeReports(result: RunResult, { outDir, reporters }: ReportOptions): Promise<string[]> {
  const rendered: { path: string; content: string }[] = []
  for (const name of new Set(reporters)) {
    const { file }: Reporter = REPORTERS[name]
    if (file !== undefined) rendered.push({ path: join(outDir, file.name), content: await file.render(result) })
  }
  if (rendered.length > 0) await createFolder(outDir)
  for (const { path, content } of rendered) await writeWhole(path, content)
  return rendered.map(({ path }) => path)
}
