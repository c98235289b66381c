#!/usr/bin/env node
import { isPasswordFlag, NO_PASSWORDS } from './config/argv.js'
import { ConfigError } from './config/error.js'
import { Settings } from './config/settings.js'
import { COMMANDS } from './options/index.js'
import { commandUsage, usage } from './options/usage.js'
import { inertLines } from './report/inert.js'
import { ResultFileError } from './report/read.js'
import { nearest, SuiteError } from './suite/problem.js'
import { SelectionError } from './suite/select.js'
import { processTerminal, type Terminal } from './terminal.js'
import { packageVersion } from './version.js'

/** Wrong usage, configuration or spec file; nothing was sent. */
const EXIT_USAGE = 2
/** The target could not be tested, or not to the end. */
const EXIT_UNTESTABLE = 3

type Run = (settings: Settings, terminal: Terminal) => Promise<number>

/** The commands, each loaded when it is asked for. */
const LOADERS: Record<string, () => Promise<Run>> = {
  run: async () => (await import('./commands/run.js')).run,
  resume: async () => (await import('./commands/resume.js')).resume,
  report: async () => (await import('./commands/report.js')).report,
  list: async () => (await import('./commands/list.js')).list,
  mock: async () => (await import('./commands/mock.js')).mock,
  'contracts openapi': async () => (await import('./commands/contracts-openapi.js')).contractsOpenapi,
  diff: async () => (await import('./commands/diff.js')).diff,
  'baseline update': async () => (await import('./commands/baseline-update.js')).baselineUpdate,
  client: async () => (await import('./commands/client.js')).client,
  'contracts generate': async () => (await import('./commands/contracts-generate.js')).contractsGenerate,
  'contracts verify': async () => (await import('./commands/contracts-verify.js')).contractsVerify,
}

async function main(terminal: Terminal): Promise<number> {
  const { name, args } = split(process.argv.slice(2))
  if (name === '--version' || name === '-V') {
    terminal.stdout.write(`${packageVersion()}\n`)
    return 0
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    const asked = COMMANDS.find(candidate => candidate.name === split(args).name)
    terminal.stdout.write(asked ? commandUsage(asked) : usage())
    return 0
  }
  const command = COMMANDS.find(candidate => candidate.name === name)
  const load = LOADERS[name]
  if (!command || !load) throw new ConfigError(noCommand(name))
  const settings = new Settings(command, args, process.env, process.cwd())
  if (settings.help) {
    terminal.stdout.write(commandUsage(command))
    return 0
  }
  await settings.load()
  for (const warning of settings.warnings) tell(terminal, `warning: ${warning}`)
  return (await load())(settings, terminal)
}

/** The command, of one word or two, and what follows it. */
function split(argv: string[]): { name: string; args: string[] } {
  const [first = '', second] = argv
  const isTwo = COMMANDS.some(({ name }) => name === `${first} ${second}`)
  return isTwo ? { name: `${first} ${second}`, args: argv.slice(2) } : { name: first, args: argv.slice(1) }
}

/** What is said of a first argument that is no command. It is repeated only where it can be no secret. */
function noCommand(name: string): string {
  const names = COMMANDS.map(candidate => candidate.name)
  const all = names.join(', ')
  if (!name) return `which command? Known: ${all}`
  if (isPasswordFlag(name)) return NO_PASSWORDS
  if (name.startsWith('-')) return `the command comes first, before its options. Known: ${all}`
  const parts = names.filter(candidate => candidate.startsWith(`${name} `))
  if (parts.length) return `${name} is one of these: ${parts.join(', ')}`
  const near = nearest(name, names)
  return near ? `there is no command '${name}'; did you mean '${near}'?` : `there is no such command. Known: ${all}`
}

function explain(error: unknown): { code: number; message: string } {
  if (error instanceof SuiteError) {
    const count = error.problems.length === 1 ? 'a problem' : `${error.problems.length} problems`
    return { code: EXIT_USAGE, message: `the specs cannot be used, ${count}:\n${error.message}` }
  }
  if (error instanceof SelectionError || error instanceof ResultFileError)
    return { code: EXIT_USAGE, message: error.message }
  if (error instanceof ConfigError) {
    const { name } = split(process.argv.slice(2))
    const command = LOADERS[name] ? ` ${name}` : ''
    return { code: EXIT_USAGE, message: `${error.message}\nMore: core-conformance${command} --help` }
  }
  // Ours say what to do next; an error of the language is a fault of this program, and its message may quote a secret.
  const message = error instanceof Error && error.constructor === Error ? error.message : fault(error)
  return { code: EXIT_UNTESTABLE, message }
}

function fault(error: unknown): string {
  const { name, stack = '' } = error instanceof Error ? error : new Error()
  const place = /dist\/[^\s)]+/.exec(stack)?.[0] ?? 'an unknown place'
  return `a fault of core-conformance itself (${name} at ${place}): it says nothing of the Core; please report it`
}

function tell({ stderr }: Terminal, message: string): void {
  stderr.write(`core-conformance: ${inertLines(message)}\n`)
}

const terminal = processTerminal()
// Node would end with 1, and so call the Core nonconformant for what is a fault of this program.
process.on('uncaughtException', error => {
  tell(terminal, fault(error))
  process.exit(EXIT_UNTESTABLE)
})
try {
  process.exitCode = await main(terminal)
} catch (error) {
  const { code, message } = explain(error)
  tell(terminal, message)
  process.exitCode = code
}
