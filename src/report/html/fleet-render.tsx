/** Renders the page of a fleet: one file that loads nothing, and that is readable without its script. */
import { createHash } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import type { Fleet } from '../../fleet/types.js'
import { ASSETS } from './assets.js'
import { FleetPage } from './fleet-page.js'

/** The style sheets: that of the page of a run, and the additions for a fleet. */
const STYLES = ['page.css', 'fleet.css'] as const

/** Returns the source by which a Content-Security-Policy allows an inline text. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Renders a fleet as an HTML page, with links to the pages of its Cores in the folders beside it. */
export function renderFleetHtml(fleet: Fleet): string {
  const style = STYLES.map(name => ASSETS[name]).join('\n')
  const script = ASSETS['fleet-filter.js']
  // Even if hostile text got into the page, a browser would use nothing but this style and this script.
  const policy = `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; base-uri 'none'; form-action 'none'`
  return `<!DOCTYPE html>\n${renderToString(<FleetPage fleet={fleet} style={style} script={script} policy={policy} />)}\n`
}
