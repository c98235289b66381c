/** Writes words of a POSIX shell. The labels of redacted values become variables that hold these values. */
import { quoted } from '../ground/own-command.js'
import { clip, inert } from './inert.js'

/** The labels of the credentials, each with the shell expression for its value. */
const CREDENTIALS: Record<string, string> = {
  username: '$CORE_USERNAME',
  password: '$CORE_PASSWORD',
  'swapped-case-password': `$(printf '%s' "$CORE_PASSWORD" | tr 'a-zA-Z' 'A-Za-z')`,
  'shortened-password': `\${CORE_PASSWORD%?}`,
  'prolonged-password': `\${CORE_PASSWORD}x`,
  'basic-credentials': `$(printf '%s:%s' "$CORE_USERNAME" "$CORE_PASSWORD" | base64 | tr -d '\\n')`,
}

/** The commands that change a token into one that was never issued. Nearly every token's alphabet has `0` and `1`. */
const CHANGED: Record<string, string> = {
  'first character': "sed 's/^0/1/;t;s/^./0/'",
  'last character': "sed 's/0$/1/;t;s/.$/0/'",
  'one character': "sed 's/^\\(....\\)0/\\11/;t;s/^\\(....\\)./\\10/'",
  shortened: "sed 's/.$//'",
  prolonged: "sed 's/$/0/'",
  'upper case': "tr 'a-z' 'A-Z'",
  'lower case': "tr 'A-Z' 'a-z'",
}

/** Longest word, in characters: longer than the longest token. */
const LENGTH = 8000

/** Matches a label in place of a secret. */
const LABEL = /\[(made-up token|token ([a-z0-9 -]{1,60})(?:, ([a-z ]+))?|[a-z]+(?:-[a-z]+)*)\]/g

/** The format that a text goes into. A password is escaped for it. */
export type Within = 'text' | 'json'

/** Returns the shell variable of a token, from its name in the specs: `token_a`. */
export function variableOf(token: string): string {
  return `token_${token.replace(/[^a-z0-9]/g, '_')}`
}

/** Lists the names of the tokens that a text needs. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(LABEL)].flatMap(([, , token]) => token ?? [])
}

/**
 * Quotes a text as one word of a shell. Labels of redacted values become variables. All other text is taken literally.
 * @param text as a result has it, with `[password]` and `[token a]` in place of secrets
 */
export function word(text: string, within: Within = 'text'): string {
  const line = inert(clip(text, LENGTH))
  const parts: string[] = []
  let at = 0
  for (const match of line.matchAll(LABEL)) {
    const put = variableFor(match, within)
    if (put === undefined) continue
    parts.push(literal(line.slice(at, match.index)), put)
    at = match.index + match[0].length
  }
  if (parts.length === 0) return quoted(line)
  return `"${parts.join('')}${literal(line.slice(at))}"`
}

/** Escapes a text within double quotes. */
function literal(text: string): string {
  return text.replace(/[\\$`"]/g, character => `\\${character}`)
}

function variableFor([, label = '', token, change]: RegExpMatchArray, within: Within): string | undefined {
  if (label === 'made-up token') return '$made_up'
  // The script makes them as they are to stand in the request.
  if (label === 'varied' || label === 'issued') return `$${label}`
  if (token !== undefined) {
    if (change === undefined) return `\${${variableOf(token)}}`
    const by = CHANGED[change]
    return by === undefined ? undefined : `$(printf '%s' "$${variableOf(token)}" | ${by})`
  }
  const credential = CREDENTIALS[label]
  return credential !== undefined && within === 'json' ? `$(json "${credential}")` : credential
}
