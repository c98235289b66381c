/**
 * Packs what is shipped, each in one file: dist/program.cjs is the whole program, with the dependencies that every run loads;
 * dist/bin.cjs starts it; dist/mock/child.js is the process of the mock Core. The modules stay beside them, for the library and for
 * the processes of a fleet. Nothing is minified, so that the place of a fault can be told; dist/THIRD-PARTY-LICENSES.txt holds the
 * licences of what was packed.
 * Usage: node tools/pack-program.mjs DIST
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { asDist } from './as-dist.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [dist] = process.argv.slice(2)
/**
 * Few runs need these, and they are large; Pact has native parts, and may be missing. The tests make the cost of a key less
 * where hash-wasm is loaded.
 */
const NOT_PACKED = ['@pact-foundation/*', 'ajv', 'ajv/*', 'fast-check', 'hash-wasm/*', 'semver', 'yaml']

/** Modules find files by their own place, which stays theirs. @param from the folder of the packed file; @param url its own URL, as code */
const ownPlaces = (from, url) => ({
  name: 'own-places',
  setup(packing) {
    packing.onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist + sep)) return undefined
      const place = JSON.stringify(relative(from, path).split(sep).join('/'))
      const contents = readFileSync(path, 'utf8').replace(/\bimport\.meta\.url\b/g, `new URL(${place}, ${url}).href`)
      return { contents }
    })
  },
})

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: NOT_PACKED,
  // The same names on every machine, also where the packages are somewhere else.
  preserveSymlinks: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
}

/** What is loaded as CommonJS. */
const AS_SCRIPT = {
  ...COMMON,
  plugins: [ownPlaces(dist, "require('url').pathToFileURL(__filename)")],
  format: 'cjs',
  // A script with kept code may not import: Node throws "Invalid host defined options".
  supported: { 'dynamic-import': false },
}

const program = await build({
  ...AS_SCRIPT,
  entryPoints: [join(dist, 'cli.js')],
  outfile: join(dist, 'program.cjs'),
  // The function that Node makes of each CommonJS module. Made here, no start has to copy two megabytes.
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
  write: false,
})
/** It is read as Latin-1, which is faster: esbuild leaves no characters beyond ASCII but in comments and regular expressions. */
const ascii = text =>
  text.replace(/[^\0-\x7f]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
for (const { path, text } of program.outputFiles) {
  const source = ascii(asDist(text, dist))
  writeFileSync(path, `${source}// ${createHash('sha256').update(source).digest('hex')}\n`)
}

// As CommonJS it starts 20 ms sooner: Node's loader of ES modules is not needed then. Any Node can read it, to be told that it is too old.
const start = await build({
  ...AS_SCRIPT,
  target: 'node8',
  entryPoints: [join(dist, 'bin.js')],
  outfile: join(dist, 'bin.cjs'),
  write: false,
})
for (const { path, text } of start.outputFiles) writeFileSync(path, asDist(text, dist), { mode: 0o755 })

const mock = join(dist, 'mock')
const child = await build({
  ...COMMON,
  plugins: [ownPlaces(mock, 'import.meta.url')],
  entryPoints: [join(mock, 'child.js')],
  outfile: join(mock, 'child.js'),
  allowOverwrite: true,
  format: 'esm',
  write: false,
})
for (const { path, text } of child.outputFiles) writeFileSync(path, asDist(text, dist))

/** The folders of the packages that something was packed of. */
const packages = new Set(
  [program, child]
    .flatMap(({ metafile }) => Object.keys(metafile.inputs))
    .flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
)
const texts = [...packages].sort().map(folder => {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const files = readdirSync(join(root, folder))
    .filter(file => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
  const words = files.map(file => readFileSync(join(root, folder, file), 'utf8').trim())
  return `${name} ${version} (${license ?? 'licence not named'})\n\n${words.join('\n\n') || 'It comes without a text of its licence.'}\n`
})
const rule = `\n${'-'.repeat(80)}\n\n`
writeFileSync(
  join(dist, 'THIRD-PARTY-LICENSES.txt'),
  [`Packages of which ${['program.cjs', 'mock/child.js'].join(' and ')} hold copies.\n`, ...texts].join(rule),
)
