/**
 * Secrets shorter than this are hidden only where they stand as a word of their own, else they would blot out everything.
 * Of the others, this many characters are enough to look them up.
 */
const SHORT = 4

/** Fewer characters of the inside of a base64 text are no trace of anything. */
const LEAST_INSIDE = 6

/** The beginning of a secret that a text ends with is hidden from so many characters on. */
const LEAST_BEGINNING = { whole: 12, cut: 8 }

/** So far from the end of a text its beginning is looked for. */
const FARTHEST = 4096

/**
 * The one choke point for secrets: passwords and tokens are told to it when they come up, and every text that is about to
 * be written or printed goes through it. It hides them by value, also in their URL-, JSON-, HTML-, base64- and hex-encoded
 * forms, in base64 also as a part of something longer.
 */
export class Redactor {
  private readonly labels = new Map<string, string>()
  /** Forms that are hidden anywhere. A regular expression of that many would be too large. */
  private readonly long = new Set<string>()
  /** Their lengths, longest first, by their first characters. */
  private readonly lengths = new Map<string, number[]>()
  /** The length of the longest. */
  private longest = 0
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

  /**
   * The text without secrets. Those that overlap go together, and what ends with the beginning of one ends before it.
   * @param isCut whether it is known to have been longer, so that a few characters of a secret are one
   */
  text(text: string, isCut = false): string {
    const parts: string[] = []
    let done = 0
    let until = 0
    for (const { start, end, form } of [...this.find(text), ...this.findBeginning(text, isCut)]) {
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
    this.longest = Math.max(this.longest, form.length)
    const start = form.slice(0, SHORT)
    const lengths = this.lengths.get(start) ?? []
    if (!lengths.includes(form.length))
      this.lengths.set(
        start,
        [...lengths, form.length].sort((a, b) => b - a),
      )
  }

  /** Where the longest beginning of a secret stands that the text ends with; nothing where there is none. */
  private findBeginning(text: string, isCut: boolean): { start: number; end: number; form: string }[] {
    const end = text.length
    const least = (form: string) =>
      isCut ? Math.max(SHORT, Math.min(LEAST_BEGINNING.cut, Math.ceil(form.length / 2))) : LEAST_BEGINNING.whole
    const fewest = isCut ? SHORT : LEAST_BEGINNING.whole
    for (let start = Math.max(0, end - Math.min(this.longest, FARTHEST)); start + fewest <= end; start++) {
      const [most = 0] = this.lengths.get(text.slice(start, start + SHORT)) ?? []
      const length = end - start
      if (most <= length) continue
      const beginning = text.slice(start)
      for (const form of this.long) {
        if (form.length > length && length >= least(form) && form.startsWith(beginning)) return [{ start, end, form }]
      }
    }
    return []
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

/** What is left as it is beside letters and digits, by different libraries. */
const KEPT_IN_URLS = ["-_.!~*'()", '-_.~', '*-._', '-_.~/', "-_.!~*'();/?:@&=+$,#"]

/** The characters that HTML and XML escape, as different libraries write them. */
const ENTITIES: Record<string, string>[] = [
  { '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' },
]

function formsOf(secret: string): Set<string> {
  // A request body may be told within a JSON string, that on a page, and the whole in a URL or in base64.
  const once = escaped([secret])
  const twice = escaped(once)
  return new Set([...twice, ...nested(secret), ...once.flatMap(text => [...urlsOf(text), ...codesOf(text)])])
}

/** A text as it stands in JSON that is told in JSON that is told in JSON, for all that log what they answer. */
function nested(text: string): string[] {
  const forms = [text]
  while (forms.length <= 4) forms.push(JSON.stringify(forms.at(-1)).slice(1, -1))
  return forms
}

/** Texts with what JSON and HTML make of them; each once. */
function escaped(texts: string[]): string[] {
  const all = texts.flatMap(text => {
    const json = JSON.stringify(text).slice(1, -1)
    const ascii = json.replace(/[^ -~]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const jsons = [json, ascii, ascii.replace(/\\u..../g, code => `\\u${code.slice(2).toUpperCase()}`)]
    const html = ENTITIES.map(entities => text.replace(/[&<>"']/g, character => entities[character] ?? character))
    return [text, ...jsons, ...jsons.map(each => each.replaceAll('/', '\\/')), ...html]
  })
  return [...new Set(all)]
}

/** A text in URLs and forms. */
function urlsOf(text: string): string[] {
  return KEPT_IN_URLS.map(kept => percentEncoded(text, kept)).flatMap(url => [
    url,
    lower(url, /%../g),
    url.replaceAll('%20', '+'),
  ])
}

/** A text in base64 and hex. */
function codesOf(text: string): string[] {
  const bytes = Buffer.from(text)
  return [
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    // Within something longer, such as name and password of the scheme Basic.
    ...[0, 1, 2].flatMap(shift => insideBase64(bytes, shift)),
  ]
}

/** A text in a URL or a form, where nothing is left as it is but letters, digits and `kept`. */
function percentEncoded(text: string, kept: string): string {
  const code = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return text.replace(/[^A-Za-z0-9]/gu, character =>
    kept.includes(character) ? character : Array.from(Buffer.from(character), code).join(''),
  )
}

/**
 * What of base64 text depends on nothing but these bytes.
 * @param shift how many bytes before them belong to the same group of three
 */
function insideBase64(bytes: Buffer, shift: number): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const inside = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
  return inside.length < LEAST_INSIDE ? [] : [inside, inside.replaceAll('+', '-').replaceAll('/', '_')]
}

function lower(text: string, pattern: RegExp): string {
  return text.replace(pattern, code => code.toLowerCase())
}
