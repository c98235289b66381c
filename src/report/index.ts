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

/**
 * Writes the reports that are files. All of them are rendered before the first is written, and each is written whole or not
 * at all; then GitHub is told. `console` and repeated names write nothing.
 * @returns the paths written, in the order of `reporters`
 * @throws Error that says what could not be written, where, why, and what to do
 */
export async function writeReports(
  result: RunResult,
  { outDir, reporters, pipe, github }: ReportOptions,
): Promise<string[]> {
  const rendered: { path: string; content: string }[] = []
  const piped: string[] = []
  for (const name of new Set(reporters)) {
    const { file, forPipes }: Reporter = REPORTERS[name]
    if (file === undefined) continue
    const content = await file.render(result)
    if (forPipes && pipe && !reporters.includes('console')) piped.push(content)
    else rendered.push({ path: join(outDir, file.name), content })
  }
  if (rendered.length > 0) await createFolder(outDir)
  for (const { path, content } of rendered) await writeWhole(path, content)
  for (const content of piped) pipe?.(content)
  if (github && reporters.includes('github')) {
    const { annotations, writeSummary } = await import('./github.js')
    github.command(annotations(result))
    if (github.summaryFile !== undefined) await writeSummary(result, github.summaryFile)
  }
  return rendered.map(({ path }) => path)
}
