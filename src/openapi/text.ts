/** A document as text. */
import { Document, Scalar, visit } from 'yaml'

/** What could move a cursor, reorder a line or hide. All of it may be escaped in strings, of YAML as of JSON. */
const UNSAFE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** As JSON: 2 spaces, a line feed at the end. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(wellFormed(value), null, 2)
  return `${text.replace(UNSAFE, escapedForJson)}\n`
}

/**
 * As YAML, without anchors.
 * @param comment stands at its top, in one line
 */
export function toYaml(value: unknown, comment: string): string {
  const document = new Document(wellFormed(value), { aliasDuplicateObjects: false })
  document.commentBefore = ` ${comment}`
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.search(UNSAFE) >= 0) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 120, blockQuote: 'literal' }).replace(UNSAFE, escapedForYaml)
}

function escapedForJson(character: string): string {
  return [...Array(character.length).keys()].map(at => `\\u${hex(character.charCodeAt(at), 4)}`).join('')
}

function escapedForYaml(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/** A copy in which halves of surrogate pairs, which YAML does not know, are replaced. JSON.stringify escapes nothing else so. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f]../g, '$1\ufffd'))
}
