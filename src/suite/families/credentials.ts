/** Makes logon bodies: wrong credentials that a careless comparison accepts, and right ones written differently. */
import { createHash } from 'node:crypto'
import type { Generator, Made } from './made.js'

/**
 * Makes wrong credentials, the most telling first: accounts lock after refusals, so a run may not get to the last. The
 * letter case and the blanks of a user name are left out, since the reference does not say whether they count.
 */
export const wrongCredentials: Generator = ({ username, password }) => {
  const half = Math.max(1, Math.floor(password.length / 2))
  const hash = createHash('sha256').update(password).digest('hex')
  // To hide the other texts would only blot out the evidence.
  const tells = (word: string) => !/^(.)\1*$/s.test(word) && word !== username
  const all: [name: string, username: unknown, password: unknown][] = [
    ['the user name as the password', username, username],
    ['the first half of the user name', username.slice(0, Math.max(1, Math.floor(username.length / 2))), password],
    ['another password of the same length', username, 'x'.repeat(password.length)],
    ['one character of the password changed', username, replaced(password, half)],
    ['the first half of the password', username, password.slice(0, half)],
    ['user name and password swapped', password, username],
    ['an operator as the password', username, { $ne: '' }],
    ['NUL and more behind the password', username, `${password}\0x`],
    ['a wildcard of SQL as the password', username, '%'],
    ['the password in wide letters', username, wide(password)],
    ['a line break behind the password', username, `${password}\n`],
    ['NUL and more behind the user name', `${username}\0x`, password],
    ['an injection behind the user name', `${username}' --`, 'x'],
    ['a wildcard as the password', username, '*'],
    ['the user name prolonged', `${username}x`, password],
    ['an empty user name', '', password],
    ['a wildcard as the user name', '%', password],
    ['null as the user name', null, password],
    ['the password from back to front', username, [...password].reverse().join('')],
    ['the password twice', username, password + password],
    ['a hash of the password', username, hash],
  ]
  return all
    .filter(([, name, word]) => name !== username || word !== password)
    .map(([name, wrong, word]) => ({
      name,
      body: JSON.stringify({ username: wrong, password: word }),
      secrets: typeof word === 'string' && tells(word) ? [word] : [],
    }))
}

/** Writes the right credentials as other programs write JSON (RFC 8259). Each is the same object. */
export const rightCredentials: Generator = ({ username, password }) => {
  const value = { username, password }
  const [name, word] = [JSON.stringify(username), JSON.stringify(password)]
  const made: Made[] = [
    { name: 'the password first', body: JSON.stringify({ password, username }) },
    { name: 'line breaks between its members', body: JSON.stringify(value, null, 2) },
    { name: 'lines that end as on Windows', body: JSON.stringify(value, null, 2).replaceAll('\n', '\r\n') },
    { name: 'tabs between its members', body: JSON.stringify(value, null, '\t') },
    { name: 'blanks around its colons', body: `{ "username" : ${name} , "password" : ${word} }` },
    { name: 'a line break behind it', body: `${JSON.stringify(value)}\n` },
    { name: 'blanks before it', body: `  ${JSON.stringify(value)}` },
    { name: 'escapes in the password', body: `{"username":${name},"password":"${escaped(password)}"}` },
    { name: 'escapes in the user name', body: `{"username":"${escaped(username)}","password":${word}}` },
    {
      name: 'escapes in the names of its members',
      body: `{"${escaped('username')}":${name},"${escaped('password')}":${word}}`,
    },
  ]
  const secrets = [escaped(password)]
  return made.map(each => ({ ...each, secrets }))
}

function escaped(text: string): string {
  return text.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Writes the ASCII characters of a text in their wide forms (U+FF01 and on). A compatibility normalization undoes that. */
function wide(text: string): string {
  return text.replace(/[!-~]/g, each => String.fromCharCode(each.charCodeAt(0) + 0xfee0))
}

/** Replaces the character at a place. */
function replaced(text: string, at: number): string {
  const other = text.charAt(at) === 'x' ? 'y' : 'x'
  return text.slice(0, at) + other + text.slice(at + 1)
}
