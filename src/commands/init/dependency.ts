/** Makes this package a dependency of the project in this folder, so that `npx --no` finds it there, also in a CI. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isFields, parseJson } from '../../ground/json.js'
import { ownCommand, quoted } from '../../ground/own-command.js'
import { writeWhole } from '../../report/write.js'
import { PACKAGE } from '../../runner/choose-specs.js'
import { packageVersion } from '../../version.js'

const NAME = 'core-conformance'
const FILE = 'package.json'
/** What `npm pack` makes of this package. It is in no registry, so a project keeps it beside its `package.json`. */
const TARBALL = `${NAME}-${packageVersion()}.tgz`

/** What became of the dependency: lines for the user. */
export interface Added {
  done: string
  /** What the user has to do for it. */
  next: string[]
}

/**
 * Adds this package to the `devDependencies` in `package.json`, which is made where there is none. Sends nothing, and
 * installs nothing.
 * @throws Error if the file cannot be written
 */
export async function addDependency(): Promise<Added> {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '{\n  "private": true\n}\n'
  const content = parsed(before)
  if (!content)
    return {
      done: `– ${FILE} stays as it is, since it is no JSON object`,
      next: [`mend ${FILE}, then ${ownCommand('init')} again: the workflow needs ${NAME} in it`],
    }
  if (content.name === NAME || ofProject(content).some(found => Object.hasOwn(found, NAME)))
    return { done: `– ${FILE} has ${NAME}, and stays as it is`, next: [] }
  const devDependencies = sorted({ ...content.devDependencies, [NAME]: `file:${TARBALL}` })
  // As npm does it: with the indentation that is there.
  const indentation = /^[ \t]+(?=")/m.exec(before)?.[0] ?? '  '
  await writeWhole(FILE, `${JSON.stringify({ ...content, devDependencies }, null, indentation)}\n`, undefined)
  return {
    done: `✓ ${FILE}: ${NAME} is one of its devDependencies`,
    next: [
      `npm pack --ignore-scripts ${quoted(fileURLToPath(PACKAGE).replace(/\/$/, ''))} && npm install   # then commit ${TARBALL}, ${FILE} and package-lock.json`,
    ],
  }
}

/** The parts of a `package.json` that are looked at. */
interface Content {
  name?: unknown
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

function parsed(text: string): Content | undefined {
  const value = parseJson(text)
  return isFields(value) ? value : undefined
}

function ofProject({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }: Content) {
  return [dependencies, devDependencies, optionalDependencies]
}

function sorted(dependencies: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)))
}
