/** XML 1.0 that every reader takes, whatever text goes in. */
import { clip, inert, inertLines } from './inert.js'

/** An element: `@name` is an attribute, `#text` its text, any other key its children of that name; undefined is left out. */
export interface XmlElement {
  [name: string]: string | undefined | XmlElement | XmlElement[]
}

/** Readers show attributes in lists and trees, where more than this is of no use. */
const ATTRIBUTE_LENGTH = 500

/** Readers of JUnit take these tags in a text for files to attach and properties to set; what a Core answers does neither. */
const TAG = /\[(?=\[(?:ATTACHMENT|\/?PROPERTY))/gi

/** White space collapsed: a parser would turn line breaks in an attribute into spaces anyway. */
function oneLine(text: string): string {
  return inert(text.replace(/\s+/g, ' ')).trim().replace(TAG, '[ ')
}

/** Text as an attribute may hold it: one line of bounded length, no character that XML 1.0 forbids. */
export function attributeText(text: string): string {
  return clip(oneLine(clip(text, 10 * ATTRIBUTE_LENGTH)), ATTRIBUTE_LENGTH)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

function elementLines(name: string, element: XmlElement, indent: string): string[] {
  const given = Object.entries(element).filter(([, value]) => value !== undefined)
  const attributes = given
    .filter(([key]) => key.startsWith('@'))
    .map(([key, value]) => ` ${key.slice(1)}="${escaped(oneLine(String(value)))}"`)
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
 * An XML document with its declaration, indented, ended by a line feed. An element has text or children; where it has both, its
 * children are left out.
 * @param root the root element under its name
 */
export function renderXml(root: Record<string, XmlElement>): string {
  const lines = Object.entries(root).flatMap(([name, element]) => elementLines(name, element, ''))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join('\n')}\n`
}
