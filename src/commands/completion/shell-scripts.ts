/** Makes scripts for shells that complete commands, options, and the values that options choose from. */

import type { Command } from '../../config/command.js'
import type { Setting } from '../../settings/setting.js'
import type { SHELLS } from './settings.js'

type Shell = (typeof SHELLS)[number]
type Commands = readonly Command[]

/** Returns the completion script of a shell, made from the commands. */
export function completionOf(shell: Shell, commands: Commands): string {
  return { bash, zsh, fish }[shell](commands)
}

const NAME = 'core-conformance'

/** Lists the words that an option chooses from, such as `on` and `off`; undefined if the option takes any value. */
function choicesOf({ takes: { placeholder }, names }: Setting): string[] | undefined {
  if (names) return names.rows.map(({ name }) => name).filter(name => /^\w+$/.test(name))
  const parts = placeholder?.split('|') ?? []
  return parts.length > 1 && parts.every(part => /^[a-z]+$/.test(part)) ? parts : undefined
}

const flags = ({ options }: Command) => [...options.map(({ flag }) => `--${flag}`), '--help']

/** Splits the names of commands: all first words, and for each first word of a two-word command its second words. */
function words(commands: Commands): { first: string[]; second: [first: string, seconds: string[]][] } {
  const first = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const second = first.flatMap((word): [string, string[]][] => {
    const seconds = commands.flatMap(({ name }) => (name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : []))
    return seconds.length ? [[word, seconds]] : []
  })
  return { first, second }
}

/** Lists the options that choose from a few words, each once, with the words of all commands that have the option. */
function choosing(commands: Commands): [flag: string, choices: string[]][] {
  const found = new Map<string, string[]>()
  for (const option of commands.flatMap(({ options }) => options)) {
    const choices = choicesOf(option)
    if (choices) found.set(option.flag, [...new Set([...(found.get(option.flag) ?? []), ...choices])])
  }
  return [...found]
}

function bash(commands: Commands): string {
  const { first, second } = words(commands)
  const pairs = second.flatMap(([word, seconds]) => seconds.map(each => `"${word} ${each}"`))
  return `# bash completion for ${NAME}
_core_conformance() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...first, '--version', '--help'].join(' ')}" -- "$current"))
    return
  fi
  case "$before" in
${choosing(commands)
  .map(([flag, choices]) => `    --${flag}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current")); return ;;`)
  .join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$command" in
${second.map(([word, seconds]) => `      ${word}) words="${seconds.join(' ')}" ;;`).join('\n')}
    esac
  else
    case "$command \${COMP_WORDS[2]}" in
      ${pairs.join('|')}) command="$command \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$current" in
    -*) case "$command" in
${commands.map(command => `      "${command.name}") words="${flags(command).join(' ')}" ;;`).join('\n')}
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _core_conformance ${NAME}
`
}

/** Quotes a text with single quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
/** Shortens a help text to its first clause, for one line of a menu. */
const brief = (about: string) => about.replace(/[\n\\]/g, ' ').split(/; |, such as| \(/)[0] ?? ''

function zsh(commands: Commands): string {
  const { first, second } = words(commands)
  const aboutOf = (name: string) => brief(commands.find(command => command.name === name)?.about ?? `${name} …`)
  const described = (names: string[], prefix = '') =>
    names.map(name => quoted(`${name}:${aboutOf(`${prefix}${name}`).replaceAll(':', '\\:')}`)).join(' ')
  return `#compdef ${NAME}
# zsh completion for ${NAME}
_core_conformance() {
  local -a found
  local command="\${words[2]}"
  if (( CURRENT == 2 )); then
    found=(${described(first)})
    _describe command found
    return
  fi
  case "\${words[CURRENT-1]}" in
${choosing(commands)
  .map(([flag, choices]) => `    --${flag}) compadd -- ${choices.join(' ')}; return ;;`)
  .join('\n')}
  esac
  if (( CURRENT == 3 )); then
    case "$command" in
${second.map(([word, seconds]) => `      ${word}) found=(${described(seconds, `${word} `)}); _describe command found ;;`).join('\n')}
    esac
  else
    case "$command \${words[3]}" in
      ${second.flatMap(([word, seconds]) => seconds.map(each => `"${word} ${each}"`)).join('|')}) command="$command \${words[3]}" ;;
    esac
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "$command" in
${commands.map(command => `      "${command.name}") found=(${command.options.map(({ flag, about }) => quoted(`--${flag}:${brief(about).replaceAll(':', '\\:')}`)).join(' ')} '--help:tell the options') ;;`).join('\n')}
    esac
    _describe option found
  else
    _files
  fi
}
# Loaded by compinit from a folder of fpath it is run at once; sourced, it is registered.
if [[ "\${funcstack[1]}" == _${NAME} ]]; then _core_conformance "$@"; else compdef _core_conformance ${NAME}; fi
`
}

function fish(commands: Commands): string {
  const { first, second } = words(commands)
  const line = (condition: string, rest: string) => `complete -c ${NAME} -n ${quoted(condition)} ${rest}`
  const aboutOf = (name: string) => quoted(brief(commands.find(command => command.name === name)?.about ?? `${name} …`))
  const of = ({ name }: Command) => {
    const [word = '', next] = name.split(' ')
    return next === undefined
      ? `__fish_seen_subcommand_from ${word}`
      : `__fish_seen_subcommand_from ${word}; and __fish_seen_subcommand_from ${next}`
  }
  const firsts = first.map(word => line('__fish_use_subcommand', `-f -a ${word} -d ${aboutOf(word)}`))
  const seconds = second.flatMap(([word, nexts]) =>
    nexts.map(next =>
      line(
        `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${nexts.join(' ')}`,
        `-f -a ${next} -d ${aboutOf(`${word} ${next}`)}`,
      ),
    ),
  )
  const options = commands.flatMap(command =>
    command.options.map(option => {
      const choices = choicesOf(option)
      const value = choices ? ` -x -a ${quoted(choices.join(' '))}` : option.takes.placeholder ? ' -r' : ''
      return line(of(command), `-l ${option.flag}${value} -d ${quoted(brief(option.about))}`)
    }),
  )
  return `# fish completion for ${NAME}\n${[...firsts, ...seconds, ...options].join('\n')}\n`
}
