/** Says what a shell can complete: the values of options, and operands. */

import type { Command } from '../../config/command.js'
import type { Names, Setting } from '../../settings/setting.js'

type Commands = readonly Command[]

/** Lists the words that an option chooses from, such as `on` and `off`; undefined if the option takes any value. */
function choicesOf({ takes: { placeholder }, names }: Setting): string[] | undefined {
  if (names) return names.rows.map(({ name }) => name).filter(name => /^\w+$/.test(name))
  const parts = placeholder?.split('|') ?? []
  return parts.length > 1 && parts.every(part => /^[a-z]+$/.test(part)) ? parts : undefined
}

/** An option with the values that it chooses from. */
export interface Choosing {
  flag: string
  choices: string[]
  /** The names that the program is asked for. */
  names: Names | undefined
  /** Whether it takes several values, with commas between. */
  isList: boolean
}

/** Lists the options that choose from a few words or names, each once, with those of all commands that have the option. */
export function choosing(commands: Commands): Choosing[] {
  const found = new Map<string, Choosing>()
  for (const option of commands.flatMap(({ options }) => options)) {
    const { flag, completes, takes } = option
    const choices = choicesOf(option)
    if (!choices && !completes) continue
    const before = found.get(flag)
    found.set(flag, {
      flag,
      choices: [...new Set([...(before?.choices ?? []), ...(choices ?? [])])],
      names: before?.names ?? completes,
      isList: before?.isList || takes.isList || false,
    })
  }
  // The program knows the profiles of the configuration file beside its own.
  return [...found.values()].map(each => (each.names ? { ...each, choices: [] } : each))
}

/** Lists the options that take a value of any kind, such as a file. */
export function taking(commands: Commands): string[] {
  const options = commands.flatMap(({ options }) => options)
  const chosen = new Set(choosing(commands).map(({ flag }) => flag))
  const switches = new Set(options.filter(({ takes }) => !takes.placeholder).map(({ flag }) => flag))
  return [...new Set(options.map(({ flag }) => flag))].filter(flag => !chosen.has(flag) && !switches.has(flag))
}

/** Lists the commands whose operands are names, with their kind. */
export function operandNames(commands: Commands): [command: string, names: Names][] {
  return commands.flatMap(({ name, operands }): [string, Names][] =>
    operands?.completes ? [[name, operands.completes]] : [],
  )
}
