import { hint } from './problem.js'

/** The variables that paths, headers and bodies of the suite may contain, in braces. */
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
export type VariableName = (typeof VARIABLES)[number]
/**
 * Their values in a run, with the values that steps of the spec saved. A variation that does not exist is left out,
 * such as the other case of a password without letters.
 */
export type Variables = Partial<Record<VariableName, string>> & { readonly [saved: string]: string | undefined }

const PATTERN = /\{([a-z][a-z-]*)\}/g
const TOKEN = /\{token ([a-z][a-z0-9-]*)\}/g
/** Matches texts that look like one of these, also misspelt ones. JSON does not match: it has quotes. */
const LIKELY = /\{([A-Za-z][\w-]*)( [\w-]*)?\}/g

/**
 * Finds faults of the variables in a value: unknown names in braces, and variables in keys, which would not be
 * replaced.
 * @param saved the names of values that steps of the spec save
 * @returns a sentence for each
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

/** Returns the names of the tokens in a value, written as `{token NAME}`. */
export function tokensIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(TOKEN)].map(([, name]) => name ?? '')
}

/** Replaces `{token NAME}` in a text. */
export function fillTokens(text: string, tokenOf: (name: string) => string): string {
  return text.replace(TOKEN, (_, name: string) => tokenOf(name))
}

/** Returns the variables of the run in a value. */
export function variablesIn(value: unknown): VariableName[] {
  return namesIn(value).filter(isVariable)
}

/** Returns the names in braces in a value: variables of the run, and values that steps saved. */
export function namesIn(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(PATTERN)].map(([, name]) => name ?? '')
}

/** Whether a value contains a saved value, which is unknown before the step that saves it. */
export function holdsSaved(value: unknown): boolean {
  return namesIn(value).some(name => !isVariable(name))
}

function isVariable(name: string): name is VariableName {
  return (VARIABLES as readonly string[]).includes(name)
}

/** Replaces the variables in every text of a value. */
export function fill<T>(value: T, variables: Variables): T {
  return mapTexts(value, text =>
    text.replace(PATTERN, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    ),
  )
}

/** Changes every text of a value. Keys, numbers and the like stay unchanged. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change)) as T
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)])) as T
  return value
}
