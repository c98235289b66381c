/** The shipped package: its content, its scripts, the release workflow and the recipe for a container. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { asideName, isCurrent, removeLeftOvers, takePlace } from '../tools/dist.mjs'
import { workflowOf } from './support/ci-files.js'
import { linksOf, PAGES, PACKAGE as ROOT, read } from './support/docs.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('package')
const manifest = JSON.parse(read('package.json')) as {
  engines: { node: string }
  testedNodes: number[]
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

/** Calls a function with a repository of these files, of which each was written so many seconds after the one before. */
function inRepository(paths: string[], use: (root: string, touch: (path: string, s: number) => void) => void): void {
  const root = makeFolder()
  const touch = (path: string, s: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (!existsSync(join(root, path))) writeFileSync(join(root, path), path)
    utimesSync(join(root, path), s, s)
  }
  for (const [index, path] of paths.entries()) touch(path, 1000 + index)
  for (const folder of ['src', 'src/deep']) if (existsSync(join(root, folder))) touch(folder, 1000)
  use(root, touch)
}
const BUILT = ['dist/cli.js', 'dist/THIRD-PARTY-LICENSES.txt']

test('the versions of Node are those of one list: the oldest, the README, the jobs of CI', () => {
  const { testedNodes: tested, engines } = manifest
  assert.is(engines.node, `>=${tested[0]}`)
  assert.match(read('README.md'), `You need Node ${tested.slice(0, -1).join(', ')} or ${tested.at(-1)},`)
  assert.match(read('CONTRIBUTING.md'), `Node ${tested[0]} or later`)
  const workflow = read('.github/workflows/ci.yml')
  assert.match(workflow, `node: [${tested.join(', ')}]`)
  assert.match(workflow, `node-version: ${tested[0]}\n`)
})

test('what npm prepares is built only where dist/ is missing, not whole, or older than its sources', () => {
  assert.is(manifest.scripts.prepare, 'node -r ./src/old-node.cjs tools/build.mjs --if-older')
  inRepository(['src/deep/a.ts', 'package.json'], root => assert.is(isCurrent(root), false))
  inRepository(['src/deep/a.ts', 'dist/cli.js'], root => assert.is(isCurrent(root), false))
  inRepository(['src/deep/a.ts', 'package.json', ...BUILT], (root, touch) => {
    assert.is(isCurrent(root), true)
    touch('src/deep/a.ts', 2000)
    assert.is(isCurrent(root), false)
    touch('src/deep/a.ts', 1000)
    // A file was taken away.
    touch('src/deep', 2000)
    assert.is(isCurrent(root), false)
    touch('src/deep', 1000)
    // npm ci put other packages there.
    touch('node_modules/.package-lock.json', 2000)
    assert.is(isCurrent(root), false)
  })
})

test('a build takes the place of dist/ when it is whole, and clears what killed builds left', () => {
  const mine = asideName()
  inRepository(['dist/cli.js', 'dist/gone.js', `${mine}/cli.js`, '.dist-999999999/cli.js'], root => {
    takePlace(root, mine)
    assert.equal(readdirSync(join(root, 'dist')), ['cli.js'])
    assert.is(readFileSync(join(root, 'dist/cli.js'), 'utf8'), `${mine}/cli.js`)
    removeLeftOvers(root)
    assert.equal(readdirSync(root), ['dist'])
  })
  // The first build of a clone.
  inRepository([`${mine}/cli.js`], root => {
    takePlace(root, mine)
    assert.equal(readdirSync(root), ['dist'])
  })
})

test('a page is made without a file of dist/ that a build may take away meanwhile', async () => {
  const folder = 'report/html'
  const { ASSETS } = (await import(`../dist/${folder}/assets.js`)) as { ASSETS: Record<string, string> }
  const names = readdirSync(join(ROOT, 'src', folder)).filter(name => /\.(css|js)$/.test(name))
  assert.equal(ASSETS, Object.fromEntries(names.map(name => [name, read(`src/${folder}/${name}`)])))
  assert.not.match(read(`dist/${folder}/assets.js`), /import/)
})

/** Returns every path below a value of `exports`. */
function pathsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(pathsIn)
}

long(test)('the package holds what its manifest names, and nothing of the workshop', () => {
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
  for (const page of PAGES.filter(page => page !== 'reports/README.md')) {
    assert.ok(paths.has(page), page)
    for (const { path } of linksOf(page)) assert.ok(paths.has(path), `${page} links to ${path}, which npm leaves out`)
  }
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
  const { messages } = await publint({ pkgDir: ROOT, strict: true, pack: false })
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

test('the release workflow is one that GitHub takes, publishes the version of its tag, and keeps no token', async () => {
  const content = read('.github/workflows/release.yml')
  const { jobs } = await workflowOf<{
    jobs: Record<string, { permissions: Record<string, string>; steps: { name?: string; run?: string }[] }>
  }>(content)
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
