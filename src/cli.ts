import { readFileSync } from 'node:fs'
import { COMMANDS } from './commands/index.js'
import { commandsOf, commandUsage, groupUsage, usage } from './commands/usage.js'
import { isPasswordFlag, NO_PASSWORDS } from './config/argv.js'
import { Settings } from './config/settings.js'
import { ConfigError } from './ground/config-error.js'
import { count } from './ground/count.js'
import { keepMemorySmall } from './ground/memory.js'
import { ownCommand, rememberStart } from './ground/own-command.js'
import { inertLines } from './report/inert.js'
import { ResultFileError } from './report/read.js'
import { nearest, SuiteError } from './suite/problem.js'
import { SelectionError } from './suite/select.js'
import { type Io, type Terminal, terminalOf } from './terminal.js'
import { isVersion, packageVersion } from './version.js'

/** Exit code for wrong usage, configuration or spec file. Nothing was sent. */
const EXIT_USAGE = 2
/** Exit code for a target that could not be tested, or not to the end. */
const EXIT_UNTESTABLE = 3

/**
 * Runs one command, as the shell does. All output goes to the streams of `io`. Throws nothing. Relative paths in settings
 * start at the working folder of this process, which must be `io.cwd`.
 * @param argv the words after the program's name: the command, then its options
 * @returns the exit code: 0 to 3, as the README says
 */
export async function main(argv: string[], io: Io): Promise<number> {
  const terminal = terminalOf(io)
  try {
    const code = await runCommand(argv, io, terminal)
    // The stream reports a failed last write one turn of the event loop later.
    await new Promise(setImmediate)
    return code || (terminal.isLost ? EXIT_UNTESTABLE : 0)
  } catch (error) {
    const { code, message } = explain(error, split(argv).name)
    tell(terminal.stderr, message)
    return code
  }
}

async function runCommand(argv: string[], io: Io, terminal: Terminal): Promise<number> {
  const { name, args } = split(argv)
  const print = (text: string) => {
    terminal.stdout.write(text)
    return 0
  }
  if (isVersion(name)) return print(`${packageVersion()}\n`)
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h'
  if (isHelp(name) || name === 'help') return print(helpOf(split(args).name))
  if (isHelp(args[0]) && commandsOf(name).length) return print(helpOf(name))
  const command = commandNamed(name)
  if (!command) throw new ConfigError(noCommand(name))
  const settings = new Settings(command, args, io.env, io.cwd, COMMANDS)
  if (settings.help) return print(commandUsage(command))
  await settings.load()
  for (const warning of settings.warnings) tell(terminal.stderr, `warning: ${warning}`)
  return (await command.load())(settings, terminal)
}

/**
 * Returns the help of a command, of a word that several commands begin with, or of the program.
 * @param name empty for the program
 * @throws ConfigError for a name of no command
 */
function helpOf(name: string): string {
  const command = commandNamed(name)
  if (command) return commandUsage(command)
  if (commandsOf(name).length) return groupUsage(name)
  if (name) throw new ConfigError(noCommand(name))
  return usage()
}

function commandNamed(name: string) {
  return COMMANDS.find(command => command.name === name)
}

/** Splits off the command, which is one word or two. */
function split(argv: string[]): { name: string; args: string[] } {
  const [first = '', second] = argv
  return commandNamed(`${first} ${second}`)
    ? { name: `${first} ${second}`, args: argv.slice(2) }
    : { name: first, args: argv.slice(1) }
}

/** Returns the message for a first argument that is no command. Repeats the argument only where it cannot be a secret. */
function noCommand(name: string): string {
  const names = COMMANDS.map(candidate => candidate.name)
  const all = names.join(', ')
  if (!name) return `which command? Known: ${all}`
  if (isPasswordFlag(name)) return NO_PASSWORDS
  if (name.startsWith('-')) return `the command comes first, before its options. Known: ${all}`
  const parts = commandsOf(name)
  if (parts.length) return `which command? One of: ${parts.map(part => part.name).join(', ')}`
  const near = nearest(name, names)
  return near ? `there is no command '${name}'; did you mean '${near}'?` : `there is no such command. Known: ${all}`
}

/** Returns the exit code and the message of an error. @param name the command */
function explain(error: unknown, name: string): { code: number; message: string } {
  if (error instanceof SuiteError) {
    const found = count(error.problems.length, 'problem')
    return { code: EXIT_USAGE, message: `the specs have ${found}:\n${error.message}` }
  }
  if (error instanceof SelectionError || error instanceof ResultFileError)
    return { code: EXIT_USAGE, message: error.message }
  if (error instanceof ConfigError) {
    const command = commandNamed(name) || commandsOf(name).length ? `${name} ` : ''
    return { code: EXIT_USAGE, message: `${error.message}\nMore: ${ownCommand(`${command}--help`)}` }
  }
  // A plain Error is ours and says what to do next. Any other error is a bug in this program, and its message may quote a secret.
  const message = error instanceof Error && error.constructor === Error ? error.message : fault(error)
  return { code: EXIT_UNTESTABLE, message }
}

function fault(error: unknown): string {
  const { name, stack = '' } = error instanceof Error ? error : new Error()
  const place = faultPlace(stack, new URL('./program.cjs', import.meta.url))
  return `internal error (${name} at ${place}); the Core was not judged; please report this`
}

function tell(stderr: Terminal['stderr'], message: string): void {
  stderr.write(`core-conformance: ${inertLines(message)}\n`)
}

/** Runs the command of this process. Nothing else sets its exit code. */
export async function start(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process
  // Node would exit with 1, which means that the Core is nonconformant.
  process.on('uncaughtException', error => {
    tell(stderr, fault(error))
    process.exit(EXIT_UNTESTABLE)
  })
  keepMemorySmall()
  rememberStart(process)
  process.exitCode = await main(argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() })
}

/** In the packed file, a line before each module names it. */
const MODULE = /^ *\/\/ ((?:dist|node_modules)\/\S+)$/

/**
 * Returns the place in this program where an error was thrown, for a report of the fault.
 * @param stack the stack of the error
 * @param packed the address of the packed program
 * @returns file, line and column; for the packed program also the module
 */
export function faultPlace(stack: string, packed: URL): string {
  const [place, file, line] = /(dist\/[^\s):]+):(\d+):\d+/.exec(stack) ?? []
  if (place === undefined) return 'an unknown place'
  const module = file === 'dist/program.cjs' ? moduleAt(packed, Number(line)) : undefined
  return module ? `${module}, ${place}` : place
}

/** Returns the module at a line of the packed program. @param line counts from 1 */
function moduleAt(packed: URL, line: number): string | undefined {
  try {
    const before = readFileSync(packed, 'latin1').split('\n', line)
    return before.reduce<string | undefined>((found, text) => MODULE.exec(text)?.[1] ?? found, undefined)
  } catch {
    return undefined
  }
}
