/** Lists other tools that can do the same work, six HTTP requests: how each is installed and started. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Measurable } from './measure.js'

const PEERS = fileURLToPath(new URL('peers', import.meta.url))
const at = (path: string) => join(PEERS, path)
const NODE = process.execPath

/** A tool, with the content of its row in the table. */
export interface Peer extends Measurable {
  /** Its version; empty where it has none. */
  version: string
  report: string
}

/**
 * Installs missing tools from npm's configured registry, in the versions that `peers/package.json` pins. No script of a package
 * runs.
 * @throws Error where npm fails
 */
export function installPeers(): void {
  const { dependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const isThere = (name: string) => existsSync(at(`node_modules/${name}`)) && versionOf(name) === dependencies[name]
  if (Object.keys(dependencies).every(isThere)) return
  process.stderr.write('installing the tools to compare with into bench/peers/ …\n')
  // On Windows, npm is a shell script.
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: PEERS,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0)
    throw new Error(`the tools to compare with cannot be installed (npm ended with ${status}): ${stderr}`)
}

function versionOf(name: string): string {
  return (JSON.parse(readFileSync(at(`node_modules/${name}/package.json`), 'utf8')) as { version: string }).version
}

/**
 * Returns all installed peers. Tools that are no npm package appear only where the machine has them.
 * @param env the address of the Core: `CORE_URL` and the rest
 * @param folder where their reports go
 */
export function peers(env: Record<string, string>, folder: string): Peer[] {
  const { CORE_URL: url = '', CORE_USERNAME: username = '', CORE_PASSWORD: password = '' } = env
  const report = (name: string) => join(folder, name)
  const npm = (name: string, bin: string, args: string[], told: string): Peer => ({
    name,
    version: versionOf(name === 'Step CI' ? 'stepci' : (name.split(' ')[0] ?? name)),
    report: told,
    steps: [() => [NODE, at(`node_modules/${bin}`), ...args]],
  })
  const variables = { url, username, password }
  const each = (flag: string) => Object.entries(variables).flatMap(([name, value]) => [flag, `${name}=${value}`])
  const mocha = ['--reporter', 'xunit', '--reporter-option', `output=${report('mocha.xml')}`, at('six.mocha.mjs')]
  const newman = ['run', at('six.newman.json'), '--insecure', ...each('--env-var'), '-r', 'cli,junit']
  const hurl = ['--test', '--insecure', ...each('--variable'), '--report-junit', report('hurl.xml'), at('six.hurl')]
  return [
    { name: 'bare Node', version: process.version, report: 'none', steps: [() => [NODE, at('six.bare.mjs')]] },
    ...program('curl', 'none', curl(variables)),
    npm('mocha + pactum', 'mocha/bin/mocha.js', mocha, 'JUnit'),
    ...program('hurl', 'JUnit', [() => ['hurl', ...hurl]]),
    npm(
      'newman',
      'newman/bin/newman.js',
      [...newman, '--reporter-junit-export', report('newman.xml')],
      'console, JUnit',
    ),
    npm('Step CI', 'stepci/dist/index.js', ['run', at('six.stepci.yml'), ...each('-e')], 'console'),
  ]
}

/** Returns a tool that npm does not provide; none where this machine lacks it. */
function program(name: string, report: string, steps: Peer['steps']): Peer[] {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' })
  return status === 0 ? [{ name, version: /\d[\d.]*/.exec(stdout)?.[0] ?? '', report, steps }] : []
}

/** Makes two processes: one logs on, one sends the other five requests. curl only prints the statuses. */
function curl({ url, username, password }: Record<'url' | 'username' | 'password', string>): Peer['steps'] {
  const common = ['--silent', '--show-error', '--insecure', '--header', 'Accept: application/json']
  const users = `${url}/api/v0/cores/self/users`
  const next = (...args: string[]) => [
    '--next',
    ...common,
    '--output',
    devNull,
    '--write-out',
    '%{http_code}\n',
    ...args,
  ]
  const json = ['--header', 'Content-Type: application/json', '--data', JSON.stringify({ username, password })]
  return [
    () => ['curl', ...common, ...json, `${url}/api/v0/logon`],
    printed => {
      const token = ['--header', `Authorization: Bearer ${(JSON.parse(printed) as { token: string }).token}`]
      const five = [
        next(...token, users),
        next(users),
        next(...token, '--header', 'Host:', users),
        next(...token, '--request', 'DELETE', `${url}/api/v0/logon`),
        next(...token, users),
      ]
      return ['curl', ...five.flat().slice(1)]
    },
  ]
}

/** Returns variables that keep the peers from contacting any other server. @param folder for their own state */
export function quietEnv(folder: string): Record<string, string> {
  return { STEPCI_DISABLE_ANALYTICS: '1', XDG_CONFIG_HOME: folder, NO_UPDATE_NOTIFIER: '1' }
}
