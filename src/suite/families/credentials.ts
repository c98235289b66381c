/**
 * Makes logons: wrong credentials that careless code takes for right, and right ones that are written differently.
 * Over 250 lines, since it is one table.
 */

import { createHash } from 'node:crypto'
import { count } from '../../ground/count.js'
import { decoded } from '../../ground/decoded.js'
import { distinct, type Generator, type Made, type Material } from './made.js'

/**
 * Makes wrong credentials, the most telling first: accounts lock after refusals, so a run may not get to the last. The
 * first ones are each seen through by several kinds of careless code. The letter case and the blanks of a user name are left
 * out, since the reference does not say whether they count. So are other names of the members, and bodies that hold the right
 * pair too: their credentials may be called right.
 */
export const wrongCredentials: Generator = material => {
  const { username, password } = material
  // Some are the right pair after all, or the same as another.
  const right = JSON.stringify({ username, password })
  const wrong = [...tellingForms(material), ...furtherForms(material)].filter(({ body }) => body !== right)
  return distinct(wrong, ({ name: _, secrets: __, ...sent }) => [JSON.stringify(sent)])
}

/** Makes bodies in which the password is no string, though what is in it may be right, or in which the user name is missing. */
export const mistypedCredentials: Generator = ({ username, password }) =>
  Object.entries({
    'null as the password': { username, password: null },
    // A loose comparison takes it for any text.
    'true as the password': { username, password: true },
    'the right password in an array': { username, password: [password] },
    'the right password in an object': { username, password: { value: password } },
    'no user name': { password },
  }).map(([name, value]) => ({ name, body: JSON.stringify(value) }))

/**
 * Makes further bodies in which the user name or the password is no string, or that are no JSON object of both. What else is in them
 * may be right.
 */
export const malformedCredentials: Generator = ({ username, password }) => {
  const [name, word] = [JSON.stringify(username), JSON.stringify(password)]
  const values: [name: string, username: unknown, password: unknown][] = [
    ['the user name in an array', [username], password],
    ['the user name in an object', { value: username }, password],
    ['an operator as the user name', { $ne: '' }, password],
    ['operators as user name and password', { $gt: '' }, { $gt: '' }],
    ['null as user name and password', null, null],
    ['a number as the user name', 0, password],
    ['true as the user name', true, password],
    ['an empty array as the user name', [], password],
    ['an empty array as the password', username, []],
    ['an empty object as the password', username, {}],
    ['a number as the password', username, 0],
    ['false as the password', username, false],
    ['the right password among others in an array', username, ['x', password]],
    ['the right password two arrays deep', username, [[password]]],
    ['a pattern as the password', username, { $regex: '.*' }],
  ]
  const texts: [name: string, body: string][] = [
    ['an array of user name and password', `[${name},${word}]`],
    ['the user name alone, as a string', name],
    ['the word null', 'null'],
    ['the word true', 'true'],
    ['a body that breaks off in the password', `{"username":${name},"password":"`],
    ['a body that breaks off behind the user name', `{"username":${name},`],
    ['a wrong password behind which the body breaks off', `{"username":${name},"password":"x"`],
  ]
  return [
    ...values.map(([what, user, pass]) => ({ name: what, body: JSON.stringify({ username: user, password: pass }) })),
    ...texts.map(([what, body]) => ({ name: what, body })),
  ]
}

/** Writes the right credentials as other programs write JSON (RFC 8259). Each is the same object. */
export const rightCredentials: Generator = ({ username, password }) => {
  const value = { username, password }
  const [name, word] = [JSON.stringify(username), JSON.stringify(password)]
  const [escapedName, escapedWord] = [escaped(username), escaped(password)]
  const made: Made[] = [
    { name: 'the password first', body: JSON.stringify({ password, username }) },
    { name: 'line breaks between its members', body: JSON.stringify(value, null, 2) },
    { name: 'lines that end as on Windows', body: JSON.stringify(value, null, 2).replaceAll('\n', '\r\n') },
    { name: 'tabs between its members', body: JSON.stringify(value, null, '\t') },
    { name: 'blanks around its colons', body: `{ "username" : ${name} , "password" : ${word} }` },
    { name: 'a line break behind it', body: `${JSON.stringify(value)}\n` },
    { name: 'blanks before it', body: `  ${JSON.stringify(value)}` },
    { name: 'escapes in the password', body: `{"username":${name},"password":"${escapedWord}"}` },
    { name: 'escapes in the user name', body: `{"username":"${escapedName}","password":${word}}` },
    {
      name: 'escapes in capital digits',
      body: `{"username":"${inCapitals(escapedName)}","password":"${inCapitals(escapedWord)}"}`,
    },
    {
      name: 'escapes in the names of its members',
      body: `{"${escaped('username')}":${name},"${escaped('password')}":${word}}`,
    },
    {
      name: 'another order, blanks, line breaks and escapes at once',
      body: `\r\n{\n\t"password" : "${escapedWord}" ,\n  "${escaped('username')}" : "${escapedName}"\n}\n`,
    },
  ]
  const secrets = [escapedWord, inCapitals(escapedWord)]
  return made.map(each => ({ ...each, secrets }))
}

