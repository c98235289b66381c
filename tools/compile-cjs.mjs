/**
 * Makes the library loadable by require(), also where a test runner gives modules no import(). dist/mock/library.cjs is one
 * file with the whole mock Core, and dist/index.d.cts has the same types. Dependencies stay outside, and so does run(). The
 * types of the API follow: dist/api.d.cts, and an empty dist/api.cjs.
 * Usage: node tools/compile-cjs.mjs DIST
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { asDist } from './as-dist.mjs'

const [dist] = process.argv.slice(2)
const at = path => join(dist, path)
/** The suite stays out: it loads its parts by import(), and finds its files relative to its own place. */
const WITHOUT_RUN = {
  name: 'without-run',
  setup(build) {
    build.onResolve({ filter: /\/library\/run-in-program\.js$/ }, ({ path }) => ({ path, namespace: 'without-run' }))
    build.onLoad({ filter: /.*/, namespace: 'without-run' }, () => ({
      contents: `export async function runInProgram() {
        throw new Error("run() is no part of require('core-conformance'): use (await import('core-conformance')).run()")
      }`,
    }))
  },
}
const { outputFiles } = await build({
  plugins: [WITHOUT_RUN],
  entryPoints: [at('index.js')],
  // In the folder of the files that it finds relative to itself: the child process, and ../schemas.cjs.
  outfile: at('mock/library.cjs'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  packages: 'external',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'ownUrl' },
  banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href" },
  logLevel: 'warning',
  write: false,
})
for (const { path, text } of outputFiles) writeFileSync(path, asDist(text, dist))

const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')
const types = [...source.matchAll(/^export type \{([\s\S]*?)\} from/gm)].flatMap(([, names = '']) =>
  names
    .split(',')
    .map(name => name.trim())
    .filter(Boolean),
)
const values = [
  ...[...source.matchAll(/^export \{([\s\S]*?)\} from/gm)].flatMap(([, names = '']) =>
    names.split(',').map(n => n.trim()),
  ),
  ...[...source.matchAll(/^export async function (\w+)/gm)].map(([, name]) => name),
].filter(name => name && name !== 'run')
const lines = [
  "import type * as library from './index.js' with { 'resolution-mode': 'import' }",
  ...types.map(name => `export type ${name} = library.${name}`),
  ...values.map(name => `export declare const ${name}: typeof library.${name}`),
]
writeFileSync(at('index.d.cts'), `${lines.join('\n')}\n`)

copyFileSync(new URL('../src/old-node.cjs', import.meta.url), at('old-node.cjs'))
copyFileSync(at('api.d.ts'), at('api.d.cts'))
writeFileSync(at('api.cjs'), '// Types only.\n')
