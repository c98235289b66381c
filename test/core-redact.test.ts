/** Secrets are hidden by value, in every form that a Core or a client may give them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Redactor } from '../dist/core/redact.js'

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

test('every encoded form of a secret is hidden', () => {
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
        // No more than the first and last bits are left.
        const [head = '', tail = ''] = redacted.slice(6).split('[password]')
        assert.is(head.length, Math.ceil((before.length * 8) / 6), text)
        assert.ok(tail.replace(/=+$/, '').length <= Math.ceil((after.length * 8) / 6) + 1, text)
      }
    }
  }
  // Of a short one there is too little to tell it from chance.
  assert.is(redact({ password: 'abcd' }, 'xYmNkx'), 'xYmNkx')
})

test('a text that ends within a secret ends before it', () => {
  const secrets = { token: 'tok-0123456789abcdef', password: 'Geheim-1234' }
  assert.is(redact(secrets, 'last: tok-01234567'), 'last: [token]')
  assert.is(redact(secrets, 'last: tok-0123456'), 'last: tok-0123456', 'too little to be sure')
  assert.is(redact(secrets, 'tok-0123456789abcdeftok-0123456789abcde'), '[token][token]')
  assert.is(redact(secrets, 'tok-01234567 and more'), 'tok-01234567 and more')
  // Where it is known that there was more, less is enough.
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

test('a label may hold what means something in a replacement', () => {
  assert.is(redact({ "$& $1 $'": 'Geheim-1234' }, 'x Geheim-1234 y'), "x [$& $1 $'] y")
})

test('a short secret is hidden only as a word of its own', () => {
  assert.is(
    redact({ password: 'at' }, 'at what, at: "at" atat AT @at'),
    '[password] what, [password]: "[password]" atat AT @[password]',
  )
  assert.is(redact({ password: '1' }, '"status":1,"code":401'), '"status":[password],"code":401')
  // Its encoded forms are longer, and chance text all the same.
  assert.is(redact({ password: 'ab' }, 'port 61620, token 00616200, 6162'), 'port 61620, token 00616200, [password]')
  assert.is(redact({ password: 'abcd' }, 'xabcdx'), 'x[password]x')
})

test('an empty secret hides nothing', () => {
  assert.is(redact({ password: '' }, 'some text'), 'some text')
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
  // A short one that lies across the end of a long one.
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

test('a great many secrets, and a huge one, are no problem', () => {
  const redactor = new Redactor()
  const secrets = Array.from({ length: 1000 }, (_, index) => `secret-${index.toString(36).padStart(6, '0')}-terces`)
  for (const secret of secrets) redactor.hide(secret, 'secret')
  redactor.hide('y'.repeat(1024 * 1024), 'huge')
  assert.is(redactor.text(secrets.join(' ')), secrets.map(() => '[secret]').join(' '))
  assert.is(redactor.text(`<${'y'.repeat(1024 * 1024)}>`), '<[huge]>')
})

test.run()
