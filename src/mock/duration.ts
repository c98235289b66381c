import ms from 'ms'

/** A length of time: milliseconds, or a text with units such as `61 min`, `90s` or `1 h 3 min`. */
export type Duration = number | string

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)/gi

/**
 * Converts a duration to milliseconds.
 *
 * @param name the name of the value in the message
 * @throws RangeError with a sentence for people unless it is a finite number from 0 up or a text with units
 */
export function toMs(value: unknown, name: string): number {
  const wrong = () =>
    new RangeError(`${name} must be milliseconds, 0 or more, or a text such as "61 min"; not ${JSON.stringify(value)}`)
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  if (typeof value !== 'string' || value.length > 100) throw wrong()
  const parts = value.match(PART) ?? []
  if (parts.length === 0 || value.replace(PART, '').trim() !== '') throw wrong()
  const sum = parts.reduce((total, part) => total + (ms(part as ms.StringValue) ?? Number.NaN), 0)
  if (!Number.isFinite(sum)) throw wrong()
  return sum
}
