/** The first lines of a script that repeats a failure by hand: the credentials, and the functions that send requests. */
import { word } from './shell.js'
import { EACH } from './shell-request.js'

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
  const hasName = username !== undefined
  return [
    ...(hasName && body.includes('$CORE_USERNAME')
      ? [`[ -n "\${CORE_USERNAME:-}" ] || CORE_USERNAME=${word(username)}`]
      : []),
    ...(!hasName && body.includes('$CORE_USERNAME')
      ? ask('CORE_USERNAME', [`printf 'User name: ' >&2`, 'IFS= read -r CORE_USERNAME'])
      : []),
    ...(body.includes('CORE_PASSWORD')
      ? ask('CORE_PASSWORD', [
          `printf 'Password: ' >&2`,
          `trap 'stty echo; exit 2' INT TERM`,
          'stty -echo',
          'IFS= read -r CORE_PASSWORD',
          'stty echo',
          'echo >&2',
        ])
      : []),
  ]
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

/** Gives all tokens back at the end, however the script ends. */
export function giveBack(variables: readonly string[]): string[] {
  if (variables.length === 0) return []
  const tokens = variables.map(name => `"\${${name}:-}"`)
  return [
    'give_back() {',
    `  for token in ${tokens.join(' ')}; do`,
    `    [ -z "$token" ] || ask DELETE /api/v0/logon -H "Authorization: Bearer $token" >/dev/null 2>&1`,
    '  done',
    '}',
    'trap give_back EXIT',
    `trap 'exit 2' INT TERM`,
  ]
}
