/**
 * Compiles the tests once, instead of once per process: tsx takes half a second of a processor for each of a hundred files,
 * esbuild as long for all of them.
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
import { dirname, join, relative, resolve } from 'node:path'
import { transform } from 'esbuild'

/** The folders of a project that tests import TypeScript from. */
const SOURCES = ['test', 'tools', 'bench']
/** What is no part of a project, or hardly: `node_modules` is too large to copy, and linked. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'reports'])
/** Of the reports the page belongs to the project. */
const REPORTS_PAGE = join('reports', 'README.md')

/** Compiled tests. */
export interface CompiledTests {
  /** The folder that stands for that of the tests. */
  folder: string
  /** Takes it away. */
  remove(): void
}

/**
 * Makes a temporary copy of the project, with the JavaScript of each TypeScript file of its tests beside it, so that
 * `new URL('../dist', import.meta.url)` and imports of packages mean the same. A copy, and no links: what a test does to
 * files that it takes for its own must not reach the project. A file that cannot be compiled becomes one that throws, as it
 * would itself.
 * @param given the folder of the tests; the project is its nearest folder with a `package.json`
 */
export async function compileTests(given: string): Promise<CompiledTests> {
  const folder = resolve(given)
  const root = projectOf(folder)
  const temporary = mkdtempSync(join(tmpdir(), 'core-conformance-tests-'))
  // A test runs the product as an ordinary user.
  chmodSync(temporary, 0o755)
  for (const name of readdirSync(root)) {
    if (!LEFT_OUT.has(name)) cpSync(join(root, name), join(temporary, name), { recursive: true })
  }
  if (existsSync(join(root, REPORTS_PAGE))) cpSync(join(root, REPORTS_PAGE), join(temporary, REPORTS_PAGE))
  symlinkSync(join(root, 'node_modules'), join(temporary, 'node_modules'))
  const folders = folder === root ? ['.'] : [...new Set([...SOURCES, relative(root, folder)])]
  await Promise.all(folders.flatMap(name => sourcesIn(join(temporary, name))).map(compile))
  return { folder: join(temporary, relative(root, folder)), remove: () => rmSync(temporary, { recursive: true }) }
}

function projectOf(folder: string): string {
  const isProject = readdirSync(folder).includes('package.json')
  if (isProject || dirname(folder) === folder) return folder
  return projectOf(dirname(folder))
}

/** The TypeScript files in a folder and below; none where there is no such folder. */
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

/** The file that a TypeScript file is compiled to. */
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
