/** Defects that show only after a sequence of requests, and only in some variations of a family. */
import { headerValues } from '../messages.js'
import { breaking, type DefectTable, defect } from './defect.js'
import { alsoLookIn, issuedTokens } from './tools.js'
import { letInIf, trailOf } from './trail.js'

/** Characters of a token that the defect compares. */
const COMPARED = 8

/** The defects of this file, which are part of `SEQUENCE`. */
export const SEQUENCE_FAMILIES: DefectTable = {
  ...breaking(['ACCESS-1'], [], {
    'sequence-prolonged-revoked-token-let-in': defect(
      'A longer text that begins with a revoked token is accepted.',
      subject => {
        const issued = issuedTokens(subject)
        const isRevoked = (token: string) => subject.tokens.find(token)?.revoked === true
        letInIf(subject, (_, record, presented = '') => {
          return !record && issued.some(token => presented.startsWith(token) && isRevoked(token))
        })
      },
    ),
    'sequence-first-characters-suffice-after-revocation': defect(
      'After a revocation, the first eight characters of a valid token are enough until the next logon.',
      subject => {
        const { tokens } = subject
        const issued = issuedTokens(subject)
        const trail = trailOf(subject)
        letInIf(subject, (_, record, presented) => {
          const last = trail.find(({ asked }) => asked === 'logon' || asked === 'revoke')
          if (record || presented === undefined || last?.asked !== 'revoke') return false
          return issued.some(token => {
            const known = tokens.find(token)
            const isLive = known !== undefined && tokens.state(known) === 'issued'
            return isLive && presented.slice(0, COMPARED) === token.slice(0, COMPARED)
          })
        })
      },
    ),
  }),
  ...breaking(['ACCESS-3'], ['ACCESS-1'], {
    // The revoked token opens the API without the header.
    'sequence-other-places-taken-after-refusal': defect(
      'Right after a refused request, a token is taken from any header and from the query, too.',
      subject => {
        const issued = issuedTokens(subject)
        const trail = trailOf(subject)
        alsoLookIn(subject, ({ headers, target }) => {
          const isAfterRefusal = trail[0] !== undefined && ['none', 'unknown', 'dead'].includes(trail[0].asked)
          if (!isAfterRefusal || headerValues(headers, 'authorization').length > 0) return undefined
          const text = [target, ...headers.map(([, value]) => value)].join('\n')
          return issued.find(token => text.includes(token))
        })
      },
    ),
  }),
}
