/** The shipped package: its content, its scripts, the release workflow and the recipe for a container. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import './support/json-modules.js'

const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')

const test = suite('package')
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  files: string[]
  main: string
  types: string
  typesVersions: { '*': Record<string, string[]> }
  exports: Record<string, { require: { types: string; default: string } }>
  bin: Record<string, string>
}

test('scripts run where there is no POSIX shell', () => {
  for (const [name, script] of Object.entries(manifest.scripts)) {
    for (const command of script.split('&&')) {
      assert.not.match(command.trim(), /^(rm|cp|mv|mkdir|cat|test|sh|bash) |^\w+=|'|\$|;|\|/, `${name}: ${command}`)
    }
  }
  // None of our code runs during an installation.
  for (const name of ['preinstall', 'install', 'postinstall']) assert.is(manifest.scripts[name], undefined)
})

/** Returns every path below a value of `exports`. */
function pathsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(pathsIn)
}

test('the package holds what its manifest names, and nothing of the workshop', () => {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    // On Windows npm is a shell script.
    shell: process.platform === 'win32',
    maxBuffer: 16 * 1024 * 1024,
  })
  const [packed] = JSON.parse(told) as { files: { path: string }[] }[]
  const paths = new Set((packed?.files ?? []).map(({ path }) => path))
  const named = [...pathsIn(manifest.exports), ...Object.values(manifest.bin)].map(path => path.replace(/^\.\//, ''))
  for (const path of [...named.filter(path => !path.includes('*')), 'README.md', 'LICENSE', 'SECURITY.md']) {
    assert.ok(paths.has(path), `${path} is in the package`)
  }
  assert.ok(
    paths.has('contracts/result.schema.json') && paths.has('specs/requirements.yaml') && paths.has('dist/suite.json'),
  )
  const strange = [...paths].filter(path =>
    /(^|\/)(src|test|bench|tools|node_modules|reports)\/|\.env$|\.test\.|\.ndjson$/.test(path),
  )
  assert.equal(
    strange.filter(path => !path.startsWith('dist/')),
    [],
  )
})

/** Where a declaration of a name stands, followed through files that only pass it on. */
function declared(name: string, path: string): { isTold: boolean; rest: string } | undefined {
  const text = read(path)
  const pattern = new RegExp(
    `(\\*/\\s*)?export (?:declare )?(?:async )?(?:interface|type|function|const|class) ${name}\\b`,
  )
  const found = pattern.exec(text)
  if (found) return { isTold: found[1] !== undefined, rest: text.slice(found.index + found[0].length) }
  for (const [, all, names = '', from = ''] of text.matchAll(/export (?:type )?(?:(\*)|\{([^}]*)\}) from '([^']+)'/g)) {
    if (!all && !namesOf(names).includes(name)) continue
    const further = declared(name, join(path, '..', from.replace(/\.js$/, '.d.ts')))
    if (further) return further
  }
  return undefined
}

const namesOf = (list: string) => list.split(',').map(name => name.trim().replace(/^type /, ''))

test('publint finds nothing to say of the manifest', async () => {
  const { messages } = await publint({ pkgDir: ROOT, strict: true })
  assert.equal(
    messages.map(message => formatMessage(message, manifest)),
    [],
  )
})

test('a compiler that does not read `exports` finds the types that CommonJS gets', () => {
  const { main, types, typesVersions, exports } = manifest
  assert.equal({ types, default: main }, exports['.']?.require)
  const below = Object.entries(typesVersions['*']).map(([name, files]) => [`./${name}`, files])
  assert.equal(below, [['./api', [exports['./api']?.require.types]]])
})

test('every export of the library, and every member of its interfaces, has a doc comment', () => {
  const door = read('dist/index.d.ts')
  const lists = [...door.matchAll(/export (?:type )?\{([^}]*)\} from/g)].flatMap(([, names = '']) => namesOf(names))
  const functions = [...door.matchAll(/export declare function (\w+)/g)].map(([, name = '']) => name)
  const names = [...lists, ...functions]
  assert.ok(names.includes('run') && names.includes('RunResult') && names.includes('MockCore'))
  const untold: string[] = []
  for (const name of names) {
    const found = declared(name, 'dist/index.d.ts')
    assert.ok(found, `${name} is declared`)
    if (!found.isTold) untold.push(name)
    const [head = '', ...lines] = found.rest.slice(0, found.rest.indexOf('\n}')).split('\n')
    if (!head.endsWith('{')) continue
    for (const [index, line] of lines.entries()) {
      const [, member] = /^ {4}(?:readonly )?(\w+)\??[:(]/.exec(line) ?? []
      if (member && !lines[index - 1]?.trimEnd().endsWith('*/')) untold.push(`${name}.${member}`)
    }
  }
  assert.equal(untold, [])
  const exportsOfApi = [...read('dist/api.d.ts').matchAll(/(\*\/\s*)?^export (?:type|interface) (\w+)/gm)]
  assert.ok(exportsOfApi.length > 0)
  for (const [, comment, name] of exportsOfApi) assert.ok(comment, `${name} of the API's types has a doc comment`)
})

test('the release workflow is one that GitHub takes, publishes the version of its tag, and keeps no token', () => {
  const content = read('.github/workflows/release.yml')
  const { context } = parseWorkflow({ name: 'release.yml', content }, new NoOperationTraceWriter())
  assert.equal(context.errors.getErrors().map(String), [])
  const { jobs } = parseYaml(content) as {
    jobs: Record<string, { permissions: Record<string, string>; steps: { name?: string; run?: string }[] }>
  }
  const { permissions, steps } = jobs.publish ?? { permissions: {}, steps: [] }
  assert.equal(permissions, { contents: 'read', 'id-token': 'write' })
  assert.not.match(content, /secrets\./)
  assert.match(steps.at(-1)?.run ?? '', /^npm publish --provenance/)
  const [check] = steps.filter(({ name }) => name === 'The tag is the version')
  const isRight = (tag: string) => {
    try {
      execFileSync('sh', ['-c', check?.run ?? 'exit 9'], {
        cwd: ROOT,
        env: { ...process.env, TAG: tag },
        stdio: 'ignore',
      })
      return true
    } catch {
      return false
    }
  }
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.is(isRight(`v${version}`), true)
  assert.is(isRight('v0.0.0-other'), false)
})

test('the container is no administrator, keeps no build tools, and is built of a pinned image', () => {
  const lines = read('Containerfile').split('\n')
  const of = (word: string) =>
    lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1))
  assert.equal(of('ARG'), ['NODE=node:22-slim@sha256:DIGEST'])
  for (const image of of('FROM')) assert.match(image, /^\$\{NODE\}/)
  assert.is(of('USER').at(-1), 'node')
  // Only packed files enter the last stage.
  const last = lines.slice(lines.findLastIndex(line => line.startsWith('FROM ')))
  for (const line of last.filter(each => each.startsWith('COPY '))) assert.match(line, /^COPY --from=build \/package /)
  assert.equal(JSON.parse(of('ENTRYPOINT')[0] ?? '[]'), Object.keys(manifest.bin))
  const ignored = read('.containerignore').split('\n')
  for (const path of ['.env', '.git', 'node_modules', 'reports']) assert.ok(ignored.includes(path), path)
  assert.ok(existsSync(join(ROOT, 'package-lock.json')))
})

test.run()