/** Writers of forms, by what they change. What is made from the password is secret. */
function writers({ username, password }: Material) {
  const form = (name: string, user: unknown, word: unknown): Made => ({
    name,
    body: JSON.stringify({ username: user, password: word }),
  })
  // To hide such a word would only blot out the evidence.
  const tells = (word: string) => !/^(.)\1*$/s.test(word) && word !== username
  // Of the password in quotes, only what JSON makes of it: as it is, it stands in the body of every right logon.
  const right = JSON.stringify({ username, password })
  const secret = (word: string) =>
    word.includes(password) && right.includes(word) ? JSON.stringify(word).slice(1, -1) : word
  return {
    /** The right user with a password that is made from the right one. */
    made: (name: string, word: string, user = username): Made => ({
      ...form(name, user, word),
      ...(tells(word) && { secrets: [secret(word)] }),
    }),
    /** The right user with a password of its own. */
    fixed: (name: string, word: unknown) => form(name, username, word),
    /** Another user name. */
    named: (name: string, user: unknown, word = password) => form(name, user, word),
  }
}

/** The forms that every run sends, as far as its budget goes. */
function tellingForms(material: Material): Made[] {
  const { username, password } = material
  const { made, fixed, named } = writers(material)
  const wrong = wrongWord(password)
  return [
    fixed('an empty password', ''),
    named('an empty user name', ''),
    made('the password without its last character', password.slice(0, -1)),
    made('the password with one more character', password + wrong),
    made('the password in the other case', [...password].map(otherCase).join('')),
    made('blanks around the password', ` ${password} `),
    fixed('a condition of SQL as the password', "' OR '1'='1"),
    fixed('the user name as the password', username),
    named('an injection behind the user name', `${username}' OR '1'='1' -- `, wrong),
    fixed('an operator as the password', { $ne: '' }),
    made('the last character of the password changed', changed(password, password.length - 1)),
    named('the first half of the user name', username.slice(0, half(username))),
    made('NUL and more behind the password', `${password}\0x`),
    named('NUL and more behind the user name', `${username}\0x`),
    made('the password from back to front', [...password].reverse().join('')),
    fixed('a wildcard as the password', '*'),
    fixed('a wildcard of SQL as the password', '%'),
    named('null as the user name', null),
    named('the user name prolonged', `${username}${wrong}`),
    made('the password in wide letters', moved(password, 0xfee0)),
    made('a line break behind the password', `${password}\n`),
    made('the password behind another character', `${wrong}${password}`),
    ...(/^[!-~]+$/.test(username)
      ? [{ ...fixed('headers of a proxy that name the user', wrong), headers: proxyHeaders(username) }]
      : []),
    made('characters whose last 8 bits are those of the password', moved(password, 0x100)),
    named('user name and password swapped', password, username),
    fixed('a pattern as the password', '.*'),
    {
      name: 'a wrong password in the fields of a form',
      body: String(new URLSearchParams({ username, password: wrong })),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    made('the password and 256 more characters', password + wrong.repeat(256)),
    named('an empty user name with an empty password', '', ''),
    made('user name and password, both as the password', `${username}:${password}`),
    made('a hash of the password', digest('sha256', password)),
  ]
}

/** The forms that only a run with time to spare sends. */
function furtherForms(material: Material): Made[] {
  const { made, fixed, named } = writers(material)
  const { username, password } = material
  const [middle, wrong] = [half(password), wrongWord(password)]
  return [
    made('all of the password but its ends changed', ends(password, wrong)),
    made('the first character of the password changed', changed(password, 0)),
    made('one character of the password changed', changed(password, middle)),
    made('the password without its first character', password.slice(1)),
    made('the last half of the password', password.slice(middle)),
    ...BOUNDARIES.filter(bytes => bytes < password.length).map(bytes =>
      made(`another end behind ${count(bytes, 'character')}`, password.slice(0, bytes) + wrong.repeat(3)),
    ),
    { name: 'members that claim a right', body: JSON.stringify({ username, password: wrong, ...CLAIMS }) },
    ...besidesForms(fixed('', wrong), material, wrong),
    named('the last character of the user name changed', changed(username, username.length - 1)),
    named('the user name without its first character', username.slice(1)),
    named('a wildcard as the user name', '*'),
    named('a wildcard of SQL as the user name', '%'),
    named('a pattern as the user name', '.*'),
    named('a comment of SQL behind the user name', `${username}'/*`, wrong),
    named('a comment of MySQL behind the user name', `${username}'#`, wrong),
    named('a filter of LDAP behind the user name', `${username})(|(a=`, wrong),
    named('a condition of XPath behind the user name', `${username}' or '1'='1`, wrong),
    named('the password as user name and password', password),
    named('a line break and more behind the user name', `${username}\nx`),
    named('a path before the user name', `x/../${username}`),
    made('the first character of the password in the user name', password.slice(1), username + password.slice(0, 1)),
    made('the last character of the user name in the password', username.slice(-1) + password, username.slice(0, -1)),
    named('user name and password, both as the user name', `${username}:${password}`, ''),
    made('the password with the high bit set', moved(password, 0x80)),
    made('the password URL-encoded', bytesAs(password, '%')),
    made('the password in base64', Buffer.from(password).toString('base64')),
    made(
      'the password in entities of HTML',
      unitsAs(password, unit => `&#${unit.charCodeAt(0)};`),
    ),
    made('the password in escapes of JSON', escaped(password)),
    made('the password in hex digits', bytesAs(password, '')),
    made(
      'the password in UTF-16',
      unitsAs(password, unit => `${unit}\0`),
    ),
    made('the password URL-decoded', decoded(password.replaceAll('+', ' '))),
    ...['md5', 'sha1'].map(name => made(`the ${name} of the password`, digest(name, password))),
    made('the hash of user name and password', digest('sha256', `${username}:${password}`)),
    ...BEHIND.map(([what, text]) => made(`${what} behind the password`, password + text)),
    ...BEFORE.map(([what, text]) => made(`${what} before the password`, text + password)),
    made('the first letter of the password in another case', otherCase(password.slice(0, 1)) + password.slice(1)),
    made('two characters of the password swapped', swapped(password, middle)),
    made('the last character of the password doubled', password + password.slice(-1)),
    made('the password without one in the middle', password.slice(0, middle) + password.slice(middle + 1)),
    made('a blank within the password', `${password.slice(0, middle)} ${password.slice(middle)}`),
    ...Object.entries(QUERIES).map(([name, word]) => fixed(name, word)),
    made('a pattern behind half of the password', `${password.slice(0, middle)}.*`),
    made('a wildcard behind half of the password', `${password.slice(0, middle)}*`),
    made('a wildcard of SQL behind half of the password', `${password.slice(0, middle)}%`),
    fixed('a blank as the password', ' '),
    fixed('NUL as the password', '\0'),
    ...WORDS.map(word => fixed(`'${word}' as the password`, word)),
    made('the password in quotes', `"${password}"`),
    fixed('a wildcard for each character', '?'.repeat(password.length)),
    fixed('a wildcard of SQL for each character', '_'.repeat(password.length)),
    fixed('an anchored pattern as the password', '^.*$'),
  ]
}

/** Forms of a wrong password that differ in what goes beside the body. */
function besidesForms({ body = '' }: Made, { path, username }: Material, wrong: string): Made[] {
  const basic = (word: string) => `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`
  const typed = (type: string) => ({ body, headers: { 'Content-Type': type } })
  const query = String(new URLSearchParams({ username, password: wrong }))
  return [
    { name: 'a wrong password, with Basic too', body, headers: { Authorization: basic(wrong) } },
    { name: 'a wrong password, with Basic for the user alone', body, headers: { Authorization: basic('') } },
    { name: 'a wrong password, with cookies that claim a right', body, headers: { Cookie: 'auth=1; admin=1; user=1' } },
    { name: 'a wrong password as plain text', ...typed('text/plain') },
    { name: 'a wrong password as XML', ...typed('application/xml') },
    { name: 'a wrong password, in the query too', body, path: `${path}?${query}` },
    { name: 'a wrong password, to be debugged', body, path: `${path}?debug=1&test=1&force=1` },
    { name: 'a wrong password, as a PUT by its header', body, headers: { 'X-HTTP-Method-Override': 'PUT' } },
    { name: 'a wrong password in HTTP/1.0', body, http: '1.0' },
    { name: 'a wrong password on a connection of its own', body, connection: 'new' },
    { name: 'a wrong password with PUT', body, method: 'PUT' },
    { name: 'a wrong password with PATCH', body, method: 'PATCH' },
  ]
}

/** How many bytes of a password were compared by code of this and other days: DES crypt, fields of records, bcrypt. */
const BOUNDARIES = [8, 16, 20, 32, 40, 56, 64, 72, 128]

/** Texts behind a password that trimming, cutting or decoding loses. */
const BEHIND: [what: string, text: string][] = [
  ['a blank', ' '],
  ['a tab', '\t'],
  ['a line break of Windows', '\r\n'],
  ['NUL', '\0'],
  ['a no-break space', '\u00a0'],
  ['a zero-width space', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a combining mark', '\u0301'],
  ['a lone surrogate', '\ud800'],
  ['a character and a backspace', 'x\b'],
  ['another line', '\nx'],
  ['another word', ' x'],
  ['a colon and more', ':x'],
  ['a comma and more', ',x'],
  ['a semicolon and more', ';x'],
  ['an ampersand and more', '&x'],
]

/** The same before it. */
const BEFORE: [what: string, text: string][] = [
  ['a blank', ' '],
  ['a line break', '\n'],
  ['NUL', '\0'],
  ['a byte order mark', '\ufeff'],
  ['another line', 'x\n'],
  ['more and a colon', 'x:'],
  ['more and a comma', 'x,'],
]

/** Passwords that a query language takes for a condition. */
const QUERIES: Readonly<Record<string, string>> = {
  'a condition of SQL without quotes': '1 OR 1=1',
  'a condition of SQL in double quotes': '" OR ""="',
  'a union of SQL': "' UNION SELECT 1 -- ",
  'a filter of LDAP': '*)(|(objectClass=*',
  'a condition of XPath': "' or true() or '",
  'an operator as a text': '{"$ne":""}',
  'a command of a shell': '$(true)',
}

/** Words that a conversion makes of nothing, and passwords that devices are delivered with. */
const WORDS = ['undefined', 'null', 'true', '0', 'admin', 'password', '1234']

/** Members that code which copies all of them may believe. */
const CLAIMS = { authenticated: true, verified: true, admin: true, role: 'admin', force: true, debug: true, id: 1 }

/** Headers by which a proxy tells whom it has let in, and from where. */
function proxyHeaders(username: string): Record<string, string> {
  const users = ['X-Forwarded-User', 'X-Remote-User', 'Remote-User', 'X-User', 'X-Auth-User', 'X-Authenticated-User']
  const places = ['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP']
  return Object.fromEntries([...users.map(name => [name, username]), ...places.map(name => [name, '127.0.0.1'])])
}

function wrongWord(password: string): string {
  return password === 'x' ? 'y' : 'x'
}

function half(text: string): number {
  return Math.max(1, Math.floor(text.length / 2))
}

function digest(name: string, text: string): string {
  return createHash(name).update(text).digest('hex')
}

function escaped(text: string): string {
  return unitsAs(text, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function unitsAs(text: string, write: (unit: string) => string): string {
  return text.replace(/[\s\S]/g, write)
}

/** Writes the digits of escapes in capitals. */
function inCapitals(escapes: string): string {
  return escapes.replace(/[a-f]/g, digit => digit.toUpperCase())
}

/**
 * Moves the ASCII characters of a text up by this much. By 0xfee0 they become their wide forms, which a compatibility
 * normalization undoes.
 */
function moved(text: string, by: number): string {
  return text.replace(/[!-~]/g, each => String.fromCharCode(each.charCodeAt(0) + by))
}

/** Replaces the character at a place. */
function changed(text: string, at: number): string {
  const other = text.charAt(at) === 'x' ? 'y' : 'x'
  return text.slice(0, at) + other + text.slice(at + 1)
}

/** Keeps the first and the last character. */
function ends(text: string, filler: string): string {
  return text.length < 3 ? text : text.slice(0, 1) + filler.repeat(text.length - 2) + text.slice(-1)
}

/** Swaps the character at a place with the one before it. */
function swapped(text: string, at: number): string {
  return text.slice(0, at - 1) + text.charAt(at) + text.charAt(at - 1) + text.slice(at + 1)
}

function otherCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}

/** Writes each byte as two hex digits with a text before them. */
function bytesAs(text: string, before: string): string {
  return [...Buffer.from(text)].map(byte => before + byte.toString(16).padStart(2, '0')).join('')
}
