/** Writes XML 1.0 that every reader accepts, for any text. */
import { clip, inertLines, oneLine } from './inert.js'

/** An element: `@name` is an attribute, `#text` is its text, any other key names its children. Undefined values are left out. */
export interface XmlElement {
  [name: string]: string | undefined | XmlElement | XmlElement[]
}

/** Longest attribute, in characters: readers show attributes in lists and trees. */
const ATTRIBUTE_LENGTH = 500

/** Matches tags that readers of JUnit obey: they attach files or set properties. Text of a Core must do neither. */
const TAG = /\[(?=\[(?:ATTACHMENT|\/?PROPERTY))/gi

/** Returns a text as one line. A parser would turn line breaks in an attribute into spaces anyway. */
function flat(text: string): string {
  return oneLine(text).replace(TAG, '[ ')
}

/** Returns a text for an attribute: one line of limited length, without characters that XML 1.0 forbids. */
export function attributeText(text: string): string {
  return clip(flat(clip(text, 10 * ATTRIBUTE_LENGTH)), ATTRIBUTE_LENGTH)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Escapes a text for XML, also within quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

function elementLines(name: string, element: XmlElement, indent: string): string[] {
  const given = Object.entries(element).filter(([, value]) => value !== undefined)
  const attributes = given
    .filter(([key]) => key.startsWith('@'))
    .map(([key, value]) => ` ${key.slice(1)}="${escaped(flat(String(value)))}"`)
  const open = `${indent}<${name}${attributes.join('')}`
  const text = element['#text']
  if (typeof text === 'string' && text) {
    return [`${open}>${escaped(inertLines(text).replace(TAG, '[ '))}</${name}>`]
  }
  const children = given
    .filter(([key]) => !key.startsWith('@') && key !== '#text')
    .flatMap(([key, value]) =>
      [value ?? []]
        .flat()
        .flatMap(child => elementLines(key, typeof child === 'string' ? { '#text': child } : child, `${indent}  `)),
    )
  return children.length > 0 ? [`${open}>`, ...children, `${indent}</${name}>`] : [`${open}/>`]
}

/**
 * Renders an XML document of the root element under its name, with its declaration, indented. If an element has text and
 * children, the children are left out.
 */
export function renderXml(root: Record<string, XmlElement>): string {
  const lines = Object.entries(root).flatMap(([name, element]) => elementLines(name, element, ''))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join('\n')}\n`
}
