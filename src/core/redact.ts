/** Hides secrets in texts. Over 250 lines, since all lookups share one index of forms. */
import { formsOf } from './secret-forms.js'
import { Starts } from './starts.js'
import { isPlain, LONGEST_RUN, TOKEN_RUN } from './token-like.js'

/**
 * Shorter secrets are hidden only where they stand as a word of their own: hidden everywhere, they would blot out
 * everything. Longer ones are looked up by this many characters.
 */
const SHORT = 4

/** Forms of at least this length are looked up by this many characters. */
const KEY = 16

/** A text may end with the beginning of a secret. That beginning is hidden if it has at least this many characters. */
const LEAST_BEGINNING = { whole: 12, cut: 8 }

/**
 * How many characters are compared with forms, for each character of a text: many times as many as for one that consists of tokens.
 * A text of a hostile Core may begin like a secret at each place.
 */
const MOST_COMPARED = 300

/** How far from the end of a text such a beginning is searched for. */
const FARTHEST = 4096

/** Longest text that is remembered with its redacted form: headers and short bodies come hundreds of times. */
const REMEMBERED_LENGTH = 300
/** Most texts that are remembered at a time. */
const MOST_REMEMBERED = 5000

/** Label of a string that may be a secret and is not a token of this run. */
export const WITHHELD = 'withheld'

/** Label of a token that this program made up. Without a label, a reader of the evidence would take it for a leak. */
export const MADE_UP = 'made-up token'

/**
 * Most made-up tokens that are hidden in all of their forms: a family has a hundred, and none of them opens anything.
 */
const MOST_MADE_UP_WITH_ALL_FORMS = 30

/**
 * Most withheld strings that are hidden by value. From a Core that sends more, everything that looks like a token is
 * hidden.
 */
const MOST_WITHHELD = 5000
/**
 * Most withheld strings that are hidden in all of their forms. One may be the token of a logon that was under way when
 * a run was killed.
 */
const MOST_WITH_ALL_FORMS = 300

/** A secret as it is shown. */
interface Shown {
  /** What stands in its place: `[label]`. */
  label: string
  /** Whether it is hidden in all of its forms, and not only in the likely ones. */
  hasAllForms: boolean
}

/** A part of a text to hide, with the form that gives it its label. */
interface Found {
  start: number
  end: number
  form: string
}

/** Forms with the same first characters, and their lengths, the longest first. */
interface Group {
  lengths: number[]
  forms: Set<string>
}

/**
 * The one choke point for secrets: it learns each password and token as soon as the run has it, and every text passes
 * through it before it is written or printed. It hides secrets by value, also in their URL-, JSON-, HTML-, base64- and
 * hex-encoded forms, and within longer base64 text. It hides very long runs of characters by their kind. Its time grows
 * linearly with the text.
 */
export class Redactor {
  /** The hidden values. */
  private readonly secrets = new Map<string, Shown>()
  /** The secret of each form: the first that has it. */
  private readonly labels = new Map<string, Shown>()
  /** Forms that are hidden anywhere, by their first characters. */
  private readonly groups = new Map<string, Group>()
  private readonly shorter = new Map<string, string[]>()
  /** These forms by their first characters, each list sorted: to find the beginning of a secret at the end of a text. */
  private readonly beginnings = new Map<string, string[]>()
  private readonly starts = new Starts(SHORT)
  /** How many characters of the present text may still be compared with forms. */
  private mayCompare = 0
  /** Length of the longest form. */
  private longest = 0
  /** Forms that are hidden only as words. */
  private readonly words = new Set<string>()
  private withheld = 0
  /** Texts with their redacted form; cleared when a new secret comes. */
  private readonly remembered = new Map<string, string>()
  private madeUp = 0
  /** Called with each value that was not known before. */
  onNew: (secret: string, label: string) => void = () => {}

  /** Hides this value from now on, as `[label]`. A known value keeps its first label. */
  hide(secret: string, label: string): void {
    if (!secret) return
    const isKnown = this.labels.has(secret)
    // Further withheld strings are hidden by their kind.
    if (label === WITHHELD && !isKnown && ++this.withheld > MOST_WITHHELD) return
    // A value that was only withheld until now gets its name.
    const isNamed = isKnown && label !== WITHHELD && this.labels.get(secret)?.label === `[${WITHHELD}]`
    if (!isKnown || isNamed) this.onNew(secret, label)
    const isOneOfMany = label === MADE_UP && !isKnown && ++this.madeUp > MOST_MADE_UP_WITH_ALL_FORMS
    const isLikelyOnly = isOneOfMany || (label === WITHHELD && this.withheld > MOST_WITH_ALL_FORMS)
    const shown = this.secrets.get(secret)
    // A run names each token after it was withheld. To make all forms again would take a tenth of its time.
    if (shown?.hasAllForms) this.name(shown, label)
    else this.addForms(secret, { label: `[${label}]`, hasAllForms: !isLikelyOnly })
  }

  private name(shown: Shown, label: string): void {
    if (label === WITHHELD || shown.label !== `[${WITHHELD}]`) return
    shown.label = `[${label}]`
    this.remembered.clear()
  }

