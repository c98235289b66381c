/** The names of Cores in a fleet, which are those of their folders. */

/** Of a longer name the rest is left out: file systems take 255 bytes, and reports show names in columns. */
const LONGEST = 60

/** The name of a Core that has none but its address: `10.0.0.5`, or `10.0.0.5-8443` with its port. */
export function nameOfUrl(url: string): string {
  return safeName(URL.canParse(url) ? new URL(url).host : '') || 'core'
}

/** A text as the name of a folder: letters, digits, dots and dashes, none of them at its ends that a file system minds. */
export function safeName(text: string): string {
  return text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-.]+$/, '')
}

/** Whether a text may be the name of a Core in a file that anybody may have written: it leads nowhere but into its folder. */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9_][\w.-]{0,199}$/.test(text) && !text.endsWith('.')
}

/** A name as file systems compare it that tell upper and lower case not apart. */
export function sameName(name: string): string {
  return name.toLowerCase()
}
