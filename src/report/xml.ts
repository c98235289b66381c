/** XML 1.0 that every reader takes, whatever text goes in. */
import { createRequire } from 'node:module'
import type * as FastXmlParser from 'fast-xml-parser'
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

// Its CommonJS build is one file and loads in a tenth of the time of its many ES modules.
const { XMLBuilder } = createRequire(import.meta.url)('fast-xml-parser') as typeof FastXmlParser

// The builder escapes & < > " ' but lets forbidden characters and line breaks through, so both processors stand in front of
// it. `suppressBooleanAttributes` would write an attribute of the value "true" without its value, which is not XML.
const builder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  format: true,
  attributeValueProcessor: (_name, value) => oneLine(String(value)),
  tagValueProcessor: (_name, value) => inertLines(String(value)).replace(TAG, '[ '),
})

/**
 * An XML document with its declaration, indented, ended by a line feed.
 * @param root the root element under its name
 */
export function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`
}
