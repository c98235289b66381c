interface HeadProps {
  title: string
  /** The style sheet: our own text, put in as it is. */
  style: string
  /** The Content-Security-Policy: nothing is loaded, and no script runs but ours. */
  policy: string
}

/** The head of a page that loads nothing. */
export function Head({ title, style, policy }: HeadProps) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      {/* Only our own texts are put in as they are: everything else is escaped. */}
      <style dangerouslySetInnerHTML={{ __html: style }} />
    </head>
  )
}
