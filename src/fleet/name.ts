/** Makes and checks the names of Cores in a fleet. The name of a Core is also the name of its folder. */

/** Longest name, in characters: file systems allow 255 bytes, and reports show names in columns. */
const LONGEST = 60

/** Names a Core by its address: `10.0.0.5`, or `10.0.0.5-8443` with its port. */
export function nameOfUrl(url: string): string {
  return safeName(URL.canParse(url) ? new URL(url).host : '') || 'core'
}

/** Turns a text into the name of a folder: word characters, dots and dashes, with no dot or dash at either end. */
export function safeName(text: string): string {
  return text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-.]+$/, '')
}

/** Whether a text from an untrusted file is safe as the name of a Core: it cannot lead to another folder. */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9_][\w.-]{0,199}$/.test(text) && !text.endsWith('.')
}

/** Returns the form of a name that is equal for two names on a file system that ignores case. */
export function sameName(name: string): string {
  return name.toLowerCase()
}
