/** Tokens: their place in a logon response, their form, and tokens that were never issued. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { candidates, stringAt } from '../dist/core/candidates.js'
import { alphabetOf, changed, neverIssued, Token } from '../dist/core/token.js'

const HEX = '0123456789abcdef0123456789abcdef'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

const bodied = (body: string) => ({ headers: [], body })
const pointers = (body: unknown) => candidates(bodied(JSON.stringify(body))).map(({ pointer }) => pointer)

const found = suite('candidates')

found('the likeliest name comes first, then the longest value', () => {
  assert.equal(pointers({ id: 'x'.repeat(64), token: HEX }), ['/token', '/id'])
  assert.equal(pointers({ role: 'admin', access_token: JWT, refresh_token: JWT }), [
    '/access_token',
    '/refresh_token',
    '/role',
  ])
  assert.equal(pointers({ token_type: 'Bearer', 'auth-token': HEX }), ['/auth-token', '/token_type'])
  assert.equal(pointers({ csrfToken: HEX, sessionToken: HEX })[0], '/sessionToken')
  assert.equal(pointers({ tokenExpires: '2030-01-01', key: 'abc' })[0], '/key')
  assert.equal(pointers({ a: 'short', b: 'x'.repeat(20), c: 'x'.repeat(30) }), ['/c', '/b', '/a'])
})

found('strings are found at any depth, in objects and arrays, with their pointers escaped', () => {
  const body = { data: { 'a/b': [{ 'c~d': HEX }] } }
  const [only] = candidates(bodied(JSON.stringify(body)))
  assert.is(only?.pointer, '/data/a~1b/0/c~0d')
  assert.is(stringAt(bodied(JSON.stringify(body)), only?.pointer ?? ''), HEX)
})

found('a body that is a string is one itself', () => {
  assert.equal(candidates(bodied(`"${HEX}"`)), [{ pointer: '', value: HEX }])
  assert.is(stringAt(bodied(`"${HEX}"`), ''), HEX)
})

found('it is found in XML, in lines, in a form and in JSON within a string, and read again at the same place', () => {
  const at = (body: string, pointer: string) => {
    assert.equal(
      candidates(bodied(body)).filter(({ value }) => value === HEX),
      [{ pointer, value: HEX }],
    )
    assert.is(stringAt(bodied(body), pointer), HEX)
  }
  at(`<?xml version="1.0"?><session><user>admin</user><bearer id="1">${HEX}</bearer></session>`, '/bearer')
  at(`<s:Envelope xmlns:s='urn:x'><s:logon user="a" ticket='${HEX}'/></s:Envelope>`, '/ticket')
  at(`status=ok\r\ntoken=${HEX}\r\n`, '/token')
  at(`token=${HEX}`, '/token')
  at(`expires_in=3600&access_token=${HEX}`, '/access_token')
  at(JSON.stringify({ d: JSON.stringify({ Ticket: HEX }) }), '/d/Ticket')
  at(`)]}',\n${JSON.stringify({ token: HEX })}`, '/token')
  at(`for(;;);${JSON.stringify({ token: HEX })}`, '/token')
  const form = bodied('expires_in=3600&access_token=dXNlcjpwYXNzd29yZA%3D%3D')
  assert.equal(candidates(form), [{ pointer: '/access_token', value: 'dXNlcjpwYXNzd29yZA==' }])
  // A token may look like a pair, and a page for people is none.
  assert.equal(candidates(bodied('dXNlcjpwYXNzd29yZA==')), [{ pointer: '', value: 'dXNlcjpwYXNzd29yZA==' }])
  assert.equal(candidates(bodied('user:0123456789abcdef')), [{ pointer: '', value: 'user:0123456789abcdef' }])
  assert.equal(candidates(bodied(`<!DOCTYPE html><form><b>${HEX}</b></form>`)), [])
})

found('what stands in the place of a token that is not told is none', () => {
  for (const masked of ['0000000000000000', '********-****-****-****-********ab12']) {
    assert.equal(pointers({ token: masked }), [], masked)
    assert.equal(candidates(bodied(`<Session><SID>${masked}</SID></Session>`)), [])
  }
})

found('what cannot stand in a header is none', () => {
  const body = { a: 'two words', c: 'new\nline', d: '', e: 12345, f: null, g: true, h: 'ümlaut' }
  assert.equal(pointers(body), [])
})

found('what is no token68 comes after what is, where no name speaks for it', () => {
  assert.equal(pointers({ a: '2030-01-01T00:00:00Z', b: HEX }), ['/b', '/a'])
  assert.equal(pointers({ token: '17|AbCdEf', b: HEX }), ['/token', '/b'])
})

found('a scheme before it is no part of it', () => {
  assert.equal(candidates(bodied(`{"a":"Bearer ${HEX}"}`)), [{ pointer: '/a', value: HEX }])
  assert.is(stringAt(bodied(`{"a":"bearer  ${HEX}"}`), '/a'), HEX)
})

found('a header that is named like a token is one', () => {
  const response = {
    headers: [
      ['ETag', `"${HEX}"`],
      ['X-Request-Id', HEX],
      ['X-CSRF-Token', HEX],
      ['X-Auth-Token', HEX],
      ['Authorization', `Bearer ${JWT}`],
    ] as [string, string][],
    body: '{"user":"x","session":"y"}',
  }
  assert.equal(candidates(response), [
    { pointer: 'header:x-auth-token', value: HEX },
    { pointer: '/session', value: 'y' },
    { pointer: 'header:authorization', value: JWT },
    { pointer: '/user', value: 'x' },
  ])
  assert.is(stringAt(response, 'header:authorization'), JWT)
  assert.is(stringAt(response, 'header:x-token'), undefined)
})

found('a body that is no JSON but one word is one itself', () => {
  for (const body of [HEX, `${HEX}\n`, `Bearer ${HEX}`]) {
    assert.equal(candidates(bodied(body)), [{ pointer: '', value: HEX }])
    assert.is(stringAt(bodied(body), ''), HEX)
  }
})

found('a byte order mark is no part of JSON', () => {
  assert.is(stringAt(bodied(`\uFEFF{"token":"${HEX}"}`), '/token'), HEX)
})

found('JSON is found in lines, events, the parts of a multipart body, calls, and behind a prefix', () => {
  const held = `{"data":{"token":"${HEX}"}}`
  assert.equal(candidates(bodied(`{"type":"begin"}\n${held}\n{"type":"end","items":1}\n`))[0], {
    pointer: '/1/data/token',
    value: HEX,
  })
  const multipart = `A message in [several] parts.\r\n--=_x\r\nContent-Type: application/json\r\n\r\n${held}\r\n--=_x--\r\n`
  for (const body of [multipart, `event: logon\ndata: ${held}\n\n`, `called(${held});`, `)]}',\n${held}`]) {
    assert.equal(candidates(bodied(body)), [{ pointer: '/data/token', value: HEX }])
    assert.is(stringAt(bodied(body), '/data/token'), HEX)
  }
})

found('any other body that is no JSON holds none', () => {
  for (const body of ['', 'token', '<html>', '{"token":"abc']) {
    assert.equal(candidates(bodied(body)), [])
    assert.is(stringAt(bodied(body), '/token'), undefined)
  }
})

found('depth bombs and crowds come to an end', () => {
  const deep = `${'['.repeat(400_000)}"${HEX}"${']'.repeat(400_000)}`
  assert.equal(candidates(bodied(deep)), [])
  assert.is(stringAt(bodied(deep), '/0/0/0'), undefined)
  assert.equal(candidates(bodied(`x${'['.repeat(900_000)}`)), [])
  assert.equal(candidates(bodied(`[${`{"token":"${HEX}"},`.repeat(100_000)}`)), [])
  const wide = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => `string-${index}`))
  assert.is(candidates(bodied(wide)).length, 1000)
  assert.is(stringAt(bodied(wide), '/99999'), 'string-99999')
})

found('a pointer leads to a string of its own, or nowhere', () => {
  const body = JSON.stringify({ a: { b: ['x', true, 12] }, '': 'empty', 'm~n': 'tilde', __proto__own: 'p' })
  assert.is(stringAt(bodied(body), '/a/b/0'), 'x')
  assert.is(stringAt(bodied(body), '/a/b/2'), '12', 'a number is read as it is written')
  assert.is(stringAt(bodied(body), '/'), 'empty')
  assert.is(stringAt(bodied(body), '/m~0n'), 'tilde')
  for (const nowhere of [
    '/a',
    '/a/b',
    '/a/b/1',
    '/a/b/3',
    '/a/b/length',
    '/a/b/0/0',
    '/c',
    '/a/constructor/name',
    '/toString',
  ]) {
    assert.is(stringAt(bodied(body), nowhere), undefined, nowhere)
  }
})

found.run()

const token = suite('tokens')

token('a made-up token has the shape of the real one, and is never it', () => {
  const shapes: [like: string, shape: RegExp, alphabet: string][] = [
    [HEX, /^[0-9a-f]{32}$/, 'hex (lower case)'],
    [HEX.toUpperCase(), /^[0-9A-F]{32}$/, 'hex (upper case)'],
    ['12345678901234567890', /^[0-9]{20}$/, 'digits'],
    [JWT, /^[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{43}$/, 'token68'],
    ['b64+/chars+and/padding==', /^[a-z][0-9]{2}\+\/[a-z]{5}\+[a-z]{3}\/[a-z]{7}==$/, 'base64'],
    ['url_safe-Base64', /^[a-z]{3}_[a-z]{4}-[A-Z][a-z]{3}[0-9]{2}$/, 'base64url'],
    ['9f1c2d3e-0000-4abc-8def-0123456789ab', /^.{8}-.{4}-.{4}-.{4}-.{12}$/, 'base64url'],
    ['AbcDef123', /^[A-Z][a-z]{2}[A-Z][a-z]{2}[0-9]{3}$/, 'letters and digits'],
    ['a', /^[a-f]$/, 'hex (lower case)'],
  ]
  for (const [like, shape, alphabet] of shapes) {
    assert.is(alphabetOf(like), alphabet, like)
    for (let time = 0; time < 200; time++) {
      const made = neverIssued(like)
      assert.is.not(made, like)
      assert.match(made, shape)
    }
  }
})

token('a made-up token differs from call to call', () => {
  assert.is(new Set(Array.from({ length: 100 }, () => neverIssued(HEX))).size, 100)
})

token('where nothing can be made up, it comes to an end all the same', () => {
  assert.is(neverIssued(''), '')
  assert.is(neverIssued('-._'), '-._')
})

token('a change changes what it says, or is none', () => {
  assert.is(changed('abc', 'shortened'), 'ab')
  assert.is(changed('abc', 'prolonged'), 'abca')
  assert.is(changed('aBc1', 'upper case'), 'ABC1')
  assert.is(changed('aBc1', 'lower case'), 'abc1')
  assert.is(changed('ABC1', 'upper case'), undefined)
  assert.is(changed('123', 'lower case'), undefined)
  assert.is(changed('a', 'shortened'), undefined)
  const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
  for (const change of ['upper case', 'shortened'] as const) assert.is(changed(`{${uuid}}`, change), undefined)
  assert.ok(changed(uuid, 'last character'))
  for (const value of [HEX, JWT, 'a-.1', '7', '--a--']) {
    const made = changed(value, 'one character') ?? ''
    assert.is(made.length, value.length)
    assert.is([...made].filter((character, index) => character !== value[index]).length, 1, value)
  }
})

token('a change is one for a Core that decodes base64, too', () => {
  const decoded = (value: string) => Buffer.from(value.slice(value.lastIndexOf('.') + 1), 'base64').toString('hex')
  const bytes = Array.from({ length: 64 }, (_, index) => Buffer.alloc(32, index * 5 + 1))
  const tokens = bytes.flatMap(value => [
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.${value.toString('base64url')}`,
    value.toString('base64'),
    value.subarray(0, 31).toString('base64'),
    value.subarray(0, 30).toString('base64url'),
  ])
  for (const value of tokens) {
    for (const change of ['last character', 'shortened', 'prolonged'] as const) {
      const made = changed(value, change) ?? value
      assert.is.not(decoded(made), decoded(value), `${change} of ${value}: ${made}`)
    }
    const last = changed(value, 'last character') ?? ''
    assert.is(last.length, value.length)
    assert.is([...last].filter((character, index) => character !== value[index]).length, 1)
  }
  // Other tokens keep their alphabet.
  for (let time = 0; time < 50; time++) {
    assert.match(changed(HEX, 'last character') ?? '', /^[0-9a-f]{31}[0-9a-e]$/)
    assert.match(changed('1234567890', 'last character') ?? '', /^123456789[1-9]$/)
  }
})

token('use is noted: certain only when it was accepted', () => {
  const issued = { sentAt: 1, receivedAt: 2 }
  const made = new Token('token a', HEX, issued)
  assert.equal([made.certainUse, made.possibleUse], [issued, issued])
  const refused = { sentAt: 3, receivedAt: 4 }
  made.used(refused, false)
  assert.equal([made.certainUse, made.possibleUse], [issued, refused])
  const accepted = { sentAt: 5, receivedAt: 6 }
  made.used(accepted, true)
  assert.equal([made.certainUse, made.possibleUse], [accepted, accepted])
})

token('what is seen of one leads from one state to the next, also in another process', () => {
  const told: boolean[] = []
  const reading = { sentAt: 1, receivedAt: 2 }
  const make = () => new Token('token a', 'abc', reading, true, 0, ({ givenBack }) => told.push(givenBack))
  const standing = ({ isLive, givenBack, seenDead, lapsed }: Token) =>
    Object.entries({ isLive, givenBack, seenDead, lapsed }).flatMap(([name, holds]) => (holds ? [name] : []))
  const after = (...events: ('accepted' | 'revoked' | 'rejected' | 'lapse')[]) => {
    const made = make()
    for (const event of events) made[event]()
    assert.equal(standing(Token.from(made.state(), 0, () => {})), standing(made), events.join())
    return standing(made)
  }
  assert.equal(after(), ['isLive'])
  assert.equal(after('accepted'), ['isLive'])
  assert.equal(after('revoked'), ['givenBack'])
  assert.equal(after('rejected'), ['seenDead'])
  assert.equal(after('revoked', 'rejected'), ['givenBack', 'seenDead'])
  assert.equal(after('rejected', 'revoked'), ['givenBack', 'seenDead'])
  assert.equal(after('revoked', 'rejected', 'accepted'), ['isLive'])
  // No answer overrides the clock.
  assert.equal(after('lapse', 'accepted'), ['isLive', 'lapsed'])
  told.length = 0
  after('revoked', 'revoked', 'rejected', 'accepted', 'accepted')
  assert.equal(told, [true, false], 'the journal is told of what changes, and of nothing else')
})

token('a use that was under way while it was revoked does not make it live again; a later one does', () => {
  const made = new Token('token a', 'abc', { sentAt: 1, receivedAt: 2 })
  const request = { method: 'DELETE', path: '/', httpVersion: '1.1' as const, headers: [], omitHost: false }
  made.revoked({ request, sentAt: 10, receivedAt: 20 })
  made.accepted({ sentAt: 9, receivedAt: 30 })
  assert.ok(made.givenBack)
  made.accepted({ sentAt: 21, receivedAt: 30 })
  assert.ok(made.isLive)
})

token.run()
