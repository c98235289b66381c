/**
 * Compiles the tests once, instead of once per process: tsx takes half a second of a processor for each of a hundred files,
 * esbuild as long for all of them.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { transform } from 'esbuild'

/** The folders of a project that tests import TypeScript from. */
const SOURCES = new Set(['test', 'tools', 'bench'])
/** What is no part of a project's tree. */
const LEFT_OUT = new Set(['.git'])

/** Compiled tests. */
export interface CompiledTests {
  /** The folder that stands for that of the tests. */
  folder: string
  /** Takes it away. */
  remove(): void
}

/**
 * Makes a temporary tree like that of the project: links to all its files, and beside each TypeScript file the JavaScript of
 * it, so that `new URL('../dist', import.meta.url)` and imports of packages mean the same. A file that cannot be compiled
 * becomes one that throws, as it would itself.
 * @param given the folder of the tests; the project is its nearest folder with a `package.json`
 */
export async function compileTests(given: string): Promise<CompiledTests> {
  const folder = resolve(given)
  const root = projectOf(folder)
  const temporary = mkdtempSync(join(tmpdir(), 'core-conformance-tests-'))
  const isSource = (path: string) => path === folder || SOURCES.has(relative(root, path).split(/[\\/]/)[0] ?? '')
  const files = mirror(root, temporary, isSource, folder === root)
  await Promise.all(files.map(([from, to]) => compile(from, to)))
  return { folder: join(temporary, relative(root, folder)), remove: () => rmSync(temporary, { recursive: true }) }
}

function projectOf(folder: string): string {
  const isProject = readdirSync(folder).includes('package.json')
  if (isProject || dirname(folder) === folder) return folder
  return projectOf(dirname(folder))
}

/** Links everything, and makes folders of those with sources. @returns the TypeScript files, each with its compiled file */
function mirror(
  from: string,
  to: string,
  isSource: (path: string) => boolean,
  isCompiled: boolean,
): [from: string, to: string][] {
  return readdirSync(from, { withFileTypes: true }).flatMap(entry => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (LEFT_OUT.has(entry.name)) return []
    if (entry.isDirectory() && isSource(source)) {
      mkdirSync(target)
      return mirror(source, target, isSource, true)
    }
    symlinkSync(source, target)
    return isCompiled && entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name) ? [[source, jsOf(target)]] : []
  })
}

/** The file that a TypeScript file is compiled to. */
export function jsOf(file: string): string {
  return file.replace(/\.ts$/, '.js')
}

async function compile(from: string, to: string): Promise<void> {
  const text = readFileSync(from, 'utf8')
  try {
    const { code } = await transform(text, {
      loader: 'ts',
      format: 'esm',
      target: 'node20',
      sourcefile: from,
      sourcemap: 'inline',
    })
    writeFileSync(to, code)
  } catch (error) {
    writeFileSync(to, `throw new SyntaxError(${JSON.stringify(String(error))})\n`)
  }
}
