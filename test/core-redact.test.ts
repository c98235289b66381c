/** Secrets are hidden by value, in every form that a Core or a client may give them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { WireRequest, WireResponse } from '../dist/core/exchange.js'
import { hideByKind } from '../dist/core/hide-by-kind.js'
import { Redactor } from '../dist/core/redact.js'
import { formsOf } from '../dist/core/secret-forms.js'
import { long } from './support/long.js'

const test = suite('redactor')

function redact(secrets: Record<string, string>, text: string): string {
  const redactor = new Redactor()
  for (const [label, secret] of Object.entries(secrets)) redactor.hide(secret, label)
  return redactor.text(text)
}

const ODD = 'pä ß/"\\&\n\u2028=+%~!\'()*😀'

test('a secret is hidden wherever it stands, as often as it stands', () => {
  const text = 'Bearer tok-1234567 and tok-1234567, xtok-1234567x'
  assert.is(redact({ 'token a': 'tok-1234567' }, text), 'Bearer [token a] and [token a], x[token a]x')
})

test('a text without secrets stays as it is', () => {
  assert.is(redact({ password: 'Geheim-1234' }, 'nothing Geheim-123 here'), 'nothing Geheim-123 here')
  assert.is(redact({}, 'nothing'), 'nothing')
  assert.is(redact({ password: 'Geheim-1234' }, ''), '')
})

long(test)('every encoded form of a secret is hidden', () => {
  const bytes = Buffer.from(ODD)
  const url = encodeURIComponent(ODD)
  const json = JSON.stringify(ODD).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const forms: Record<string, string> = {
    plain: ODD,
    url,
    'url, lower case': url.replace(/%../g, code => code.toLowerCase()),
    form: url.replaceAll('%20', '+'),
    'url, strict': url.replace(/[!'()*]/g, code => `%${code.charCodeAt(0).toString(16).toUpperCase()}`),
    URLSearchParams: new URLSearchParams({ p: ODD }).toString().slice(2),
    'url of Python': url
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, code => `%${code.charCodeAt(0).toString(16).toUpperCase()}`),
    encodeURI: encodeURI(ODD),
    'URLSearchParams of a simple one': new URLSearchParams({ p: 'a b/ü' }).toString().slice(2),
    json,
    'json, ASCII only': ascii,
    'json, ASCII only, upper case': ascii.replace(/\\u..../g, code => `\\u${code.slice(2).toUpperCase()}`),
    'json with escaped slashes': json.replaceAll('/', '\\/'),
    'json of Go': json.replace(/[<>&\u2028]/g, code => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`),
    'json of .NET': ascii
      .replaceAll('\\"', '"')
      .replace(/[<>&'+"`]/g, code => `\\u00${code.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/\\u..../g, code => `\\u${code.slice(2).toUpperCase()}`),
    'json, every character escaped': Array.from(
      { length: ODD.length },
      (_, at) => `\\u${ODD.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
    'url, every byte escaped': Array.from(bytes, byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    'url in a url': encodeURIComponent(url),
    'UTF-16 read as UTF-8': Buffer.from(ODD, 'utf16le').subarray(0, -1).toString(),
    base64: bytes.toString('base64'),
    'base64 without padding': bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    'json in json': JSON.stringify(json).slice(1, -1),
    'json in json in json': JSON.stringify(JSON.stringify(json).slice(1, -1)).slice(1, -1),
    'json in json, its slashes escaped': JSON.stringify(json).slice(1, -1).replaceAll('/', '\\/'),
    'json on a page': json.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    'url of json': encodeURIComponent(json),
    'base64 of json': Buffer.from(json).toString('base64'),
    'xml text': ODD.replaceAll('&', '&amp;'),
    'xml attribute': ODD.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    html: ODD.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    'html of Go': ODD.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
    'html of Python': ODD.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;'),
    'html of PHP': ODD.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#039;'),
    hex: bytes.toString('hex'),
    'hex, upper case': bytes.toString('hex').toUpperCase(),
  }
  for (const [name, form] of Object.entries(forms)) {
    const redacted = redact({ password: ODD, other: 'a b/ü' }, `<${form}>`)
    assert.match(redacted, /^<\[(password|other)\]=*>$/, name)
  }
})

test('in base64 a secret is hidden as a part of something longer too', () => {
  const password = 'Geheim-1234+/?'
  for (const before of ['', 'a', 'an', 'anna:', 'anna: ']) {
    for (const after of ['', 'x', 'xy', 'xyz']) {
      const encoded = Buffer.from(before + password + after)
      for (const text of [encoded.toString('base64'), encoded.toString('base64url')]) {
        const redacted = redact({ password }, `Basic ${text}`)
        assert.match(redacted, /^Basic [\w+/-]{0,8}\[password\][\w+/-]{0,6}={0,2}$/, text)
        // Only the first and last bits remain.
        const [head = '', tail = ''] = redacted.slice(6).split('[password]')
        assert.is(head.length, Math.ceil((before.length * 8) / 6), text)
        assert.ok(tail.replace(/=+$/, '').length <= Math.ceil((after.length * 8) / 6) + 1, text)
      }
    }
  }
  // A short match could be chance.
  assert.is(redact({ password: 'abcd' }, 'xYmNkx'), 'xYmNkx')
})

test('a text that ends within a secret ends before it', () => {
  const secrets = { token: 'tok-0123456789abcdef', password: 'Geheim-1234' }
  assert.is(redact(secrets, 'last: tok-01234567'), 'last: [token]')
  assert.is(redact(secrets, 'last: tok-0123456'), 'last: tok-0123456', 'too little to be sure')
  assert.is(redact(secrets, 'tok-0123456789abcdeftok-0123456789abcde'), '[token][token]')
  assert.is(redact(secrets, 'tok-01234567 and more'), 'tok-01234567 and more')
  // In a text that is known to be cut off, a shorter part of a secret is enough.
  const redactor = new Redactor()
  for (const [label, secret] of Object.entries(secrets)) redactor.hide(secret, label)
  assert.is(redactor.text('last: tok-0123', true), 'last: [token]')
  assert.is(redactor.text('{"password":"Geheim', true), '{"password":"[password]')
  assert.is(redactor.text('{"password":"Geh', true), '{"password":"Geh')
})

test('a secret in a JSON body or a URL is hidden as it is written there', () => {
  const password = 'pa"ss\\wo/rd ü'
  const body = JSON.stringify({ username: 'admin', password })
  assert.is(redact({ password }, body), '{"username":"admin","password":"[password]"}')
  const url = new URL('https://core/api')
  url.searchParams.set('password', password)
  assert.is(redact({ password }, url.href), 'https://core/api?password=[password]')
})

test('characters that mean something to a regular expression mean nothing here', () => {
  for (const secret of ['a.b*c', '^start', '(group)', '[class]', 'a|bc|d', '$&$1', '\\d+\\', '{1,2}', 'a-z-9']) {
    assert.is(redact({ password: secret }, `x ${secret} y`), 'x [password] y')
    assert.is(redact({ password: secret }, 'axbbc start group 11 abcd'), 'axbbc start group 11 abcd')
  }
})

test('a short secret is hidden only as a word of its own', () => {
  assert.is(
    redact({ password: 'at' }, 'at what, at: "at" atat AT @at'),
    '[password] what, [password]: "[password]" atat AT @[password]',
  )
  assert.is(redact({ password: '1' }, '"status":1,"code":401'), '"status":[password],"code":401')
  // Its encoded forms are longer, but may be chance text too.
  assert.is(redact({ password: 'ab' }, 'port 61620, token 00616200, 6162'), 'port 61620, token 00616200, [password]')
  assert.is(redact({ password: 'abcd' }, 'xabcdx'), 'x[password]x')
})

test('of a secret within another nothing is left standing, in whatever order they come up', () => {
  const short = 'Geheim-1234'
  const long = `token-${short}-token`
  for (const secrets of [
    { short, long },
    { long, short },
  ]) {
    assert.is(redact(secrets, `${long} ${short}`), '[long] [short]')
  }
})

test('of secrets that overlap nothing is left standing, in whatever order they come up', () => {
  const one = 'abcdefgh'
  const two = 'efghijkl'
  for (const secrets of [
    { one, two },
    { two, one },
  ]) {
    assert.is(redact(secrets, '<abcdefghijkl>'), '<[one]>')
    assert.is(redact(secrets, '<abcdefghefghijkl>'), '<[one][two]>')
  }
  // A short secret overlaps the end of a long one.
  assert.is(redact({ long: 'abcdef--', short: '-x' }, 'abcdef--x y'), '[long] y')
})

test('a value keeps its first label', () => {
  const redactor = new Redactor()
  redactor.hide('abcdefgh', 'token a')
  redactor.hide('abcdefgh', 'withheld')
  assert.is(redactor.text('abcdefgh'), '[token a]')
})

test('a secret that comes up later is hidden from then on', () => {
  const redactor = new Redactor()
  redactor.hide('abcdefgh', 'token a')
  assert.is(redactor.text('abcdefgh ijklmnop'), '[token a] ijklmnop')
  redactor.hide('ijklmnop', 'token b')
  assert.is(redactor.text('abcdefgh ijklmnop'), '[token a] [token b]')
})

test('half a surrogate pair is a secret like any other', () => {
  assert.is(redact({ token: 'ab\ud800cd' }, 'x ab\ud800cd y'), 'x [token] y')
})

test('a password beyond ASCII is hidden as it is misread, and in numeric entities', () => {
  const password = 'Schlüssel "Größe" €9'
  const utf8 = Buffer.from(password)
  const entities = (write: (code: number) => string, which: RegExp) =>
    password.replace(which, character => write(character.codePointAt(0) ?? 0))
  const latin = 'Schlüssel-Größe'
  const forms: Record<string, [password: string, form: string]> = {
    'UTF-8 read as Latin-1': [password, utf8.toString('latin1')],
    'UTF-8 read as Windows-1252': [password, new TextDecoder('windows-1252').decode(utf8)],
    'Latin-1 read as UTF-8': [latin, Buffer.from(latin, 'latin1').toString('utf8')],
    'Latin-1 in a URL': [latin, 'Schl%FCssel-Gr%F6%DFe'],
    'Latin-1 in base64': [latin, Buffer.from(latin, 'latin1').toString('base64')],
    'misread, in JSON': [password, JSON.stringify(utf8.toString('latin1')).slice(1, -1)],
    'decimal entities': [password, entities(code => `&#${code};`, /[^ -~]|"/gu)],
    'hexadecimal entities': [password, entities(code => `&#x${code.toString(16).toUpperCase()};`, /[^A-Za-z0-9 ]/gu)],
    'every character': [password, entities(code => `&#${code};`, /./gu)],
    decomposed: [latin, latin.normalize('NFD')],
  }
  for (const [name, [secret, form]] of Object.entries(forms))
    assert.match(redact({ password: secret }, `<${form}>`), /^<\[password\]=*>$/, name)
})

test('a token of letters, digits and marks has the forms that any other text has', () => {
  // A tilde in front takes a text off the fast way for tokens. Its codes are cut off again, so that the forms compare.
  const codes = ['&#126;', '&#x7e;', '&#x7E;', '\\u007e', '\\u007E', '%7e', '%7E', '~\0']
  for (const token of ['0123456789', 'abcxyzABCXYZ', 'e.Y-9_z', '-._', 'jkmnoJKMNO.eyJ-_']) {
    const compared = [...formsOf(`~${token}`)].flatMap(form =>
      codes.filter(code => form.startsWith(code)).map(code => form.slice(code.length)),
    )
    const forms = formsOf(token)
    const missing = compared.filter(form => !forms.has(form))
    assert.equal(missing, [], token)
    // Seven ways to write every character, and UTF-16; with marks, three more that write the marks only.
    assert.ok(new Set(compared).size >= 6, token)
  }
})

long(test)('what goes on for longer than any evidence is hidden by its kind; of many that may be secrets, all', () => {
  const redactor = new Redactor()
  redactor.hide('kanari-token-1234', 'token a')
  const long = 'Zx9-'.repeat(2000)
  assert.is(
    redactor.text(`see ${long}, kanari-token-1234 and ${'word '.repeat(2000)}`).slice(0, 31),
    'see [withheld], [token a] and w',
  )
  for (let index = 0; index <= 5000; index++) redactor.hide(`Withheld${index}Xy7Zq`, 'withheld')
  assert.is(
    redactor.text('GET /api/v0/cores/self/users never-Seen8Before9Xy'),
    'GET /api/v0/cores/self/users [withheld]',
  )
})

test('what goes on for longer than any evidence is hidden as a whole, also where a known secret stands within it', () => {
  const redactor = new Redactor()
  redactor.hide('xxxxxxxxxxxx', 'a secret')
  const token = `kanariT0123456789abcdef01234567${'x'.repeat(5000)}`
  const shown = redactor.text(`{"bearer":"${token}behind"}`)
  assert.not.match(shown, /kanari|behind/)
  assert.match(shown, /^\{"bearer":"\[[a-z ]+\]"\}$/)
})

test('what was withheld gets its name when it turns out to be a token', () => {
  const redactor = new Redactor()
  const told: string[] = []
  redactor.onNew = (_, label) => told.push(label)
  redactor.hide('kanari-token-1234', 'withheld')
  redactor.hide('kanari-token-1234', 'token a')
  redactor.hide('kanari-token-1234', 'withheld')
  assert.is(redactor.text('kanari-token-1234'), '[token a]')
  assert.equal(told, ['withheld', 'token a'])
})

const answer = (status: number, headers: [string, string][], body: string, complete = true): WireResponse => ({
  status,
  statusText: '',
  httpVersion: '1.1',
  headers,
  body,
  bodyBytes: body.length,
  complete,
})
const asked = (method: string, authorization?: string): WireRequest => ({
  method,
  path: '/api/v0/logon',
  headers: authorization === undefined ? [] : [['Authorization', authorization]],
  httpVersion: '1.1',
  omitHost: false,
})

test('what is secret by its kind is hidden in every answer: cookies, headers and fields that are named like a token', () => {
  const redactor = new Redactor()
  const body =
    '{"refreshToken":"Kanari0Refresh0Field","note":"harmless0Value0Of0Length","x":{"session_id": "Kanari0Session0Field'
  const headers: [string, string][] = [
    ['Set-Cookie', 'sid=Kanari0Cookie0Value; Path=/'],
    ['X-Auth-Token', 'Kanari0Header0Value'],
    ['authorization', 'Bearer Kanari0Answered0Back'],
    ['X-Request-Id', 'harmless0Request0Number'],
  ]
  hideByKind(redactor, asked('GET'), answer(401, headers, body))
  const text = redactor.text(`${headers.join()} ${body}`)
  assert.not.match(text, /Kanari/)
  assert.match(text, /harmless0Value0Of0Length/)
  assert.match(text, /harmless0Request0Number/)
})

test('of a logon that should have been refused, or was cut, whatever could be a token is hidden, also in its headers', () => {
  for (const response of [
    answer(200, [['X-Whatever', 'Kanari0Token0In0Header']], '{"data":"Kanari0Token0In0Body1"}'),
    answer(201, [['X-Whatever', 'Kanari0Token0In0Header']], '{"data":"Kanari0T', false),
  ]) {
    const redactor = new Redactor()
    hideByKind(redactor, asked('POST'), response)
    assert.not.match(redactor.text(`${response.headers.join()} ${response.body}`), /Kanari/)
  }
})

test('a token that was made up is marked as that, and one of the run keeps its name', () => {
  const redactor = new Redactor()
  redactor.hide('kanari-token-1234', 'token a')
  hideByKind(redactor, asked('GET', 'Bearer made-up-5678-xyz'), undefined)
  hideByKind(redactor, asked('GET', 'Bearer kanari-token-1234'), undefined)
  assert.is(redactor.text('made-up-5678-xyz, kanari-token-1234'), '[made-up token], [token a]')
  // A value that was made from a token, with the same end as another one.
  hideByKind(redactor, asked('GET', 'Bearer KANARI-made-up-5678-xyz'), undefined)
  assert.is(redactor.text('Bearer KANARI-made-up-5678-xyz'), 'Bearer [made-up token]')
})

test.run()
