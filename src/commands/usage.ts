import { ownCommand } from '../ground/own-command.js'
import { wrap } from '../report/wrap.js'
import { aboutOf } from '../settings/setting.js'
import { COMMANDS, type Command } from './index.js'

/** Width of the help text, in characters: terminals and CI logs show at least as many. */
const COLUMNS = 80

/** Returns the text of `core-conformance --help`. */
export function usage(): string {
  return `core-conformance checks over the network whether a Core's authentication
API does what its reference says.

Usage: core-conformance COMMAND [OPTIONS]

Commands:
${rowsOf(COMMANDS)}

${ownCommand('COMMAND --help')} shows the options of a command.

Exit codes: 0 conformant, or pending; 1 nonconformant, drifted from its pins
or a stale baseline; 2 wrong usage, configuration or spec file; 3 untestable or
incomplete.
`
}

/** Returns the commands that begin with a word: `contracts generate` and its like. */
export function commandsOf(word: string): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `))
}

/** Returns the text of `core-conformance contracts --help`: of a word that several commands begin with. */
export function groupUsage(word: string): string {
  return `Usage: core-conformance ${word} COMMAND [OPTIONS]

Commands:
${rowsOf(commandsOf(word))}

${ownCommand(`${word} COMMAND --help`)} shows the options of a command.
`
}

function rowsOf(named: readonly { name: string; about: string }[]): string {
  const width = Math.max(...named.map(({ name }) => name.length)) + 2
  return named.flatMap(({ name, about }) => row(name, [about], width)).join('\n')
}

/** Returns the text of `core-conformance COMMAND --help`. */
export function commandUsage({ name, about, options, operands, secrets }: Command): string {
  const lefts = options.map(({ flag, takes: { placeholder } }) => `--${flag}${placeholder ? ` ${placeholder}` : ''}`)
  const names = [...lefts, ...secrets.map(({ env }) => env), operands?.value ?? '']
  const width = Math.max(...names.map(left => left.length)) + 2
  const rows = options.flatMap((option, index) => row(lefts[index] ?? '', [aboutOf(option), option.env], width))
  const operand = operands?.atLeast === 0 ? `[${operands.value}]` : operands?.value
  const taken = operands ? ` ${operands.afterDashes ? '-- ' : ''}${operand}` : ''
  const named = options.flatMap(({ flag, names }) =>
    names ? ['', `${names.title}, for --${flag}:`, rowsOf(names.rows)] : [],
  )
  const more = commandsOf(name)
  const hidden = secrets.flatMap(({ env, about }) => row(env, [about], width))
  return `${wrap(`core-conformance ${name}: ${about}`, COLUMNS).join('\n')}

Usage: core-conformance ${name}${options.length ? ' [OPTIONS]' : ''}${taken}
${operands ? `\n${row(operands.value, [operands.about], width).join('\n')}\n` : ''}${options.length ? `\n${OPTIONS}\n${[...rows, ...named].join('\n')}\n` : ''}${hidden.length ? `\nFrom the environment or .env only:\n${hidden.join('\n')}\n` : ''}${options.some(({ takes }) => takes.inProgram === 'time') ? '\nTimes are written like 30s, 5m or 1h.\n' : ''}${more.length ? `\nSee also:\n${rowsOf(more)}\n` : ''}`
}

const OPTIONS = `Options, each with its environment variable (flags beat the environment, which
beats .env, which beats the configuration file):`

/** Sets a name on the left and its text on the right. Each paragraph begins a new line. */
function row(left: string, paragraphs: string[], width: number): string[] {
  const lines = paragraphs.flatMap(text => wrap(text, COLUMNS - 2 - width))
  return lines.map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}${line}`)
}
