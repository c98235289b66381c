import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONFIG_FILE } from '../config/command.js'
import type { Settings } from '../config/settings.js'
import { nameOfUrl, safeName } from '../fleet/name.js'
import { isFields, parseJson } from '../ground/json.js'
import { ownCommand, quoted } from '../ground/own-command.js'
import { inert } from '../report/inert.js'
import { createFolder, writeWhole } from '../report/write.js'
import { PACKAGE } from '../runner/choose-specs.js'
import type { Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { targetNameOf } from './doctor.js'
import { singleSettings } from './fleet/config.js'
import { INIT } from './shared/declared.js'
import { baseUrl } from './shared/target.js'
import { newConfigText } from './shared/write-target.js'

interface Wanted {
  path: string
  text: string
  /** Advice for the user if the file already exists. */
  otherwise: string
}

const EXAMPLE = 'https://10.0.0.5'

/**
 * `core-conformance init`: writes a configuration file and a CI workflow, and adds this package to `package.json`. Sends
 * nothing, and overwrites no other file.
 */
export async function init(settings: Settings, { stdout }: Terminal): Promise<number> {
  const config = initConfig(settings)
  const { url = EXAMPLE, username, name, ci } = config
  const fitting = { url, ...(username !== undefined && { username }) }
  const configuration: Wanted = {
    path: CONFIG_FILE,
    text: newConfigText({ name, fitting, lacksUser: username === undefined }),
    otherwise: `see that it names the Core ${name}`,
  }
  for (const { path, text, otherwise } of [configuration, ...WORKFLOWS[ci](name)]) {
    if (existsSync(path)) {
      stdout.write(`– ${path} is there, and stays as it is: ${inert(otherwise)}\n`)
      continue
    }
    await createFolder(dirname(path), undefined)
    await writeWhole(path, text, undefined)
    stdout.write(`✓ ${path}\n`)
  }
  // Without npm in the folder and without a workflow nothing needs the dependency.
  const needsPackage = ci !== 'none' || existsSync('package.json')
  const added = needsPackage ? await addDependency() : undefined
  if (added) stdout.write(`${inert(added.done)}\n`)
  stdout.write(`\nNext:\n${[...(added?.next ?? []), ...next(config)].map(each => `  ${inert(each)}\n`).join('')}`)
  return 0
}

/** The files of the workflow of each CI. @param name the Core, in the configuration file */
const WORKFLOWS: Record<InitConfig['ci'], (name: string) => Wanted[]> = {
  github: name => [
    {
      path: '.github/workflows/core.yml',
      text: template('github/core.yml').replace('CORE_URL: staging', `CORE_URL: ${name}`),
      otherwise: `add a step with ${ownCommand('run')}`,
    },
  ],
  gitlab: name => [
    {
      path: 'templates/core-conformance.yml',
      text: template('core-conformance.yml'),
      otherwise: '.gitlab-ci.yml includes it',
    },
    {
      path: '.gitlab-ci.yml',
      text: `include:\n  - local: templates/core-conformance.yml\n    inputs:\n      target: ${name}\n`,
      otherwise: `add to it: include local templates/core-conformance.yml with the input target: ${name}`,
    },
  ],
  jenkins: name => [
    {
      path: 'Jenkinsfile',
      text: template('Jenkinsfile').replace('https://staging-core.example', name),
      otherwise: 'take its stages from the Jenkinsfile in the templates of this package',
    },
  ],
  none: () => [],
}

function template(path: string): string {
  return readFileSync(new URL(`templates/${path}`, PACKAGE), 'utf8')
}

function next({ url, username, name, ci }: InitConfig): string[] {
  // Jenkins has the name and the password in one credential.
  const isUserMissing = username === undefined && ci !== 'jenkins'
  const user = isUserMissing ? ' and, where the file does not say it, the variable CORE_USERNAME' : ''
  const secret = {
    github: `give the repository the secret CORE_PASSWORD${user}`,
    gitlab: `give the project the masked variable CORE_PASSWORD${user}`,
    jenkins: "give Jenkins the credential 'core-user', name and password",
    none: `set CORE_PASSWORD${user}`,
  }[ci]
  return [
    ...(url === undefined ? [`write the address of your Core into ${CONFIG_FILE}`] : []),
    ...(username === undefined ? [`write who logs on into ${CONFIG_FILE} (username), or set CORE_USERNAME`] : []),
    `${ownCommand(`doctor ${quoted(name)}`)}   # shows its certificate, for you to compare with the Core's own`,
    `CORE_PASSWORD=… ${ownCommand(`doctor --write --fingerprint SHA256 ${quoted(name)}`)}   # once you have compared it`,
    `CORE_PASSWORD=… ${ownCommand(`run --profile quick ${quoted(name)}`)}`,
    secret,
  ]
}

/** Files and folders that show which CI a folder uses. */
const SIGNS = { github: '.github', gitlab: '.gitlab-ci.yml', jenkins: 'Jenkinsfile' } as const

type InitConfig = ReturnType<typeof initConfig>

function initConfig(given: Settings) {
  const settings = singleSettings(given)
  const setting = settings.get('target')
  const url = setting && baseUrl(setting).origin
  const { username, ci } = settings.values(INIT.settings)
  const found = (['github', 'gitlab', 'jenkins'] as const).find(name => existsSync(SIGNS[name]))
  return {
    url,
    username,
    name: targetNameOf(settings) ?? (url === undefined ? 'staging' : safeName(nameOfUrl(url)) || 'core'),
    ci: ci ?? found ?? 'github',
  }
}

const NAME = 'core-conformance'
const FILE = 'package.json'
/** What `npm pack` makes of this package. It is in no registry, so a project keeps it beside its `package.json`. */
const TARBALL = `${NAME}-${packageVersion()}.tgz`

/** The parts of a `package.json` that are looked at. */
type Packages = Partial<Record<string, Record<string, string>>>

/**
 * Adds this package to the `devDependencies` in `package.json`, which is made where there is none. Sends nothing, and
 * installs nothing.
 * @returns lines for the user: what is done, and what the user has to do for it
 */
async function addDependency(): Promise<{ done: string; next: string[] }> {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '{\n  "private": true\n}\n'
  const content = parseJson(text)
  if (!isFields(content))
    return {
      done: `– ${FILE} stays as it is, since it is no JSON object`,
      next: [`mend ${FILE}, then ${ownCommand('init')} again: the workflow needs ${NAME} in it`],
    }
  const { dependencies = {}, devDependencies: before = {}, optionalDependencies = {} } = content as Packages
  if (content.name === NAME || [dependencies, before, optionalDependencies].some(found => Object.hasOwn(found, NAME)))
    return { done: `– ${FILE} has ${NAME}, and stays as it is`, next: [] }
  const all = Object.entries({ ...before, [NAME]: `file:${TARBALL}` })
  const devDependencies = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
  // As npm does it: with the indentation that is there.
  const indentation = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  '
  await writeWhole(FILE, `${JSON.stringify({ ...content, devDependencies }, null, indentation)}\n`, undefined)
  return {
    done: `✓ ${FILE}: ${NAME} is one of its devDependencies`,
    next: [
      `npm pack --ignore-scripts ${quoted(fileURLToPath(PACKAGE).replace(/\/$/, ''))} && npm install   # then commit ${TARBALL}, ${FILE} and package-lock.json`,
    ],
  }
}
