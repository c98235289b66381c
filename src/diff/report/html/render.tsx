/** Renders a diff as an HTML page: one self-contained file that loads nothing and has no script. */
import { createHash } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import { ASSETS as OF_RUN } from '../../../report/html/assets.js'
import type { Diff } from '../../types.js'
import { ASSETS } from './assets.js'
import { DiffPage } from './page.js'

/** The style sheets: that of the page of a run, and the additions for a diff. */
const STYLES = [OF_RUN['page.css'], ASSETS['diff.css']]

/** Renders a diff as an HTML page, with the table of firmware by requirement. */
export function renderDiffHtml(diff: Diff): string {
  const style = STYLES.join('\n')
  const digest = createHash('sha256').update(style).digest('base64')
  // Even if hostile text got into the page, a browser would run and load nothing.
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<DiffPage diff={diff} style={style} policy={policy} />)}\n`
}
