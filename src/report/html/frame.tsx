/** The frame that all pages share. */
import { createHash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type Report, textOf } from '../blocks.js'
import { ASSETS } from './assets.js'
import { Blocks, isEmpty } from './blocks.js'
import { classOf, Section } from './parts.js'
import { shown, unbroken } from './text.js'

/** Returns the source by which a Content-Security-Policy allows an inline text. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The parts of a page that are not blocks. */
export interface PageParts {
  title: string
  /** Whether the page has the script of its filter; else no script runs. */
  hasScript?: true
  /** The class of the body. */
  class?: string
  /** Sections with components of their own, after the others. */
  more?: readonly { id: string; title: string; heading?: string; class?: string; shown: VNode }[]
  /** What the page was made of, in a sentence. */
  footer: string
}

/** Renders the report of a subject as a page that loads nothing. */
export function renderPage({ kicker, verdict, head, sections }: Report, parts: PageParts): string {
  const { title, hasScript, footer, more = [], class: name } = parts
  const script = hasScript && ASSETS['script.js']
  const style = ASSETS['page.css'] ?? ''
  const sources = `style-src ${source(style)};${script === undefined ? '' : ` script-src ${source(script)};`}`
  const { mark, text, tone, limits = [] } = verdict
  const own = sections.flatMap(block =>
    'section' in block && block.id !== undefined && !isEmpty(block)
      ? [{ id: block.id, title: textOf(block.section) }]
      : [],
  )
  const named = [...own, ...more]
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        {/* Even if hostile text got into the page, a browser would use nothing but this style and this script. */}
        <meta
          http-equiv="Content-Security-Policy"
          content={`default-src 'none'; ${sources} base-uri 'none'; form-action 'none'`}
        />
        <meta name="generator" content="core-conformance" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{shown(title, 200)}</title>
        {/* Only our own texts are inserted without escaping. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body class={name}>
        <a class="skip" href="#main">
          Skip to the report
        </a>
        <header class={`summary ${classOf(tone)}`}>
          <p class="kicker">{kicker}</p>
          <h1>
            <span class="verdict">
              <span aria-hidden="true">{mark}</span> {text}
            </span>
            {limits.length > 0 && <span class="scope">{unbroken(shown(limits.join(', '), 300))}</span>}
          </h1>
          <Blocks blocks={head} />
        </header>
        {named.length > 1 && (
          <nav aria-label="Sections">
            <ul>
              {named.map(each => (
                <li key={each.id}>
                  <a href={`#${each.id}`}>{shown(each.title, 60)}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <main id="main">
          <Blocks blocks={sections} />
          {more.map(({ id, title, heading = title, class: name, shown }) => (
            <Section key={id} id={id} title={heading} class={name}>
              {shown}
            </Section>
          ))}
        </main>
        <footer>
          <p>{footer}</p>
        </footer>
        {script !== undefined && <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  )
  return `<!DOCTYPE html>\n${renderToString(page)}\n`
}
