/** Writes the JSON object of a body in other ways. */

import { isFields, parseJson } from '../../ground/json.js'

/** Writers of an object, by the word that a variation has for them. */
const SPELLINGS = {
  spaced: (value: object) => JSON.stringify(value, null, 2),
  reversed: (value: object) => JSON.stringify(Object.fromEntries(Object.entries(value).reverse())),
  escaped: (value: object) => JSON.stringify(value).replace(/([{,]")u(?=sername":)/, '$1\\u0075'),
  prolonged: (value: object) => JSON.stringify({ ...value, remember: true }),
}

/** How a JSON object is written. */
export type Spelling = keyof typeof SPELLINGS

/** Returns a body in another spelling; one that is no JSON object as it is. */
export function spelled(body: string, spelling: Spelling): string {
  const value = parseJson(body)
  return isFields(value) ? SPELLINGS[spelling](value) : body
}
