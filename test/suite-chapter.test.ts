/** A second chapter, added as data alone: the one of docs/writing-specs.md, about added endpoints of the mock Core. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMockCore } from 'core-conformance'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadRoutes } from '../dist/mock/index.js'
import { cli, inFolder, reportsIn } from './cli-support.js'
import { blockOf } from './support/docs.js'
import { long } from './support/long.js'

const test = suite('chapters')

const CREATED = 'POST /api/v0/streams: { status: 201, body: { id: "s 7/1", name: conformance } }'
const READ = 'GET /api/v0/streams/{id}: { body: { id: s-7, name: conformance } }'
const DELETED = 'DELETE /api/v0/streams/{id}: { status: 204 }'

/** Writes a folder with the chapter. @param changes parts of its specs with their replacements */
function writeChapter(folder: string, ...changes: [from: string, to: string][]): void {
  mkdirSync(join(folder, 'specs-streams'))
  for (const name of ['requirements', 'requests', 'streams']) {
    const path = `specs-streams/${name}.yaml`
    let text = blockOf('writing-specs.md', path)
    for (const [from, to] of name === 'streams' ? changes : []) {
      assert.ok(text.includes(from), from)
      text = text.replace(from, () => to)
    }
    writeFileSync(join(folder, path), text)
  }
}

async function runChapter(folder: string, routes: string[]) {
  writeFileSync(join(folder, 'routes.yaml'), `${routes.join('\n')}\n`)
  const core = await startMockCore()
  try {
    for (const { method, path, answer } of await loadRoutes(join(folder, 'routes.yaml'))) core.on(method, path, answer)
    const args = ['run', '--specs', 'specs-streams', '--only', 'streams', '--insecure']
    const ended = await cli(args, { cwd: folder, env: envOf(core) })
    return { ...ended, ...reportsIn(folder) }
  } finally {
    await core.close()
  }
}

const envOf = ({ url, credentials }: Awaited<ReturnType<typeof startMockCore>>) => ({
  CORE_URL: url,
  CORE_USERNAME: credentials.username,
  CORE_PASSWORD: credentials.password,
})

const stateIn = ({ requirements }: Pick<ReturnType<typeof reportsIn>, 'requirements'>) =>
  (requirements ?? []).filter(({ id }) => id.startsWith('STREAM-')).map(({ id, state }) => [id, state])

long(test)('a failure accuses a requirement of the chapter, in every report; the body is held against its schema', () =>
  inFolder(async folder => {
    writeChapter(folder)
    const result = await runChapter(folder, [CREATED, READ, DELETED])
    assert.is(result.code, 1, result.stdout)
    assert.equal(stateIn(result), [
      ['STREAM-1', 'met'],
      ['STREAM-2', 'not met'],
    ])
    const [spec] = result.specs
    assert.equal(
      spec?.steps.map(({ kind, outcome, requirements = [] }) => [kind, outcome, ...requirements]),
      [
        ['given', 'ok'],
        ['given', 'ok'],
        ['check', 'ok', 'STREAM-1'],
        ['control', 'ok'],
        ['check', 'miss', 'STREAM-2'],
      ],
    )
    assert.match(result.texts, /<failure[^>]*STREAM-2/)
    assert.match(result.stdout, /a deleted stream is still there/)
    assert.match(result.stdout, /A client shows streams that are gone/)
    // A saved value is encoded in a path. Neither request of the chapter was taken for one that revokes the token.
    const paths = spec?.exchanges.map(({ request }) => `${request.method} ${request.path}`) ?? []
    assert.ok(paths.includes('DELETE /api/v0/streams/s%207%2F1'), paths.join('; '))
    assert.equal(paths.at(-1), 'DELETE /api/v0/logon')
    assert.is(result.tokens.left, 0)
  }),
)

test('explain tells what is saved, and what a body has to be', () =>
  inFolder(async folder => {
    writeChapter(folder)
    const { code, stdout } = await cli(['explain', 'streams-life', '--specs', 'specs-streams'], { cwd: folder })
    assert.is(code, 0)
    assert.match(stdout, /saved: \{stream-id\} from \/id/)
    assert.match(stdout, /it is answered 200, and its body fits \{"type":"object"/)
  }))

test('on a Core that keeps the chapter all is met; what is saved goes into paths, headers and bodies, and a secret into no output', () =>
  inFolder(async folder => {
    const core = await startMockCore()
    try {
      let isThere = false
      const seen: unknown[] = []
      core.on('POST', '/api/v0/streams', () => {
        isThere = true
        return {
          status: 201,
          headers: { ETag: 'W/"e1"' },
          body: { id: 17, name: 'conformance', door: 'open sesame 1' },
        }
      })
      core.on('GET', '/api/v0/streams/{id}', ({ params, headers }) => {
        seen.push([params.id, headers['if-match'], headers['x-door']])
        return isThere ? { body: { id: '17', name: 'conformance' } } : { status: 404 }
      })
      core.on('DELETE', '/api/v0/streams/{id}', ({ json }) => {
        isThere = false
        seen.push(json)
        return { status: 204 }
      })
      writeChapter(
        folder,
        ['{ stream-id: /id }', '{ stream-id: /id, tag: "header:ETag", door: { at: /door, secret: true } }'],
        [
          'token: a\n        tests: STREAM-1',
          'token: a\n        headers: { If-Match: "{tag}", X-Door: "{door}" }\n        tests: STREAM-1',
        ],
        ['control: true', 'body: { of: ["{stream-id}", "{tag}"] }\n        control: true'],
      )
      const args = ['run', '--specs', 'specs-streams', '--only', 'streams', '--insecure']
      const { code, stdout } = await cli(args, { cwd: folder, env: envOf(core) })
      assert.is(code, 0, stdout)
      const result = reportsIn(folder)
      assert.equal(stateIn(result), [
        ['STREAM-1', 'met'],
        ['STREAM-2', 'met'],
      ])
      assert.equal(seen, [['17', 'W/"e1"', 'open sesame 1'], { of: ['17', 'W/"e1"'] }, ['17', undefined, undefined]])
      assert.not.match(result.texts, /open sesame/)
      assert.match(result.texts, /\[saved door\]/)
    } finally {
      await core.close()
    }
  }))

long(test)('a body that does not fit its schema accuses; one without what is to be saved blocks', () =>
  inFolder(async folder => {
    writeChapter(folder)
    const misfit = await runChapter(folder, [
      CREATED,
      READ.replace('s-7', '7').replace(', name: conformance', ''),
      DELETED,
    ])
    assert.is(misfit.code, 1)
    assert.equal(stateIn(misfit)[0], ['STREAM-1', 'not met'])
    assert.match(
      misfit.specs[0]?.message ?? '',
      /got 200 OK; the body must have required property 'name'; \/id must be string; /,
      misfit.specs[0]?.message,
    )
    rmSync(join(folder, 'reports'), { recursive: true })
    const lacking = await runChapter(folder, [CREATED.replace('id: "s 7/1"', 'id: null'), READ, DELETED])
    assert.is(lacking.code, 3, lacking.stdout)
    assert.is(lacking.specs[0]?.outcome, 'blocked')
    assert.match(lacking.specs[0]?.message ?? '', /: 201 Created, without a text or a number at \/id/)
  }),
)

test.run()
