import { readFileSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import type { Command } from '../config/command.js'
import type { Settings } from '../config/settings.js'
import { ConfigError } from '../ground/config-error.js'
import { inert } from '../report/inert.js'
import { loadSpecs, PACKAGE } from '../runner/choose-specs.js'
import { PROFILES } from '../settings/configuration.js'
import type { Names, Setting } from '../settings/setting.js'
import type { Terminal } from '../terminal.js'
import { COMPLETION, CONFIG, SPECS } from './shared/declared.js'

/**
 * `core-conformance completion`: prints the completion script of a shell, or, for such a script, what may stand at the end of
 * the line on stdin, which has a word on each of its own lines.
 * @throws ConfigError for a shell without a completion script
 */
export async function completion(settings: Settings, { stdin, stdout }: Terminal): Promise<number> {
  const [asked = ''] = settings.operands
  if (asked === ASK) {
    const words = (await textOf(stdin)).replace(/\n$/, '').split('\n').slice(1)
    for (const { word, about } of await offersAt(words, settings))
      stdout.write(`${inert(word)}${about === undefined ? '' : `\t${inert(brief(about))}`}\n`)
    return 0
  }
  if (!SHELLS.includes(asked))
    throw new ConfigError(`there is a completion for ${SHELLS.join(', ')}, and for no other shell`)
  stdout.write(readFileSync(new URL(`templates/completion/${asked}`, PACKAGE), 'utf8'))
  return 0
}

/** What the scripts say in the place of a shell. */
const ASK = 'words'

/** The shells with a script. It gives the line to this program, and shows what it offers. Where that is nothing, files are offered. */
const SHELLS = ['bash', 'zsh', 'fish']

/** What may stand at the end of a line. */
interface Offer {
  word: string
  about?: string
}

/** Returns what may stand in the place of the last of these words, which follow the name of the program. */
async function offersAt(words: readonly string[], settings: Settings): Promise<Offer[]> {
  const { commands } = settings
  // Bash takes the sign between an option and its value for a word.
  const before = words.slice(0, -1).filter(word => word !== '=')
  const last = words.at(-1) ?? ''
  const [, joined, value = last === '=' ? '' : last] = /^(--[\w-]+=)(.*)$/.exec(last) ?? []
  const [first = '', second] = before
  const command = named(commands, `${first} ${second}`) ?? named(commands, first)
  const flag = joined?.slice(0, -1) ?? before.at(-1)
  const option = command?.options.find(each => `--${each.flag}` === flag && each.takes.placeholder)
  const namesOf = async (kind: Names) =>
    NAMES[kind](await settings.another({ ...COMPLETION, options: FILES }, [ASK, ...filesIn(before)]))
  const fitting = (all: readonly Offer[], typed = last) => all.filter(({ word }) => word.startsWith(typed))
  if (option) {
    // What stands before the last comma stays, and so does what leaves a name out.
    const [kept = ''] = option.takes.isList ? (/^(.*,)?!?/.exec(value) ?? []) : []
    const all = option.completes ? await namesOf(option.completes) : choicesOf(option)
    const offers = fitting(
      all.map(word => ({ word })),
      value.slice(kept.length),
    )
    return offers.map(({ word }) => ({ word: `${joined ?? ''}${kept}${word}` }))
  }
  if (before.length === 0) return fitting([...firstWords(commands), { word: '--version' }, { word: '--help' }])
  if (last.startsWith('-')) {
    const flags = command?.options.map(({ flag, about }) => ({ word: `--${flag}`, about })) ?? []
    return fitting([...flags, { word: '--help', about: 'show the options' }])
  }
  const kind = command?.operands?.completes
  const seconds = commands.filter(({ name }) => before.length === 1 && name.startsWith(`${first} `))
  return fitting([
    ...seconds.map(({ name, about }) => ({ word: name.slice(first.length + 1), about })),
    ...(kind ? await namesOf(kind) : []).map(word => ({ word })),
  ])
}

function named(commands: readonly Command[], name: string): Command | undefined {
  return commands.find(command => command.name === name)
}

function firstWords(commands: readonly Command[]): Offer[] {
  const words = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))
  return [...words].map(word => ({ word, about: named(commands, word)?.about ?? `${word} …` }))
}

/** Lists the words that an option chooses from, such as `on` and `off`; none where it takes any value. */
function choicesOf({ takes: { placeholder = '' }, names }: Setting): string[] {
  if (names) return names.rows.map(({ name }) => name).filter(name => /^\w+$/.test(name))
  return /^[a-z]+(\|[a-z]+)+$/.test(placeholder) ? placeholder.split('|') : []
}

/** Shortens a help text to its first clause, for one line of a menu. */
function brief(about: string): string {
  return about.split(/; |, such as| \(/)[0] ?? ''
}

const FILES = [SPECS, CONFIG]

/** Returns those arguments of a line that name files with names. */
function filesIn(words: readonly string[]): string[] {
  return FILES.flatMap(({ flag }) => {
    const at = words.lastIndexOf(`--${flag}`)
    const value = at < 0 ? undefined : words[at + 1]
    return value === undefined ? words.filter(word => word.startsWith(`--${flag}=`)) : [`--${flag}`, value]
  })
}

const NAMES: Record<Names, (settings: Settings) => Promise<string[]>> = {
  targets: async ({ configFile }) => [...(configFile?.targets.keys() ?? [])],
  profiles: async ({ configFile }) => [...PROFILES, ...(configFile?.profiles.keys() ?? [])],
  specs: async settings => {
    const { specs } = await loadSpecs(settings.value(SPECS))
    return [...new Set(specs.map(({ area }) => area)), ...specs.map(({ id }) => id)]
  },
  topics: async settings => {
    const { specs, requirements } = await loadSpecs(settings.value(SPECS))
    const { CAUSES } = await import('../run/judge/causes.js')
    return [...requirements.keys(), ...specs.map(({ id }) => id), ...CAUSES.map(({ name }) => name)]
  },
  defects: async () => (await import('../mock/defects/index.js')).DEFECTS.map(({ name }) => name),
  scenarios: async () => (await import('../client/scenarios.js')).SCENARIOS.map(({ name }) => name),
}
