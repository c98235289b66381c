import { formsOf } from './secret-forms.js'
import { hashOf, TextHash } from './text-hash.js'
import { isPlain, LONGEST_RUN, TOKEN_RUN } from './token-like.js'

/**
 * Secrets shorter than this are hidden only where they stand as a word of their own, else they would blot out everything.
 * Of the others, this many characters are enough to look them up.
 */
const SHORT = 4

/** Forms of at least so many characters are looked up by the hash of so many. */
const KEY = 16

/** The beginning of a secret that a text ends with is hidden from so many characters on. */
const LEAST_BEGINNING = { whole: 12, cut: 8 }

/** So far from the end of a text its beginning is looked for. */
const FARTHEST = 4096

/** Texts of up to so many characters are remembered with what they look like: headers and short bodies come hundreds of times. */
const REMEMBERED_LENGTH = 300
/** So many of them at a time. */
const MOST_REMEMBERED = 5000

/** What may be a secret, and was seen to be none of ours. */
export const WITHHELD = 'withheld'

/** How a token is called that this program made up: to whoever reads the evidence it looks like a leak. */
export const MADE_UP = 'made-up token'

/** So many of those are hidden in all of their forms: a family has a hundred, and none of them opens anything. */
const MOST_MADE_UP_WITH_ALL_FORMS = 30

/** As many of those that are withheld are hidden by value; a Core that gives more has everything hidden that looks like one. */
const MOST_WITHHELD = 5000
/** So many of them are hidden in all of their forms: a token whose logon was under way when a run was killed, say. */
const MOST_WITH_ALL_FORMS = 300

/** A part of a text that is hidden, and the form that gives it its label. */
interface Found {
  start: number
  end: number
  form: string
}

/** Forms that begin alike, by their lengths, longest first, and by their hashes. */
interface Group {
  lengths: number[]
  forms: Map<number, Map<number, string>>
}

/**
 * The one choke point for secrets: passwords and tokens are told to it when they come up, and every text that is about to
 * be written or printed goes through it. It hides them by value, also in their URL-, JSON-, HTML-, base64- and hex-encoded
 * forms, in base64 also as a part of something longer. What is as long as no evidence is, it hides by its kind. The time that
 * it takes grows with the text, and with nothing that is in it.
 */
export class Redactor {
  private readonly labels = new Map<string, string>()
  /** Forms that are hidden anywhere: by the hash of their first characters, or, of few characters, by the first of these. */
  private readonly groups = new Map<number, Group>()
  private readonly shorter = new Map<string, string[]>()
  /** All of these in their order, and their first characters, for what a text ends with. */
  private readonly sorted: string[] = []
  private readonly starts = new Set<string>()
  /** The length of the longest. */
  private longest = 0
  /** Forms that are hidden only as words. */
  private readonly words = new Set<string>()
  private withheld = 0
  /** Texts with what they look like without secrets, as long as no other secret comes up. */
  private readonly remembered = new Map<string, string>()
  private madeUp = 0
  /** Told of each value that was not known before. */
  onNew: (secret: string, label: string) => void = () => {}

  /** Hides this value from now on, as `[label]`. A value that is known keeps its first label. */
  hide(secret: string, label: string): void {
    if (!secret) return
    this.remembered.clear()
    const isKnown = this.labels.has(secret)
    // The rest is hidden by its kind.
    if (label === WITHHELD && !isKnown && ++this.withheld > MOST_WITHHELD) return
    // What was only withheld until now has its name from now on.
    const isNamed = isKnown && label !== WITHHELD && this.labels.get(secret) === `[${WITHHELD}]`
    if (!isKnown || isNamed) this.onNew(secret, label)
    const isOneOfMany = label === MADE_UP && !isKnown && ++this.madeUp > MOST_MADE_UP_WITH_ALL_FORMS
    for (const form of formsOf(secret, isOneOfMany || (label === WITHHELD && this.withheld > MOST_WITH_ALL_FORMS))) {
      const was = this.labels.get(form)
      if (was === undefined || was === `[${WITHHELD}]`) this.labels.set(form, `[${label}]`)
      if (was !== undefined) continue
      if (secret.length < SHORT) this.words.add(form)
      else this.addLong(form)
    }
  }

  /**
   * The text without secrets. Those that overlap go together, and what ends with the beginning of one ends before it.
   * @param isCut whether it is known to have been longer, so that a few characters of a secret are one
   */
  text(text: string, isCut = false): string {
    if (isCut || text.length > REMEMBERED_LENGTH) return this.without(text, isCut)
    const known = this.remembered.get(text)
    if (known !== undefined) return known
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear()
    const shown = this.without(text, isCut)
    this.remembered.set(text, shown)
    return shown
  }

  private without(text: string, isCut: boolean): string {
    const parts: string[] = []
    let done = 0
    let until = 0
    for (const { start, end, form } of this.find(text, isCut)) {
      if (start >= until) {
        parts.push(this.byKind(text.slice(done, start)), this.labels.get(form) ?? `[${WITHHELD}]`)
        until = start
      }
      done = until = Math.max(until, end)
    }
    return parts.length ? parts.join('') + this.byKind(text.slice(done)) : this.byKind(text)
  }

