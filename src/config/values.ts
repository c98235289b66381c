/** Settings as values: each of these throws a ConfigError that says what the setting has to be. */
import ms from 'ms'
import { ConfigError } from './error.js'
import type { Setting } from './setting.js'
import type { Settings } from './settings.js'

export function isSet(settings: Settings, flag: string): boolean {
  const setting = settings.get(flag)
  return setting !== undefined && truth(setting)
}

export function truth({ text, label }: Setting): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new ConfigError(`${label} must be 1 or 0`)
}

export function choice<T extends string>(settings: Settings, flag: string, choices: readonly T[], otherwise: T): T {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  const found = choices.find(candidate => candidate === setting.text)
  if (!found) throw new ConfigError(`${setting.label} must be ${alternatives(choices)}, not '${setting.text}'`)
  return found
}

export function list(settings: Settings, flag: string): string[] {
  const setting = settings.get(flag)
  if (!setting) return []
  const parts = setting.text.split(',').map(part => part.trim())
  const names = [...new Set(parts.filter(Boolean))]
  if (!names.length) throw new ConfigError(`${setting.label} names nothing: give it a value, or leave it out`)
  return names
}

export function time(
  settings: Settings,
  flag: string,
  otherwise: string,
  bounds: { atLeast: string; atMost: string },
): number {
  const setting = settings.get(flag)
  const text = setting?.text ?? otherwise
  const value = /^\d+(\.\d+)?\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined
  const { atLeast, atMost } = bounds
  const inBounds =
    value !== undefined && value >= ms(atLeast as ms.StringValue) && value <= ms(atMost as ms.StringValue)
  if (!inBounds)
    throw new ConfigError(
      `${setting?.label} must be a time from ${atLeast} to ${atMost}, with its unit, such as 90s, 5m or 1h; not '${text}'`,
    )
  return value
}

export function percent(
  settings: Settings,
  flag: string,
  otherwise: string,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): number {
  const setting = settings.get(flag)
  const text = setting?.text ?? otherwise
  const value = /^\d+(\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN
  if (!(value >= atLeast && value <= atMost)) {
    throw new ConfigError(
      `${setting?.label} must be a percentage from ${atLeast}% to ${atMost}%, such as ${otherwise}; not '${text}'`,
    )
  }
  return value / 100
}

export function whole(settings: Settings, flag: string, otherwise: number, bounds: Bounds): number {
  return numberOf(settings, flag, otherwise, { ...bounds, pattern: /^\d+$/, kind: 'a whole number' })
}

export function decimal(settings: Settings, flag: string, otherwise: number, bounds: Bounds): number {
  return numberOf(settings, flag, otherwise, { ...bounds, pattern: /^\d+(\.\d+)?$/, kind: 'a number' })
}

interface Bounds {
  atLeast: number
  atMost: number
}

function numberOf(
  settings: Settings,
  flag: string,
  otherwise: number,
  { atLeast, atMost, pattern, kind }: Bounds & { pattern: RegExp; kind: string },
): number {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  const value = pattern.test(setting.text) ? Number(setting.text) : Number.NaN
  if (!(value >= atLeast && value <= atMost))
    throw new ConfigError(`${setting.label} must be ${kind} from ${atLeast} to ${atMost}, not '${setting.text}'`)
  return value
}

export function path(settings: Settings, flag: string, otherwise: string): string {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  if (!/^\/api\/[!-~]*$/.test(setting.text) || setting.text.includes('#')) {
    throw new ConfigError(`${setting.label} must be a path below /api/, such as ${otherwise}; not '${setting.text}'`)
  }
  return setting.text
}

/** Values that can be chosen from, in words: `quick, full or long`. */
function alternatives(choices: readonly string[]): string {
  const [last = '', ...others] = [...choices].reverse()
  return others.length ? `${others.reverse().join(', ')} or ${last}` : last
}
