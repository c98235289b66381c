/** Checks the facts that must be true of a run's outputs, on any Core. */
import { XMLValidator } from 'fast-xml-parser'
import { schemaErrors } from '../../../dist/suite/schema.js'
import { formsOf } from '../../cli-support.js'
import { CANARY, PASSWORD } from './core.js'

/** A canary with enough text after it to be useful, and the beginning of one in base64 and hex. */
const TRACES = [
  new RegExp(`${CANARY}[0-9a-f]{8}`, 'i'),
  /a2FuYXJpV[DEFGA-Z0-9a-z+/]{10}|thbmFyaVQ[A-Za-z0-9+/]{10}|rYW5hcmlU[A-Za-z0-9+/]{10}/,
  /6b616e61726954[0-9a-f]{16}/i,
]

/**
 * Finds everything that is wrong in outputs.
 * @param texts by the names of the files or streams
 * @returns one sentence for each fault; nothing where all is well
 */
export function faultsOf(texts: Record<string, string>): string[] {
  const faults: string[] = []
  for (const [name, text] of Object.entries(texts)) {
    for (const trace of TRACES) {
      // Also finds UTF-16 that was read as UTF-8: with a NUL between its letters, raw or escaped.
      const found = trace.exec(text) ?? trace.exec(text.replace(/\0|\\u0000|\ufffd/g, ''))
      if (found) faults.push(`${name} shows a token: …${text.slice(Math.max(0, found.index - 60), found.index + 40)}…`)
    }
    const form = formsOf(PASSWORD).find(candidate => text.includes(candidate))
    if (form !== undefined) faults.push(`${name} shows the password as ${form}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    if (!name.endsWith('.json') && /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text))
      faults.push(`${name} holds control characters`)
    if (/^ +at .*\((file|node):/m.test(text)) faults.push(`${name} shows a stack trace`)
    if (name.endsWith('.xml') || name.endsWith('.svg')) {
      const told = XMLValidator.validate(text)
      if (told !== true) faults.push(`${name} is not well-formed: ${told.err.msg}`)
    }
    if (name.endsWith('.html')) faults.push(...faultsOfPage(name, text))
    if (name === 'result.json') {
      const errors = schemaErrors('result', JSON.parse(text))
      if (errors.length) faults.push(`${name} is invalid: ${JSON.stringify(errors.slice(0, 2))}`)
    }
  }
  return faults
}

/** Checks that the Core wrote no tag of the page: no script but the page's own, no handler, nothing from outside. */
function faultsOfPage(name: string, page: string): string[] {
  const tags = page.match(/<[a-z][^>]*>/gi) ?? []
  const scripts = tags.filter(tag => /^<script/i.test(tag))
  return [
    ...(scripts.length > 1 ? [`${name} has ${scripts.length} scripts`] : []),
    ...tags
      .filter(tag =>
        /\son\w+\s*=|\s(src|href|action|data)\s*=\s*["']?\s*(https?:|\/\/|javascript:|data:text)/i.test(tag),
      )
      .map(tag => `${name} has the tag ${tag.slice(0, 80)}`),
    ...tags
      .filter(tag => /^<(img|iframe|object|embed|form|base|link|video|audio)\b/i.test(tag))
      .map(tag => `${name} has ${tag}`),
  ]
}
