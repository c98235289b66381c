/** The first lines of a script that repeats a failure by hand: the credentials, and the functions that send requests. */

import type { ExchangeRecord, RunResult, StepRecord } from '../result.js'
import { EACH, SESSION, word } from './shell.js'

/**
 * Asks for what the environment does not have. The password is not shown.
 * @param username of the run; undefined where the spec does not log on
 */
export function credentials(username: string | undefined, body: string): string[] {
  const ask = (variable: string, lines: string[]) => [
    `if [ -z "\${${variable}:-}" ]; then`,
    `  [ -t 0 ] || { echo 'CANNOT TELL: set ${variable}, or run this on a terminal'; exit 2; }`,
    ...lines.map(line => `  ${line}`),
    'fi',
  ]
  const name =
    username === undefined
      ? ask('CORE_USERNAME', [`printf 'User name: ' >&2`, 'IFS= read -r CORE_USERNAME'])
      : [`[ -n "\${CORE_USERNAME:-}" ] || CORE_USERNAME=${word(username)}`]
  const password = ask('CORE_PASSWORD', [
    `printf 'Password: ' >&2`,
    `trap 'stty echo; exit 2' INT TERM`,
    'stty -echo',
    'IFS= read -r CORE_PASSWORD',
    'stty echo',
    'echo >&2',
  ])
  return [...(body.includes('$CORE_USERNAME') ? name : []), ...(body.includes('CORE_PASSWORD') ? password : [])]
}

/** The function `json` of a script: a text as it stands within the quotes of JSON. */
export const JSON_OF = `json() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }`

/** The function `ask` of a script. It does not verify the certificate: the examples of the reference do not, either. */
export const ASK = `ask() { # METHOD TARGET, then what else curl is to be told
  method=$1 path=$2
  shift 2
  curl ${EACH} -X "$method" --request-target "$path" "$@" "$CORE_URL"
}`

/** The function `raw` of a script, for what curl cannot send. */
export const RAW = `raw() { # what openssl is to be told; the request is on stdin
  authority=\${CORE_URL#https://}
  case $authority in *:[0-9]*) ;; *) authority=$authority:443 ;; esac
  openssl s_client -quiet -connect "$authority" "$@" 2>/dev/null
}`

/** Gives all tokens back at the end, however the script ends, and removes the TLS session. */
export function giveBack(variables: readonly string[], hasSession: boolean): string[] {
  if (variables.length === 0 && !hasSession) return []
  const tokens = variables.map(name => `"\${${name}:-}"`)
  return [
    'give_back() {',
    `  for token in ${tokens.join(' ')}; do`,
    `    [ -z "$token" ] || ask DELETE /api/v0/logon -H "Authorization: Bearer $token" >/dev/null 2>&1`,
    '  done',
    ...(hasSession ? [`  rm -f ${SESSION}`] : []),
    '}',
    'trap give_back EXIT',
    `trap 'exit 2' INT TERM`,
  ]
}

/** The functions of a script that look at answers and end it. A script ends with 1, 0, or, where it cannot tell, 2. */
export const VERDICTS = `reproduced() { echo "REPRODUCED: $*"; exit 1; }
not_reproduced() { echo "NOT REPRODUCED: $*"; exit 0; }
cannot_tell() { echo "CANNOT TELL: $*"; exit 2; }
status_of() { # ANSWERS: that of the last, though the body before it may end without a line break
  printf '%s\\n' "$1" | tr -d '\\r' | sed -n 's|.*HTTP/1\\.[01] \\([0-9][0-9][0-9]\\)\\( .*\\)\\{0,1\\}$|\\1|p' | tail -n 1
}
before() { # ANSWER, the statuses with which the rest makes sense
  status=$(status_of "$1")
  echo "\${status:-no answer}"
  case $status in $2) ;; *) cannot_tell "a request before the one in question got \${status:-no answer}" ;; esac
}`

/** Turned away: what such an answer says of the request is nothing. */
const TURNED_AWAY = '429|5??'

/** Returns the statuses that meet an expectation, as a pattern of the shell; undefined for one that no status meets alone. */
export function metBy(expected: string, { dialect: { acceptedStatus } }: RunResult): string | undefined {
  const [first = ''] = expected.replace(/^each of .*? of [\w× -]+: /, '').split('; ')
  const number = /^\d{3}\b/.exec(first)?.[0]
  if (number !== undefined) return number
  if (/^(accepted or rejected|either)\b/.test(first)) return '[24]??'
  if (/^accepted\b|\baccepted after(wards)?\b/.test(first))
    return acceptedStatus === null || (acceptedStatus >= 200 && acceptedStatus < 300) ? '2??' : String(acceptedStatus)
  if (/^(rejected|expired)\b/.test(first)) return '4??'
  if (first === 'asks for no token') return '2??'
  return undefined
}

