/** The HTML report: one file that needs nothing else, and no script to be read. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { renderToString } from 'preact-render-to-string'
import type { RunResult } from '../../result.js'
import { Page } from './page.js'

/** A file that stands beside this module. */
const asset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** How a Content-Security-Policy names an inline text that may be used. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * The run result as an HTML page: one self-contained file that loads nothing, with its exchanges as inert text. Bodies are
 * shortened where there are so many that the page would grow beyond a few megabytes.
 */
export function renderHtml(result: RunResult): string {
  const style = asset('page.css')
  const script = asset('filter.js')
  // Whatever the page might be made to hold, a browser runs and loads nothing but these two texts.
  const policy = `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<Page result={result} style={style} script={script} policy={policy} />)}\n`
}
