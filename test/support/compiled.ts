/**
 * Compiles the tests once, instead of once per process: tsx takes half a second of processor time for each of a hundred files,
 * esbuild half a second for all of them.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { transform } from 'esbuild'
import { ASIDE } from '../../tools/dist.mjs'

/** The folders of a project that tests import TypeScript from. */
const SOURCES = ['test', 'tools', 'bench']
/**
 * Left out of the copy: folders that are not the project, and `node_modules`, which is too large to copy. That of the project
 * is linked; no test needs that of the peers of the bench.
 */
const LEFT_OUT = new Set(['.git', 'reports'])
const PACKAGES = 'node_modules'
const REPORTS_PAGE = join('reports', 'README.md')

/** Compiled tests. */
export interface CompiledTests {
  folder: string
  /** Removes the copy. */
  remove(): void
}

/**
 * Makes a temporary copy of the project and compiles each TypeScript file of its tests there, so that
 * `new URL('../dist', import.meta.url)` and imports of packages work as before. The files are copies, not links: a test that
 * changes a file must not change the project. A file that does not compile becomes one that throws.
 * @param given the folder of the tests; the project is its nearest folder with a `package.json`
 */
export async function compileTests(given: string): Promise<CompiledTests> {
  const folder = resolve(given)
  const root = projectOf(folder)
  const temporary = mkdtempSync(join(tmpdir(), 'core-conformance-tests-'))
  // A test runs the product as an ordinary user.
  chmodSync(temporary, 0o755)
  for (const name of readdirSync(root)) {
    // A folder of a build in another terminal may be gone at the next moment.
    if (LEFT_OUT.has(name) || ASIDE.test(name)) continue
    cpSync(join(root, name), join(temporary, name), { recursive: true, filter: path => basename(path) !== PACKAGES })
  }
  if (existsSync(join(root, REPORTS_PAGE))) cpSync(join(root, REPORTS_PAGE), join(temporary, REPORTS_PAGE))
  symlinkSync(join(root, PACKAGES), join(temporary, PACKAGES))
  const folders = folder === root ? ['.'] : [...new Set([...SOURCES, relative(root, folder)])]
  await Promise.all(folders.flatMap(name => sourcesIn(join(temporary, name))).map(compile))
  return { folder: join(temporary, relative(root, folder)), remove: () => rmSync(temporary, { recursive: true }) }
}

function projectOf(folder: string): string {
  const isProject = readdirSync(folder).includes('package.json')
  if (isProject || dirname(folder) === folder) return folder
  return projectOf(dirname(folder))
}

/** Lists the TypeScript files in a folder and below; none where there is no such folder. */
function sourcesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return sourcesIn(path)
      return entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name) ? [path] : []
    })
  } catch {
    return []
  }
}

/** Returns the path of the compiled file. */
export function jsOf(file: string): string {
  return file.replace(/\.ts$/, '.js')
}

async function compile(file: string): Promise<void> {
  try {
    const { code } = await transform(readFileSync(file, 'utf8'), {
      loader: 'ts',
      format: 'esm',
      target: 'node20',
      sourcefile: file,
      sourcemap: 'inline',
    })
    writeFileSync(jsOf(file), code)
  } catch (error) {
    writeFileSync(jsOf(file), `throw new SyntaxError(${JSON.stringify(String(error))})\n`)
  }
}