/** What a logon must issue: no token, one that opens the API, or one that it did not issue before. */
type Issue = 'none' | 'one' | 'new'

/** Says what a step expects a logon to issue; undefined where it is about something else. */
export function issueOf({ expected = '', got = '' }: StepRecord): Issue | undefined {
  const words = expected.replace(/^each of .*? of [\w× -]+: /, '')
  if (/with a token that opens the API/.test(got) || /^(nothing issued|no token is issued)/.test(words)) return 'none'
  if (/^a new token is issued/.test(words)) return 'new'
  return /^(issued|a token is issued)/.test(words) ? 'one' : undefined
}

/**
 * Says by the status of `$answer` whether the miss is seen again.
 * @param exchange the one that showed the miss
 * @param again the line that asks for the answer of a request that every Core answers, for a miss that is the lack of an answer
 */
export function verdictLines(
  { expected = '' }: StepRecord,
  { response }: ExchangeRecord,
  result: RunResult,
  again: string,
): string[] {
  const met = metBy(expected, result)
  const seen = response?.status
  const head = ['status=$(status_of "$answer")']
  if (seen === undefined) {
    return [
      ...head,
      `[ -z "$status" ] || not_reproduced "the answer is $status; the run got none"`,
      `[ -n "$(status_of "$(${again})")" ] || cannot_tell 'this Core answers nothing'`,
      `reproduced 'no answer, as in the run'`,
    ]
  }
  const isSame = met !== undefined && new RegExp(`^${met.replaceAll('?', '\\d')}$`).test(String(seen))
  const isOpen = met === undefined && !/^(each of .*: )?(not accepted|anything but)/.test(expected)
  if (isSame || isOpen) return [...head, `cannot_tell "$status; compare the answer with what is expected, above"`]
  return [
    ...head,
    'case $status in',
    `  '') cannot_tell 'no answer came' ;;`,
    `  ${seen}) reproduced "$status, as in the run" ;;`,
    ...(met === undefined
      ? [`  ${TURNED_AWAY}) cannot_tell "$status says nothing" ;;`, `  *) not_reproduced "$status" ;;`]
      : [
          `  ${met}) not_reproduced "$status, as expected" ;;`,
          `  *) cannot_tell "$status is neither what is expected nor what the run got (${seen})" ;;`,
        ]),
    'esac',
  ]
}

/**
 * Says by what the logon of `$answer` issued whether the miss is seen again.
 * @param take the shell expression that takes the token from `$answer`
 * @param use the line that uses the token `$issued`
 * @param earlier the variables of the tokens that were issued before
 */
export function issueLines(
  issue: Issue,
  { take, use, earlier }: { take: string; use: string; earlier: readonly string[] },
  result: RunResult,
): string[] {
  const opens = metBy('accepted', result)
  const [yes, no] =
    issue === 'none' ? (['reproduced', 'not_reproduced'] as const) : (['not_reproduced', 'reproduced'] as const)
  const opening = [
    `[ -n "$issued" ] || ${no} "$status without a token"`,
    `use=$(status_of "$(${use})")`,
    `case $use in`,
    `  ${opens}) ${yes} "$status with a token that opens the API ($use)" ;;`,
    `  4??) ${no} "$status; what stands in the place of a token opens nothing ($use)" ;;`,
    `  *) cannot_tell "the use of the token got \${use:-no answer}" ;;`,
    'esac',
  ]
  return [
    'status=$(status_of "$answer")',
    `[ -n "$status" ] || cannot_tell 'no answer came'`,
    `case $status in ${TURNED_AWAY}) cannot_tell "$status says nothing" ;; esac`,
    `issued=$(${take})`,
    ...(issue === 'new'
      ? [
          `[ -n "$issued" ] || cannot_tell "$status without a token"`,
          `case " ${earlier.map(name => `\${${name}:-}`).join(' ')} " in *" $issued "*) reproduced "$status with an earlier token" ;; esac`,
          'not_reproduced "$status with a new token"',
        ]
      : opening),
  ]
}