  private addForms(secret: string, shown: Shown): void {
    this.remembered.clear()
    this.secrets.set(secret, shown)
    for (const form of formsOf(secret, !shown.hasAllForms)) {
      const was = this.labels.get(form)
      if (was === undefined || was.label === `[${WITHHELD}]`) this.labels.set(form, shown)
      if (was !== undefined) continue
      if (secret.length < SHORT) this.words.add(form)
      else this.addLong(form)
    }
  }

  /**
   * Returns the text without secrets. Overlapping secrets become one label. The beginning of a secret at the end of the
   * text is hidden too.
   * @param isCut whether the text is known to have been longer, so that a few characters of a secret count
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
        parts.push(this.byKind(text.slice(done, start)), this.labels.get(form)?.label ?? `[${WITHHELD}]`)
        until = start
      }
      done = until = Math.max(until, end)
    }
    return parts.length ? parts.join('') + this.byKind(text.slice(done)) : this.byKind(text)
  }

  /** Hides everything that looks like a token, once too many strings were withheld. */
  private byKind(text: string): string {
    if (this.withheld > MOST_WITHHELD)
      return text.replace(TOKEN_RUN, run => (run.length < LEAST_BEGINNING.cut || isPlain(run) ? run : `[${WITHHELD}]`))
    return text
  }

  private addLong(form: string): void {
    this.longest = Math.max(this.longest, form.length)
    this.starts.add(form)
    if (form.length > LEAST_BEGINNING.cut) {
      const alike = listAt(this.beginnings, form.slice(0, LEAST_BEGINNING.cut))
      alike.splice(firstFrom(alike, form), 0, form)
    }
    if (form.length < KEY) {
      const alike = listAt(this.shorter, form.slice(0, SHORT))
      alike.push(form)
      alike.sort((a, b) => b.length - a.length)
      return
    }
    const key = form.slice(0, KEY)
    const group = this.groups.get(key) ?? { lengths: [], forms: new Set() }
    this.groups.set(key, group)
    group.forms.add(form)
    if (!group.lengths.includes(form.length)) group.lengths = [...group.lengths, form.length].sort((a, b) => b - a)
  }

  /** Returns the places of secrets in a text, in the order of their starts. */
  private find(text: string, isCut: boolean): Found[] {
    const found = [
      ...this.findLong(text),
      ...this.findWords(text),
      ...this.findBeginning(text, isCut),
      ...findRuns(text),
    ]
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }

  /** Finds the forms that are hidden anywhere. Overlapping ones become one. */
  private findLong(text: string): Found[] {
    const found: Found[] = []
    this.mayCompare = MOST_COMPARED * text.length
    let last: Found | undefined
    for (let start = this.starts.next(text, 0); start >= 0; start = this.starts.next(text, start + 1)) {
      // Nothing follows a secret at the end of the text, such as a token in its header.
      if (last?.end === text.length) break
      const form = this.formAt(text, start)
      if (form === undefined) continue
      if (last && start < last.end) last.end = Math.max(last.end, start + form.length)
      else {
        last = { start, end: start + form.length, form }
        found.push(last)
      }
    }
    return found
  }

  /** Returns the longest form that stands at a place; what begins like one where the text takes too long to compare. */
  private formAt(text: string, start: number): string | undefined {
    const { lengths, forms } = this.groups.get(text.slice(start, start + KEY)) ?? NONE
    for (const length of lengths) {
      if (start + length > text.length) continue
      const part = text.slice(start, start + length)
      this.mayCompare -= length
      if (this.mayCompare < 0 || forms.has(part)) return part
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

  /** Finds the longest beginning of a secret that the text ends with. */
  private findBeginning(text: string, isCut: boolean): Found[] {
    const farthest = Math.max(0, text.length - Math.min(this.longest, FARTHEST))
    const fewest = isCut ? SHORT : LEAST_BEGINNING.whole
    for (let start = this.starts.next(text, farthest); start >= 0; start = this.starts.next(text, start + 1)) {
      if (start + fewest > text.length) break
      const form = this.formThatBegins(text.slice(start), isCut)
      if (form !== undefined) return [{ start, end: text.length, form }]
    }
    return []
  }

  /** Returns a longer form that begins with this text. Where the text was cut, half of a short form is enough. */
  private formThatBegins(beginning: string, isCut: boolean): string | undefined {
    const { length } = beginning
    const begins = (form: string) => form.length > length && form.startsWith(beginning)
    if (length < LEAST_BEGINNING.cut && isCut)
      return this.shorter.get(beginning.slice(0, SHORT))?.find(form => form.length <= 2 * length && begins(form))
    const alike = this.beginnings.get(beginning.slice(0, LEAST_BEGINNING.cut)) ?? []
    const next = alike[firstFrom(alike, beginning)]
    return next !== undefined && begins(next) ? next : undefined
  }
}

/**
 * Finds runs that are too long for evidence. Each is hidden as a whole, even around a known secret: its rest would show
 * otherwise.
 */
function findRuns(text: string): Found[] {
  if (text.length < LONGEST_RUN) return []
  return [...text.matchAll(TOKEN_RUN)]
    .filter(([run]) => run.length >= LONGEST_RUN)
    .map(({ 0: run, index }) => ({ start: index, end: index + run.length, form: '' }))
}

/** Returns the index of the first text of a sorted list that is not before the given one. */
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

const NONE: Group = { lengths: [], forms: new Set() }

/** Returns the list of a key, which is made where there is none. */
function listAt(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
