/** The reports: one run result in; one file, or one text, out of each. */
import { join } from 'node:path'
import type { RunResult } from '../result.js'
import { createFolder, writeWhole } from './write.js'

export type { RunActivity } from './activity.js'
export { type ConsoleOptions, renderConsole } from './console.js'
export { createProgress, type Progress, type ProgressStream } from './progress.js'

/** A format that a run result is written in. */
export interface Reporter {
  /** What it is for, in a few words, as `--help` shows it. */
  summary: string
  /** The file it writes in the output folder; absent for what goes elsewhere, see `renderConsole` and `github.ts`. */
  file?: { name: string; render(result: RunResult): Promise<string> }
  /** Whether it goes to stdout instead of its file where `console` does not. */
  forPipes?: true
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
  ctrf: {
    summary: 'for CI and dashboards, to ctrf.json',
    file: { name: 'ctrf.json', render: async result => (await import('./ctrf.js')).renderCtrf(result) },
  },
  github: { summary: 'the step summary and annotations of GitHub Actions' },
  markdown: {
    summary: 'for release notes, to report.md',
    file: { name: 'report.md', render: async result => (await import('./markdown.js')).renderMarkdown(result) },
  },
  badge: {
    summary: 'the verdict as an image, to badge.svg',
    file: { name: 'badge.svg', render: async result => (await import('./badge.js')).renderBadge(result) },
  },
  tap: {
    summary: 'for pipes: TAP 14, to stdout, or with console to tap.txt',
    file: { name: 'tap.txt', render: async result => (await import('./tap.js')).renderTap(result) },
    forPipes: true,
  },
} as const satisfies Record<string, Reporter>

/** A name in {@link REPORTERS}. */
export type ReporterName = keyof typeof REPORTERS

/** Where reports are written, and which. */
export interface ReportOptions {
  /** The folder, absolute or relative to the working directory; created when a file is to be written. */
  outDir: string
  reporters: readonly ReporterName[]
  /** Takes what goes to stdout where `console` does not; without it, that is written as a file too. */
  pipe?(text: string): void
  /** Where `github` writes; without it, it writes nothing. */
  github?: { summaryFile: string | undefined; command(text: string): void }
}

/** What became of the reports. */
export interface Written {
  /** The paths written, in the order of `reporters`. */
  paths: string[]
  /** For each that is missing, in one sentence what could not be made or written, where, why, and what to do. */
  problems: string[]
}

/**
 * Writes the reports that are files, each whole or not at all, then tells the pipe and GitHub. One that cannot be written
 * keeps no other from it. `console` and repeated names write nothing.
 */
export async function writeReports(
  result: RunResult,
  { outDir, reporters, pipe, github }: ReportOptions,
): Promise<Written> {
  const paths: string[] = []
  const problems: string[] = []
  const attempt = (name: ReporterName, make: () => Promise<void>) =>
    make().catch(error => {
      const problem = problemOf(name, error)
      // What keeps all from being written, such as a missing folder, is told once.
      if (!problems.includes(problem)) problems.push(problem)
    })
  for (const name of new Set(reporters)) {
    const { file, forPipes }: Reporter = REPORTERS[name]
    if (file === undefined) continue
    await attempt(name, async () => {
      const content = await file.render(result)
      if (forPipes && pipe && !reporters.includes('console')) return pipe(content)
      const path = join(outDir, file.name)
      await createFolder(outDir)
      await writeWhole(path, content)
      paths.push(path)
    })
  }
  if (github && reporters.includes('github')) {
    const { command, summaryFile } = github
    const { annotations, writeSummary } = await import('./github.js')
    await attempt('github', async () => command(annotations(result)))
    if (summaryFile !== undefined) await attempt('github', () => writeSummary(result, summaryFile))
  }
  return { paths, problems }
}

/** Ours say what to do next; an error of the language is a fault of this program, and its message may quote anything. */
function problemOf(name: ReporterName, error: unknown): string {
  if (error instanceof Error && error.constructor === Error) return error.message
  const kind = error instanceof Error ? error.name : typeof error
  return `Cannot make the report ${name}: a fault of core-conformance itself (${kind}); please report it with result.json.`
}
