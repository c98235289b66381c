/** A diff as an HTML page: one self-contained file that loads nothing and has no script. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { renderToString } from 'preact-render-to-string'
import type { Diff } from '../../diff/types.js'
import { DiffPage } from './diff-page.js'

/** The look of the page of a run, and what a diff has beside it. */
const STYLES = ['page.css', 'diff.css']

/** A diff as an HTML page, with the matrix of firmware and requirement. */
export function renderDiffHtml(diff: Diff): string {
  const style = STYLES.map(name => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n')
  const digest = createHash('sha256').update(style).digest('base64')
  // Whatever the page might be made to hold, a browser runs and loads nothing.
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<DiffPage diff={diff} style={style} policy={policy} />)}\n`
}
