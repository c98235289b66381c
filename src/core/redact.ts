/**
 * Secrets shorter than this are hidden only where they stand as a word of their own, else they would blot out everything.
 * Of the others, this many characters are enough to look them up.
 */
const SHORT = 4

/**
 * The one choke point for secrets: passwords and tokens are told to it when they come up, and every text that is about to
 * be written or printed goes through it. It hides them by value, also in their URL-, JSON-, base64- and hex-encoded forms.
 */
export class Redactor {
  private readonly labels = new Map<string, string>()
  /** Forms that are hidden anywhere. A regular expression of that many would be too large. */
  private readonly long = new Set<string>()
  /** Their lengths, longest first, by their first characters. */
  private readonly lengths = new Map<string, number[]>()
  /** Forms that are hidden only as words. */
  private readonly words = new Set<string>()
  /** Told of each value that was not known before. */
  onNew: (secret: string, label: string) => void = () => {}

  /** Hides this value from now on, as `[label]`. A value that is known keeps its first label. */
  hide(secret: string, label: string): void {
    if (!secret) return
    if (!this.labels.has(secret)) this.onNew(secret, label)
    for (const form of formsOf(secret)) {
      if (this.labels.has(form)) continue
      this.labels.set(form, `[${label}]`)
      if (secret.length < SHORT) this.words.add(form)
      else this.addLong(form)
    }
  }

  /** The text without secrets. Those that overlap go together. */
  text(text: string): string {
    const parts: string[] = []
    let done = 0
    let until = 0
    for (const { start, end, form } of this.find(text)) {
      if (start >= until) {
        parts.push(text.slice(done, start), this.labels.get(form) ?? '')
        until = start
      }
      done = until = Math.max(until, end)
    }
    return parts.length ? parts.join('') + text.slice(done) : text
  }

  private addLong(form: string): void {
    this.long.add(form)
    const start = form.slice(0, SHORT)
    const lengths = this.lengths.get(start) ?? []
    if (!lengths.includes(form.length))
      this.lengths.set(
        start,
        [...lengths, form.length].sort((a, b) => b - a),
      )
  }

  /** Where secrets stand in a text, in the order of their starts; at each, the longest. */
  private find(text: string): { start: number; end: number; form: string }[] {
    const found: { start: number; end: number; form: string }[] = []
    for (let start = 0; this.long.size > 0 && start + SHORT <= text.length; start++) {
      const lengths = this.lengths.get(text.slice(start, start + SHORT)) ?? []
      const length = lengths.find(candidate => this.long.has(text.slice(start, start + candidate)))
      if (length) found.push({ start, end: start + length, form: text.slice(start, start + length) })
    }
    for (const form of this.words) {
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
        const end = start + form.length
        const isWord = !/[A-Za-z0-9]/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`)
        if (isWord) found.push({ start, end, form })
      }
    }
    return this.words.size > 0 ? found.sort((a, b) => a.start - b.start || b.end - a.end) : found
  }
}

function formsOf(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  // By way of the bytes, since half a surrogate pair cannot be encoded.
  const encoded = encodeURIComponent(bytes.toString())
  const strict = encoded.replace(/[!'()*]/g, code => `%${code.charCodeAt(0).toString(16).toUpperCase()}`)
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const forms = [
    secret,
    ...[encoded, strict].flatMap(url => [url, lower(url, /%../g), url.replaceAll('%20', '+')]),
    ...[json, ascii, ascii.replace(/\\u..../g, code => `\\u${code.slice(2).toUpperCase()}`)].flatMap(text => [
      text,
      text.replaceAll('/', '\\/'),
    ]),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
  return new Set(forms)
}

function lower(text: string, pattern: RegExp): string {
  return text.replace(pattern, code => code.toLowerCase())
}
