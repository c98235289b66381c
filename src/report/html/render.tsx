/** Renders the HTML report: one self-contained file, readable without its script. */
import { createHash } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import type { RunResult } from '../../result.js'
import { ASSETS } from './assets.js'
import { Page } from './page.js'

/** Returns the source by which a Content-Security-Policy allows an inline text. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Renders the run result as an HTML page: one self-contained file that loads nothing. Exchanges are inert text. Bodies are
 * shortened, so that the page stays below a few megabytes.
 */
export function renderHtml(result: RunResult): string {
  const { 'page.css': style, 'filter.js': script } = ASSETS
  // Even if hostile text got into the page, a browser would use nothing but this style and this script.
  const policy = `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<Page result={result} style={style} script={script} policy={policy} />)}\n`
}