  /** Hides what no value is known of, once there was too much of it. */
  private byKind(text: string): string {
    if (this.withheld > MOST_WITHHELD)
      return text.replace(TOKEN_RUN, run => (run.length < LEAST_BEGINNING.cut || isPlain(run) ? run : `[${WITHHELD}]`))
    return text
  }

  private addLong(form: string): void {
    this.longest = Math.max(this.longest, form.length)
    this.starts.add(form.slice(0, SHORT))
    this.sorted.splice(firstFrom(this.sorted, form), 0, form)
    if (form.length < KEY) {
      add(this.shorter, form.slice(0, SHORT), form).sort((a, b) => b.length - a.length)
      return
    }
    const key = hashOf(form, KEY)
    const group = this.groups.get(key) ?? { lengths: [], forms: new Map<number, Map<number, string>>() }
    this.groups.set(key, group)
    const alike = group.forms.get(form.length) ?? new Map<number, string>()
    if (!alike.size) {
      group.forms.set(form.length, alike)
      group.lengths.push(form.length)
      group.lengths.sort((a, b) => b - a)
    }
    alike.set(hashOf(form), form)
  }

  /** Where secrets stand in a text, in the order of their starts. */
  private find(text: string, isCut: boolean): Found[] {
    const found = [
      ...this.findLong(text),
      ...this.findWords(text),
      ...this.findBeginning(text, isCut),
      ...findRuns(text),
    ]
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }

  /** Those that are hidden anywhere; what overlaps is one. */
  private findLong(text: string): Found[] {
    const found: Found[] = []
    if (!this.starts.size) return found
    const hash = this.groups.size && text.length >= KEY ? new TextHash(text) : undefined
    let last: Found | undefined
    for (let start = 0; start + SHORT <= text.length; start++) {
      // Nothing goes on behind a secret that the text ends with, such as a token in its header.
      if (last?.end === text.length) break
      const isWithin = last !== undefined && start < last.end
      const form = this.formAt(text, start, hash, isWithin)
      if (form === undefined) continue
      if (isWithin && last) last.end = Math.max(last.end, start + form.length)
      else {
        last = { start, end: start + form.length, form }
        found.push(last)
      }
    }
    return found
  }

  /**
   * The longest form that stands at a place.
   * @param isWithin whether something there is hidden already: to look at every character again would take too long, and a
   * wrong guess only hides a few characters more
   */
  private formAt(text: string, start: number, hash: TextHash | undefined, isWithin: boolean): string | undefined {
    const group = hash && start + KEY <= text.length ? this.groups.get(hash.of(start, KEY)) : undefined
    for (const length of group?.lengths ?? []) {
      if (start + length > text.length) continue
      const form = group?.forms.get(length)?.get(hash?.of(start, length) ?? -1)
      if (form !== undefined && (isWithin || text.startsWith(form, start))) return form
    }
    if (!this.shorter.size) return undefined
    return this.shorter.get(text.slice(start, start + SHORT))?.find(form => text.startsWith(form, start))
  }

  private findWords(text: string): Found[] {
    const found: Found[] = []
    for (const form of this.words) {
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
        const end = start + form.length
        if (!/[A-Za-z0-9]/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`)) found.push({ start, end, form })
      }
    }
    return found
  }

  /** Where the longest beginning of a secret stands that the text ends with; nothing where there is none. */
  private findBeginning(text: string, isCut: boolean): Found[] {
    const farthest = Math.max(0, text.length - Math.min(this.longest, FARTHEST))
    const fewest = isCut ? SHORT : LEAST_BEGINNING.whole
    for (let start = farthest; start + fewest <= text.length; start++) {
      if (!this.starts.has(text.slice(start, start + SHORT))) continue
      const form = this.formThatBegins(text.slice(start), isCut)
      if (form !== undefined) return [{ start, end: text.length, form }]
    }
    return []
  }

  /** A form that begins so, and goes on. Of a short one half is enough, where the text was cut. */
  private formThatBegins(beginning: string, isCut: boolean): string | undefined {
    const { length } = beginning
    const begins = (form: string | undefined) => form?.startsWith(beginning) && form.length > length
    if (length < LEAST_BEGINNING.cut && isCut)
      return this.shorter.get(beginning.slice(0, SHORT))?.find(form => form.length <= 2 * length && begins(form))
    const next = this.sorted[firstFrom(this.sorted, beginning)]
    return begins(next) ? next : undefined
  }
}

/** What is longer than any evidence: as a whole, also where a known secret stands within it and would leave its ends. */
function findRuns(text: string): Found[] {
  if (text.length < LONGEST_RUN) return []
  return [...text.matchAll(TOKEN_RUN)]
    .filter(([run]) => run.length >= LONGEST_RUN)
    .map(({ 0: run, index }) => ({ start: index, end: index + run.length, form: '' }))
}

/** The place of the first text of a sorted list that is not before another. */
function firstFrom(sorted: readonly string[], text: string): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}

function add(forms: Map<string, string[]>, key: string, form: string): string[] {
  const list = forms.get(key) ?? []
  list.push(form)
  forms.set(key, list)
  return list
}
