/**
 * Says how a shell makes what a generator made of a token or of the password. The result does not show these texts, so each is known
 * by the name of its variation. An expression is one of awk: `$0` is the token or the password, `n` its length, `h` half of that.
 */

/** How a script makes the secret part of a variation. */
export interface Varied {
  /** The shell expression of the text. */
  value: string
  /** The shell variable of the token that it was made of; absent where it was made of the password. */
  of?: string
  /** The Authorization header that carries it, with `[varied]` in its place; absent where the body does. */
  header?: string
}

/** The function `shape` of a script. `next_of` is a character's next of its class; a token of hex digits stays one. */
export const SHAPE = `shape() { # TEXT, an expression of awk for what becomes of it
  printf '%s' "$1" | awk '
    function next_of(c, in_hex, all, i) {
      all = c ~ /[0-9]/ ? "0123456789" : c ~ /[a-z]/ ? "abcdefghijklmnopqrstuvwxyz" : c ~ /[A-Z]/ ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : c
      if (in_hex && all !~ /0/) all = substr(all, 1, 6)
      i = index(all, c)
      return substr(all, i % length(all) + 1, 1)
    }
    function next_of_all(text, in_hex, i, made) {
      for (i = 1; i <= length(text); i++) made = made next_of(substr(text, i, 1), in_hex)
      return made
    }
    function swapped(c) { return c == toupper(c) ? tolower(c) : toupper(c) }
    function from_back(text, i, made) {
      for (i = length(text); i > 0; i--) made = made substr(text, i, 1)
      return made
    }
    { n = length($0); h = int(n / 2); x = !/[^0-9a-f]/ || !/[^0-9A-F]/; printf "%s", '"$2"' }'
}`

const HALF = 'substr($0, 1, h)'

const TOKENS: Record<string, string> = {
  'without its last character': 'substr($0, 1, n - 1)',
  'without its first character': 'substr($0, 2)',
  'without its middle character': `${HALF} substr($0, h + 2)`,
  'its first half': HALF,
  'its second half': 'substr($0, h + 1)',
  'its last 8': 'substr($0, n - 7)',
  'its first 8, the rest changed': 'substr($0, 1, 8) next_of_all(substr($0, 9), x)',
  'its first half, the rest changed': `${HALF} next_of_all(substr($0, h + 1), x)`,
  'its second half, the rest changed': `next_of_all(${HALF}, x) substr($0, h + 1)`,
  'one character longer at its end': '$0 next_of(substr($0, n, 1), x)',
  'four characters longer at its end': '$0 substr($0, 1, 1) substr($0, 1, 1) substr($0, 1, 1) substr($0, 1, 1)',
  'one character longer at its start': '(/[^0-9]/ ? "0" : "9") $0',
  doubled: '$0 $0',
  'from back to front': 'from_back($0)',
  'its halves swapped': `substr($0, h + 1) ${HALF}`,
  'its first two swapped': 'substr($0, 2, 1) substr($0, 1, 1) substr($0, 3)',
  'its last two swapped': 'substr($0, 1, n - 2) substr($0, n, 1) substr($0, n - 1, 1)',
  'in capital letters': 'toupper($0)',
  'in small letters': 'tolower($0)',
  'one letter in the other case':
    'substr($0, 1, match($0, /[A-Za-z]/) - 1) swapped(substr($0, RSTART, 1)) substr($0, RSTART + 1)',
  'twice, with a comma': '$0 "," $0',
  'in ""': '"\\"" $0 "\\""',
  'in <>': '"<" $0 ">"',
  'in {}': '"{" $0 "}"',
  'in []': '"[" $0 "]"',
  'as token=': '"token=" $0',
  'as bearer:': '"bearer:" $0',
  'its first half and *': `${HALF} "*"`,
  'its first half and %': `${HALF} "%"`,
  'its first half and .*': `${HALF} ".*"`,
  '? for its last character': 'substr($0, 1, n - 1) "?"',
  '_ for its last character': 'substr($0, 1, n - 1) "_"',
}

