import { createHash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

interface HeadProps {
  title: string
  /** The style sheet: our own text, inserted without escaping. */
  style: string
  /** The script of the page; without one, no script runs. */
  script?: string
}

/** Returns the source by which a Content-Security-Policy allows an inline text. */
const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Renders the head of a page that loads nothing. */
export function Head({ title, style, script }: HeadProps) {
  const sources = `style-src ${source(style)};${script === undefined ? '' : ` script-src ${source(script)};`}`
  return (
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
      <title>{title}</title>
      {/* Only our own texts are inserted without escaping. */}
      <style dangerouslySetInnerHTML={{ __html: style }} />
    </head>
  )
}

/** Returns a page as the text of one self-contained file. */
export function documentOf(page: VNode): string {
  return `<!DOCTYPE html>\n${renderToString(page)}\n`
}
