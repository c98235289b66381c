import { hint } from './problem.js'

/** The variables that paths, headers and bodies of the suite may hold, in braces. */
export const VARIABLES = [
  'username',
  'password',
  'probe-path',
  'probe-path-tail',
  'authority',
  'wrong-username',
  'wrong-password',
  'swapped-case-password',
  'shortened-password',
  'prolonged-password',
  'basic-credentials',
  'long-text',
  'longer-text',
] as const
/** See {@link VARIABLES}. */
export type VariableName = (typeof VARIABLES)[number]
/**
 * Their values in a run; a variation that does not exist (the case of a password without letters) is left out. Within a spec there
 * are those that its steps saved, too.
 */
export type Variables = Partial<Record<VariableName, string>> & { readonly [saved: string]: string | undefined }

const PATTERN = /\{([a-z][a-z-]*)\}/g
const TOKEN = /\{token ([a-z][a-z0-9-]*)\}/g
/** What looks like one of these, also when it is misspelt. JSON in a text is not mistaken for one: it has quotes. */
const LIKELY = /\{([A-Za-z][\w-]*)( [\w-]*)?\}/g

/**
 * What is wrong with the variables in a value: names in braces that are none, and variables in keys, where they would stay
 * as they are.
 * @param saved the names of values that steps of the spec save
 * @returns a sentence each
 */
export function variableMisses(value: unknown, saved: ReadonlySet<string> = new Set()): string[] {
  if (typeof value === 'string') {
    const likely = [...value.replace(TOKEN, '').matchAll(LIKELY)]
    return likely.flatMap(([whole, name = '', token]) => {
      if (token === undefined && (isVariable(name) || saved.has(name))) return []
      return [
        `unknown variable ${whole}${token === undefined ? hint(name, [...VARIABLES, ...saved]) : '; a token is {token NAME}'}`,
      ]
    })
  }
  if (!value || typeof value !== 'object') return []
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter(key => key.match(LIKELY))
  return [
    ...keys.map(key => `'${key}': variables stand in values, not in keys`),
    ...Object.values(value).flatMap(each => variableMisses(each, saved)),
  ]
}

/** The names of the tokens that a value refers to as `{token NAME}`. */
export function tokensIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(TOKEN)].map(([, name]) => name ?? '')
}

/** Replaces `{token NAME}` in a text. */
export function fillTokens(text: string, tokenOf: (name: string) => string): string {
  return text.replace(TOKEN, (_, name: string) => tokenOf(name))
}

/** The variables of the run that a value refers to. */
export function variablesIn(value: unknown): VariableName[] {
  return namesIn(value).filter(isVariable)
}

/** The names in braces in a value: variables of the run, and values that steps saved. */
export function namesIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(PATTERN)].map(([, name]) => name ?? '')
}

/** Whether a value holds what a step saved: nobody knows it before. */
export function holdsSaved(value: unknown): boolean {
  return namesIn(value).some(name => !isVariable(name))
}

function isVariable(name: string): name is VariableName {
  return (VARIABLES as readonly string[]).includes(name)
}

/** Replaces the variables in every string of a value; keys, numbers and the like stay as they are. */
export function fill<T>(value: T, variables: Variables): T {
  if (typeof value === 'string') {
    return value.replace(PATTERN, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    ) as T
  }
  if (Array.isArray(value)) return value.map(item => fill(item, variables)) as T
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, variables)])) as T
  }
  return value
}
