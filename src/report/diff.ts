/** The reports of a diff: one {@link Diff} in; console, Markdown, HTML and JSON out. */
import { join } from 'node:path'
import type { Diff } from '../diff/types.js'
import { createFolder, writeWhole } from './write.js'

/** A format that a diff is written in. */
export interface DiffReporter {
  /** The file in the output folder; absent for the one that goes to stdout. */
  file?: { name: string; render(diff: Diff): Promise<string> }
}

/** Every format of a diff by its name. Each is loaded when it is first asked for. */
export const DIFF_REPORTERS = {
  console: {},
  markdown: {
    file: { name: 'diff.md', render: async diff => (await import('./diff-markdown.js')).renderDiffMarkdown(diff) },
  },
  html: {
    file: { name: 'diff.html', render: async diff => (await import('./html/diff-render.js')).renderDiffHtml(diff) },
  },
  json: { file: { name: 'diff.json', render: async diff => `${JSON.stringify(diff, null, 2)}\n` } },
} as const satisfies Record<string, DiffReporter>

/** A name in {@link DIFF_REPORTERS}. */
export type DiffReporterName = keyof typeof DIFF_REPORTERS

/**
 * Writes the reports that are files: all are rendered before the first is written, and each is written whole or not at all.
 * @returns the paths written
 * @throws Error that says what could not be written, where, why, and what to do
 */
export async function writeDiffReports(
  diff: Diff,
  { outDir, reporters }: { outDir: string; reporters: readonly DiffReporterName[] },
): Promise<string[]> {
  const rendered: { path: string; content: string }[] = []
  for (const name of reporters) {
    const { file }: DiffReporter = DIFF_REPORTERS[name]
    if (file) rendered.push({ path: join(outDir, file.name), content: await file.render(diff) })
  }
  if (rendered.length) await createFolder(outDir)
  for (const { path, content } of rendered) await writeWhole(path, content)
  return rendered.map(({ path }) => path)
}
