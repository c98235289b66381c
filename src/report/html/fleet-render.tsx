/** The page of a fleet: one file that loads nothing, and no script is needed to read it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { renderToString } from 'preact-render-to-string'
import type { Fleet } from '../../fleet/types.js'
import { FleetPage } from './fleet-page.js'

/** The look of the page of a run, and what a fleet has beside it. */
const STYLES = ['page.css', 'fleet.css']

/** A file that stands beside this module. */
const asset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** How a Content-Security-Policy names an inline text that may be used. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** A fleet as an HTML page, with links into the pages of its Cores, which stand in folders beside it. */
export function renderFleetHtml(fleet: Fleet): string {
  const style = STYLES.map(asset).join('\n')
  const script = asset('fleet-filter.js')
  // Whatever the page might be made to hold, a browser runs and loads nothing but these two texts.
  const policy = `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<FleetPage fleet={fleet} style={style} script={script} policy={policy} />)}\n`
}