/** Texts that look like a token, of many names. */
const TOKENS_LIKE: [name: RegExp, expression: (part: string) => string][] = [
  [/^its first (\d+)$/, part => `substr($0, 1, ${part})`],
  [
    /^character (\d+) of \d+ changed$/,
    part => `substr($0, 1, ${part} - 1) next_of(substr($0, ${part}, 1), x) substr($0, ${part} + 1)`,
  ],
  [/^'([^'\\"]+)' and more behind it$/, part => `$0 "${part}x"`],
  [/^'([^'\\"]+)' behind it$/, part => `$0 "${part}"`],
  [/^something and '([^'\\"]+)' before it$/, part => `"x${part}" $0`],
]

const PASSWORDS: Record<string, string> = {
  'one character of the password changed': shaped(
    'substr($0, 1, h < 1 ? 1 : h) (substr($0, (h < 1 ? 1 : h) + 1, 1) == "x" ? "y" : "x") substr($0, (h < 1 ? 1 : h) + 2)',
  ),
  'the first half of the password': shaped('substr($0, 1, h < 1 ? 1 : h)'),
  'NUL and more behind the password': `$(json "$CORE_PASSWORD")'\\u0000x'`,
  'a line break behind the password': `$(json "$CORE_PASSWORD")'\\n'`,
  'the password in wide letters': escapes('\\\\uff%02x', 'i - 32'),
  'the password from back to front': shaped('from_back($0)'),
  'the password twice': '$(json "$CORE_PASSWORD$CORE_PASSWORD")',
  'a hash of the password': `$(printf '%s' "$CORE_PASSWORD" | openssl dgst -sha256 -r | cut -c 1-64)`,
  'escapes in the password': escapes('\\\\u%04x', 'i'),
}

/** The families whose variations are all made of a token. */
const OF_TOKENS = /\bof token-(characters|boundaries|lookalikes)\b/

/** Returns the password by an expression, as it stands in JSON. */
function shaped(expression: string): string {
  return `$(json "$(shape "$CORE_PASSWORD" '${expression}')")`
}

/** Returns the password with each printable character of ASCII as an escape of JSON. */
function escapes(format: string, code: string): string {
  const made = `for (j = 1; j <= length($0); j++) { c = substr($0, j, 1); printf "%s", c in all ? all[c] : c }`
  return `$(printf '%s' "$CORE_PASSWORD" | awk 'BEGIN { for (i = 33; i < 127; i++) all[sprintf("%c", i)] = sprintf("${format}", ${code}) } { ${made} }')`
}

/**
 * Returns how a script makes the secret part of a variation; undefined where it need not, and `false` where it cannot.
 * @param name the variation
 * @param token the shell variable of the step's token, such as `token_a`
 * @param isSent whether the request is known to hold something else that was made of the password
 * @param expected what is expected of the family, with its name
 */
export function variedBy(name: string, token: string, isSent: boolean, expected: string): Varied | undefined | false {
  // A row departs in several ways; one of them at the most is made of a secret. Some names have commas, so the longest part goes first.
  const words = name.split(/(, | and )/)
  const parts = words.flatMap((_, from) =>
    words.slice(from).map((__, end) => words.slice(from, from + end + 1).join('')),
  )
  const [whole, ...others] = parts
    .sort((a, b) => b.length - a.length)
    .map(part => partBy(part, token, isSent, expected))
  return [whole, ...others].find(each => each) ?? whole
}

function partBy(name: string, token: string, isSent: boolean, expected: string): Varied | undefined | false {
  const password = PASSWORDS[name]
  if (password !== undefined) return { value: password }
  if (isSent) return false
  const basic = {
    'Basic, as the password': `"$CORE_USERNAME" "$${token}"`,
    'Basic, as the user name': `"$${token}" ''`,
  }
  const pair = basic[name as keyof typeof basic]
  if (pair !== undefined) return { value: `$(printf '%s:%s' ${pair} | base64 | tr -d '\\n')`, header: 'Basic [varied]' }
  if (!OF_TOKENS.test(expected)) return undefined
  const [like, part] = TOKENS_LIKE.flatMap(([pattern, make]) => {
    const found = pattern.exec(name)?.[1]
    return found === undefined ? [] : [[make, found] as const]
  })[0] ?? [undefined, '']
  const expression = TOKENS[name] ?? like?.(part)
  if (expression === undefined) return false
  return { value: `$(shape "$${token}" '${expression}')`, of: token, header: 'Bearer [varied]' }
}
