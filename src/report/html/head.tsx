interface HeadProps {
  title: string
  /** The style sheet: our own text, inserted without escaping. */
  style: string
  /** The Content-Security-Policy: the page loads nothing, and only our script runs. */
  policy: string
}

/** Renders the head of a page that loads nothing. */
export function Head({ title, style, policy }: HeadProps) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={policy} />
      <meta name="generator" content="core-conformance" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      {/* Only our own texts are inserted without escaping. */}
      <style dangerouslySetInnerHTML={{ __html: style }} />
    </head>
  )
}
