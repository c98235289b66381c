/**
 * Makes scripts for shells that complete commands, options, and the values that options choose from. What depends on the
 * files of the user, such as the names of targets, a script asks the program for: `core-conformance completion targets`.
 */

import type { Command } from '../../config/command.js'
import { type Choosing, choosing, operandNames, taking } from './choices.js'
import type { SHELLS } from './settings.js'

type Shell = (typeof SHELLS)[number]
type Commands = readonly Command[]

/** Returns the completion script of a shell, made from the commands. */
export function completionOf(shell: Shell, commands: Commands): string {
  return { bash, zsh, fish }[shell](commands)
}

const NAME = 'core-conformance'

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

function bash(commands: Commands): string {
  const { first, second } = words(commands)
  const pairs = second.flatMap(([word, seconds]) => seconds.map(each => `"${word} ${each}"`))
  const wordsFor = ({ choices, names }: Choosing) => (names ? `$(_core_conformance_names ${names})` : choices.join(' '))
  return `# bash completion for ${NAME}
# Asks the program for names of one kind, with the files that the line names.
_core_conformance_names() {
  local index files=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      --config|--specs) files+=("\${COMP_WORDS[index]}" "\${COMP_WORDS[index+1]}") ;;
    esac
  done
  "\${COMP_WORDS[0]}" completion "$1" "\${files[@]}" 2>/dev/null
}
# Offers words for the current one, or for what stands after its last comma.
_core_conformance_offer() {
  local current="$2" before=""
  if [ "$3" = list ]; then
    case "$current" in *,*) before="\${current%,*},"; current="\${current##*,}" ;; esac
    case "$current" in '!'*) before="$before!"; current="\${current#!}" ;; esac
  fi
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "$current"))
}
_core_conformance() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  # Bash takes the sign between an option and its value for a word.
  if [ "$current" = = ]; then current=""; elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...first, '--version', '--help'].join(' ')}" -- "$current"))
    return
  fi
  case "$before" in
${choosing(commands)
  .map(
    each =>
      `    --${each.flag}) _core_conformance_offer "${wordsFor(each)}" "$current"${each.isList ? ' list' : ''}; return ;;`,
  )
  .join('\n')}
    ${taking(commands)
      .map(flag => `--${flag}`)
      .join('|')}) return ;;
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
      ;;
    *) case "$command" in
${operandNames(commands)
  .map(([name, names]) => `      "${name}") words="$(_core_conformance_names ${names})" ;;`)
  .join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
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
  const offered = ({ choices, names }: Choosing) =>
    names ? `\${(f)"$(_core_conformance_names ${names})"}` : choices.join(' ')
  return `#compdef ${NAME}
# zsh completion for ${NAME}
# Asks the program for names of one kind, with the files that the line names.
_core_conformance_names() {
  local -a files
  local index
  for index in {2..$((CURRENT - 1))}; do
    case "\${words[index]}" in
      --config|--specs) files+=("\${words[index]}" "\${words[index+1]}") ;;
    esac
  done
  \${~words[1]} completion $1 $files 2>/dev/null
}
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
  .map(
    each =>
      `    --${each.flag}) ${each.isList ? "compset -P '*,'; compset -P '!'; " : ''}compadd -- ${offered(each)}; return ;;`,
  )
  .join('\n')}
    ${taking(commands)
      .map(flag => `--${flag}`)
      .join('|')}) _files; return ;;
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
${commands.map(command => `      "${command.name}") found=(${command.options.map(({ flag, about }) => quoted(`--${flag}:${brief(about).replaceAll(':', '\\:')}`)).join(' ')} '--help:show the options') ;;`).join('\n')}
    esac
    _describe option found
  else
    case "$command" in
${operandNames(commands)
  .map(([name, names]) => `      "${name}") compadd -- \${(f)"$(_core_conformance_names ${names})"} ;;`)
  .join('\n')}
      *) _files ;;
    esac
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
  const found = new Map(choosing(commands).map(each => [each.flag, each]))
  const offered = ({ choices, names, isList }: Choosing) => {
    const words = names ? `(__core_conformance_names ${names})` : choices.join(' ')
    return isList ? `(__core_conformance_list ${words})` : words
  }
  const options = commands.flatMap(command =>
    command.options.map(option => {
      const { flag, about, takes } = option
      const chosen = found.get(flag)
      const value = chosen ? ` -x -a ${quoted(offered(chosen))}` : takes.placeholder ? ' -r' : ''
      return line(of(command), `-l ${flag}${value} -d ${quoted(brief(about))}`)
    }),
  )
  const operands = operandNames(commands).map(([name, names]) =>
    line(`__fish_seen_subcommand_from ${name}`, `-f -a '(__core_conformance_names ${names})'`),
  )
  return `# fish completion for ${NAME}
function __core_conformance_names -d 'Asks the program for names of one kind, with the files that the line names'
    set -l words (commandline -opc)
    set -l files
    for flag in --config --specs
        if set -l at (contains -i -- $flag $words)
            set -a files $flag $words[(math $at + 1)]
        end
    end
    $words[1] completion $argv $files 2>/dev/null
end
function __core_conformance_list -d 'Offers words for what stands after the last comma of the current word'
    set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^(?:.*,)?!?')
    for word in $argv
        echo "$before$word"
    end
end
${[...firsts, ...seconds, ...options, ...operands].join('\n')}
`
}
